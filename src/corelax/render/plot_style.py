"""How figures look: colours, markers, dashes and fonts.

Colours keep a contrast of at least 3 to white and to near-black and stay apart under the common kinds
of colour blindness; markers and dashes tell series apart as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corelax.render.report import Figure

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


@contextmanager
def plot_settings() -> Iterator[None]:
    """Our settings for a while, whatever the user's are."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)  # type: ignore[arg-type]
        yield


def line_styles(figure: Figure) -> Styles:
    """How the lines of each label look, in every panel alike.

    >>> from corelax.render.report import Level, Panel, Series
    >>> panel = Panel("", "T", "F1", [Series("LEA", [1], [62])], levels=[Level("ranking", 61)])
    >>> list(line_styles(Figure("heat", "Temperature", [panel, panel])))
    [('series', 'LEA'), ('level', 'ranking')]
    """
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
