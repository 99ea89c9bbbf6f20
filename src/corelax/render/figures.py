"""Figures as data, and drawn with matplotlib, which is an extra: `pip install corelax[plots]`.

Drawing goes through objects of its own, never through `pyplot` and its list of open figures, and the
same figure gives the same bytes. Colours keep a contrast of at least 3 to white and to near-black and stay
apart under the common kinds of colour blindness; markers and dashes tell series apart as well. As SVG, a
figure follows the page around it: its text colour, its fonts, its width.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from corelax.core.errors import CorelaxError
from corelax.render.markup import check_key

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
    from matplotlib.lines import Line2D

INSTALL = "pip install corelax[plots]"
_PANEL = (4.6, 3.2)  # inches
_CHARACTER, _GAP = 0.022, 0.015  # of labels under an axis, as shares of it

Styles = dict[tuple[str, str], dict[str, Any]]  # ("series" or "level", label) → options of a line

INK = "#1c2126"  # text and axes
COLOURS = ("#2f86dc", "#dd7410", "#6a48f0", "#159a72", "#9f5028", "#808a96")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
LEVEL_DASHES: tuple[Any, ...] = ((0, (7, 4)), (0, (2, 3)), (0, (9, 3, 2, 3)))
_SETTINGS = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "corelax",  # ids would be random otherwise
    "text.parse_math": False,  # a dollar is a dollar
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "figure.constrained_layout.wspace": 0.04,  # room between panels
    "font.size": 10,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
}
_NAMESPACE = re.compile(r"\{.*\}")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_FONTS = re.compile(r"font-family:[^;]*")
_SANS = "font-family: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
# What a drawing looks like on its own, outside of a page that says so.
_ALONE = """
svg { color: %s; stroke-linejoin: round }
@media (prefers-color-scheme: dark) { svg { color: #dfe3e8 } }
"""


@dataclass(frozen=True, slots=True)
class Series:
    """Points joined by a line; `spread` draws a band of y ± spread."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    spread: Sequence[float] = ()

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y) or len(self.spread) not in (0, len(self.x)):
            raise CorelaxError(f"series {self.label}: x, y and spread differ in length")


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal line to compare with, such as the baseline."""

    label: str
    y: float


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes. A label has the same colour in every panel of its figure."""

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    levels: Sequence[Level] = ()
    log_x: bool = False
    x_ticks: Sequence[float] = ()

    def __post_init__(self) -> None:
        if self.log_x and any(x <= 0 for series in self.series for x in series.x):
            raise CorelaxError(f"panel {self.title}: a logarithmic axis needs x above 0")


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels side by side. Its key names its files."""

    key: str
    title: str
    panels: Sequence[Panel]
    caption: str = ""

    def __post_init__(self) -> None:
        check_key(self.key)
        if not self.panels:
            raise CorelaxError(f"figure {self.key} has no panels")


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def figure_png(figure: Figure) -> bytes:
    """A figure as a PNG file on white.

    >>> panel = Panel("", "temperature", "CoNLL", [Series("LEA loss", [0.5, 1], [61.5, 62.2])])
    >>> figure_png(Figure("heat", "Temperature", [panel]))[:4]
    b'\\x89PNG'
    """
    with _plot_settings():
        return _saved(_drawn(figure), format="png", dpi=150, metadata={"Software": None})


def figure_svg(figure: Figure) -> str:
    """A figure as an SVG file, for light and dark backgrounds.

    >>> panel = Panel("", "temperature", "CoNLL", [Series("LEA loss", [0.5, 1], [61.5, 62.2])])
    >>> ">LEA loss</text>" in figure_svg(Figure("heat", "Temperature", [panel]))
    True
    """
    with _plot_settings():
        return _standalone_svg(_svg(_drawn(figure)), figure.title)


def figure_parts(figure: Figure) -> tuple[list[tuple[str, str]], list[str]]:
    """A figure in pieces of SVG for an HTML page: labels with their lines, and each panel.

    >>> panel = Panel("", "temperature", "CoNLL", [Series("LEA loss", [0.5, 1], [61.5, 62.2])])
    >>> legend, panels = figure_parts(Figure("heat", "Temperature", [panel, panel]))
    >>> [label for label, svg in legend], len(panels)
    (['LEA loss'], 2)
    """
    with _plot_settings():
        styles = _line_styles(figure)
        legend = [
            (label, _swatch(style, f"{figure.key}.line{number}."))
            for number, ((_, label), style) in enumerate(styles.items(), start=1)
        ]
        panels = []
        for number, panel in enumerate(figure.panels, start=1):
            drawing = _blank(1)
            _draw(drawing.subplots(), panel, styles)
            prefix = f"{figure.key}.panel{number}."
            panels.append(_inline_svg(_svg(drawing), prefix, _label(panel)))
    return legend, panels


def _drawn(figure: Figure) -> Drawing:
    """All panels and a legend over them."""
    drawing = _blank(len(figure.panels))
    styles = _line_styles(figure)
    axes = drawing.subplots(1, len(figure.panels), squeeze=False)
    for panel, panel_axes in zip(figure.panels, axes[0], strict=True):
        _draw(panel_axes, panel, styles)
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
    without_label: list[float] = []
    if panel.x_ticks or (panel.log_x and len(ticks) <= 12):
        axes.xaxis.set_major_locator(FixedLocator(list(ticks)))
        axes.xaxis.set_minor_locator(NullLocator())
        without_label = _crowded(ticks, log=panel.log_x)
    if panel.x_ticks or panel.log_x:
        axes.xaxis.set_major_formatter(
            FuncFormatter(lambda x, _: "" if x in without_label else f"{x:g}")
        )
    axes.grid(axis="y", color=INK, alpha=0.14, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(length=3, width=0.7)
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)


def _crowded(ticks: Sequence[float], *, log: bool) -> list[float]:
    """The ticks whose labels would lie over that of the one before."""
    places = [math.log(tick) if log else tick for tick in ticks]
    width = max(places, default=0) - min(places, default=0)
    crowded = []
    before = 0  # the last one with a label
    for number in range(1, len(ticks)):
        characters = len(f"{ticks[before]:g}{ticks[number]:g}")
        if abs(places[number] - places[before]) < (_GAP + _CHARACTER * characters / 2) * width:
            crowded.append(ticks[number])
        else:
            before = number
    return crowded


def _swatch(style: dict[str, Any], prefix: str) -> str:
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(0.5, 0.16))
    drawing.add_artist(_line(style))
    return _inline_svg(_svg(drawing), prefix)


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


@contextmanager
def _plot_settings() -> Iterator[None]:
    """Our settings for a while, whatever the user's are."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def _line_styles(figure: Figure) -> Styles:
    """How the lines of each label look, in every panel alike."""
    series = dict.fromkeys(line.label for panel in figure.panels for line in panel.series)
    levels = dict.fromkeys(level.label for panel in figure.panels for level in panel.levels)
    styles: Styles = {}
    for number, label in enumerate(series):
        styles["series", label] = {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKERS[number % len(MARKERS)],
            "linestyle": DASHES[number % len(DASHES)],
        }
    for number, label in enumerate(levels):
        dashes = LEVEL_DASHES[number % len(LEVEL_DASHES)]
        styles["level", label] = {"color": INK, "linestyle": dashes, "linewidth": 1.1}
    return styles


def _inline_svg(drawing: bytes, prefix: str, label: str = "") -> str:
    """A drawing as an element of an HTML page; one without a label is a mere ornament.

    Every id gets the prefix, since two drawings on a page must not share one.
    """
    root = _adapted(drawing, prefix)
    for name in ("version", "width", "height"):
        root.attrib.pop(name, None)  # the page sets the size
    root.attrib.update({"role": "img", "aria-label": label} if label else {"aria-hidden": "true"})
    return ElementTree.tostring(root, encoding="unicode")


def _standalone_svg(drawing: bytes, label: str) -> str:
    """A drawing as a file of its own, readable in light and in dark."""
    root = _adapted(drawing, "")
    root.attrib.update({"xmlns": "http://www.w3.org/2000/svg", "role": "img", "aria-label": label})
    style = ElementTree.Element("style")
    style.text = _ALONE % INK
    root.insert(0, style)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _adapted(drawing: bytes, prefix: str) -> ElementTree.Element:
    root = ElementTree.fromstring(drawing)
    for element in root.iter():
        # Names without their namespaces are how SVG is written inside HTML.
        element.tag = _NAMESPACE.sub("", element.tag)
        attributes = {_NAMESPACE.sub("", name): value for name, value in element.attrib.items()}
        element.attrib.clear()
        for name, value in attributes.items():
            element.set(name, _attribute(name, value, prefix))
        if element.tag != "text" and not (element.text or "").strip():
            element.text = None
        element.tail = None if not (element.tail or "").strip() else element.tail
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("metadata", "style"):  # styles would hold for the whole page
                parent.remove(child)
    return root


def _attribute(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return prefix + value
    if name == "href" and value.startswith("#"):
        return f"#{prefix}{value[1:]}"
    if name == "style":
        value = _FONTS.sub(_SANS, value.replace(INK, "currentColor"))
    if name == "d":
        value = " ".join(value.split())
    return _REFERENCE.sub(lambda match: f"url(#{prefix}{match[1]})", value)
