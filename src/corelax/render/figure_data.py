"""The numbers of a figure as tables: for readers who cannot see it, and where nothing can be drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import zip_longest

from corelax.render.report import Cell, Figure, Panel, Row, Table


def figure_tables(figure: Figure) -> list[Table]:
    """A table for each panel: a row for each x, a column for each series.

    >>> from corelax.render.report import Level, Series
    >>> series = Series("LEA loss", [0.5, 1], [61.5, 62.25], spread=[0.25, 0.5])
    >>> panel = Panel("", "temperature", "CoNLL", [series], levels=[Level("ranking", 61.15)])
    >>> [table] = figure_tables(Figure("heat", "Temperature", [panel]))
    >>> [cell.text for cell in table.groups[0].rows[1]], table.caption
    (['1', '62.25 ± 0.50'], 'CoNLL; ranking: 61.15')
    """
    return [
        _panel_table(f"{figure.key}-{number}", panel)
        for number, panel in enumerate(figure.panels, start=1)
    ]


def _panel_table(key: str, panel: Panel) -> Table:
    digits = _digits(
        [*(y for series in panel.series for y in series.y), *(level.y for level in panel.levels)]
    )
    columns: list[dict[float, Cell]] = []
    for series in panel.series:
        points = zip_longest(series.x, series.y, series.spread)  # there may be no spread
        columns.append({x: _cell(y, around, digits) for x, y, around in points})
    every_x = sorted({x for column in columns for x in column})
    rows = [Row([f"{x:g}", *(column.get(x, "") for column in columns)]) for x in every_x]
    levels = [f"{level.label}: {level.y:.{digits}f}" for level in panel.levels]
    names = [panel.x_label, *(series.label for series in panel.series)]
    return Table(key, panel.title, names, rows, caption="; ".join([panel.y_label, *levels]))


def _cell(y: float, spread: float | None, digits: int) -> Cell:
    if math.isnan(y):
        return Cell("")
    if spread is None:
        return Cell(f"{y:.{digits}f}", {"y": y})
    return Cell(f"{y:.{digits}f} ± {spread:.{digits}f}", {"y": y, "spread": spread})


def _digits(numbers: Iterable[float]) -> int:
    """As many decimals as give the largest number four digits."""
    largest = max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)
    return max(0, 3 - math.floor(math.log10(largest))) if largest else 2
