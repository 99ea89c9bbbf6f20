"""Cells and rows that several tables of a report share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from corelax.analysis.significance import Difference, interval, p_text
from corelax.render.tables import Cell, Row
from corelax.study.plan import BETA
from corelax.study.results import Outcome, Spread
from corelax.study.systems import PAPER

GAP = Cell("–")


def row_title(outcome: Outcome) -> str:
    """A row's title, with the value that was chosen on dev where there was a choice."""
    if not outcome.row.values:
        return outcome.row.title
    return f"{outcome.row.title}: {BETA} = {_chosen_values(outcome)}"


def _chosen_values(outcome: Outcome) -> str:
    """The value that was chosen on dev; of several folds, each value and in how many."""
    times = Counter(unit.rpartition("_")[2] for unit in outcome.units)
    if len(times) == 1:
        return next(iter(times))
    order = sorted(times, key=lambda value: (-times[value], value))
    return ", ".join(f"{value} (×{times[value]})" for value in order)


def title_cell(outcome: Outcome) -> Cell:
    """The title of a row, with its short name under the pointer."""
    return Cell(row_title(outcome), title=outcome.row.name)


def value_cell(value: float, form: str = "") -> Cell:
    """A number."""
    return Cell(f"{value:{form}}", {"value": value})


def spread_cell(spread: Spread, form: str = ".2f") -> Cell:
    """A mean over seeds; its deviation is in the files."""
    return Cell(f"{spread.mean:{form}}", {"mean": spread.mean, "sd": spread.sd})


def in_points(difference: Difference) -> dict[str, float]:
    """A difference and the ends of its interval in percent."""
    return {name: 100 * getattr(difference, name) for name in ("mean", "low", "high")}


def difference_cells(difference: Difference, corrected: float) -> list[Cell]:
    """A difference with its interval, p, and p after Holm's correction; bold if that is below 0.05."""
    return [
        Cell(interval(difference), in_points(difference), best=corrected < 0.05),
        Cell(p_text(difference.p_value), {"value": difference.p_value}),
        Cell(p_text(corrected), {"value": corrected}),
    ]


def grouped(outcomes: Iterable[Outcome], rows: Iterable[list[Cell]]) -> list[Row]:
    """Rows below the headings of their groups."""
    result: list[Row] = []
    group = ""
    for outcome, cells in zip(outcomes, rows, strict=True):
        if outcome.row.group != group:
            group = outcome.row.group
            result.append(Row([group], heading=True))
        result.append(Row(cells))
    if [row.cells[0] for row in result if row.heading] == [PAPER]:
        return result[1:]  # a single heading says nothing
    return result
