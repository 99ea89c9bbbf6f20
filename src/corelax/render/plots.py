"""Figures drawn with matplotlib, which is an extra: `pip install corelax[plots]`.

Drawing goes through objects of its own, never through `pyplot` and its list of open figures, and the
same figure gives the same bytes.
"""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from corelax.render.plot_style import INK, Styles, line_styles, plot_settings
from corelax.render.report import Figure, Panel
from corelax.render.svg import alone_svg, inline_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
    from matplotlib.lines import Line2D

INSTALL = "pip install corelax[plots]"
_PANEL = (4.6, 3.2)  # inches


class LegendEntry(NamedTuple):
    """A label with a small drawing of its line."""

    label: str
    svg: str


class Parts(NamedTuple):
    """A figure in pieces, which a page can set side by side or one below the other."""

    legend: list[LegendEntry]
    panels: list[str]


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def figure_png(figure: Figure) -> bytes:
    """A figure as a PNG file on white.

    >>> from corelax.render.report import Series
    >>> panel = Panel("", "temperature", "CoNLL", [Series("LEA loss", [0.5, 1], [61.5, 62.2])])
    >>> figure_png(Figure("heat", "Temperature", [panel]))[:4]
    b'\\x89PNG'
    """
    with plot_settings():
        return _saved(_drawn(figure), format="png", dpi=150, metadata={"Software": None})


def figure_svg(figure: Figure) -> str:
    """A figure as an SVG file, for light and dark backgrounds.

    >>> from corelax.render.report import Series
    >>> panel = Panel("", "temperature", "CoNLL", [Series("LEA loss", [0.5, 1], [61.5, 62.2])])
    >>> ">LEA loss</text>" in figure_svg(Figure("heat", "Temperature", [panel]))
    True
    """
    with plot_settings():
        return alone_svg(_svg(_drawn(figure)), ink=INK, label=figure.title)


def figure_parts(figure: Figure) -> Parts:
    """A figure in pieces of SVG for an HTML page: its legend and each of its panels.

    >>> from corelax.render.report import Series
    >>> panel = Panel("", "temperature", "CoNLL", [Series("LEA loss", [0.5, 1], [61.5, 62.2])])
    >>> parts = figure_parts(Figure("heat", "Temperature", [panel, panel]))
    >>> [entry.label for entry in parts.legend], len(parts.panels)
    (['LEA loss'], 2)
    """
    with plot_settings():
        styles = line_styles(figure)
        legend = [
            LegendEntry(label, _swatch(style, f"{figure.key}.line{number}."))
            for number, ((_, label), style) in enumerate(styles.items(), start=1)
        ]
        panels = []
        for number, panel in enumerate(figure.panels, start=1):
            drawing = _blank(1)
            _draw(drawing.subplots(), panel, styles)
            prefix = f"{figure.key}.panel{number}."
            panels.append(inline_svg(_svg(drawing), ink=INK, prefix=prefix, label=_label(panel)))
    return Parts(legend, panels)


def _drawn(figure: Figure) -> Drawing:
    """All panels and a legend over them."""
    drawing = _blank(len(figure.panels))
    styles = line_styles(figure)
    axes = drawing.subplots(1, len(figure.panels), squeeze=False)
    for panel, one in zip(figure.panels, axes[0], strict=True):
        _draw(one, panel, styles)
    labels = [label for _, label in styles]
    room = int(drawing.get_figwidth() * 12)  # characters on a line
    columns = max(1, min(len(labels), room // (max(map(len, labels), default=0) + 8)))
    drawing.set_figheight(_PANEL[1] + 0.22 * math.ceil(len(labels) / columns))
    legend = drawing.legend(
        [_line(style) for style in styles.values()],
        ["-"] * len(labels),
        loc="outside upper left",
        ncols=columns,
        handlelength=3,
    )
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_text(label)  # afterwards, for a label may begin with an underscore
    return drawing


def _draw(axes: Axes, panel: Panel, styles: Styles) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    for level in panel.levels:
        axes.axhline(level.y, **styles["level", level.label])
    for series in panel.series:
        style = styles["series", series.label]
        if len(series.spread):
            low = [y - around for y, around in zip(series.y, series.spread, strict=True)]
            high = [y + around for y, around in zip(series.y, series.spread, strict=True)]
            axes.fill_between(series.x, low, high, color=style["color"], alpha=0.18, linewidth=0)
        axes.plot(series.x, series.y, **style)
    if panel.log_x:
        axes.set_xscale("log")
    ticks = panel.x_ticks or sorted({x for series in panel.series for x in series.x})
    if panel.x_ticks or (panel.log_x and len(ticks) <= 12):
        axes.xaxis.set_major_locator(FixedLocator(list(ticks)))
        axes.xaxis.set_minor_locator(NullLocator())
    if panel.x_ticks or panel.log_x:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.grid(axis="y", color=INK, alpha=0.14, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(length=3, width=0.7)
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)


def _swatch(style: dict[str, Any], prefix: str) -> str:
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(0.5, 0.16))
    drawing.add_artist(_line(style))
    return inline_svg(_svg(drawing), ink=INK, prefix=prefix)


def _line(style: dict[str, Any]) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([0.02, 0.5, 0.98], [0.5, 0.5, 0.5], markevery=[1], **style)


def _blank(panels: int) -> Drawing:
    from matplotlib.figure import Figure as Drawing

    width, height = _PANEL
    return Drawing(figsize=(width * panels, height), layout="constrained")


def _svg(drawing: Drawing) -> bytes:
    return _saved(drawing, format="svg", transparent=True, metadata={"Date": None})


def _saved(drawing: Drawing, **options: Any) -> bytes:
    out = io.BytesIO()
    drawing.savefig(out, **options)
    return out.getvalue()


def _label(panel: Panel) -> str:
    """What a panel shows, in words."""
    labels = [series.label for series in panel.series] + [level.label for level in panel.levels]
    lines = ", ".join(labels)
    axes = f"{panel.y_label} by {panel.x_label}"
    return f"{panel.title}: {axes} ({lines})" if panel.title else f"{axes} ({lines})"
