"""The tables of scores: of all rows, in the published order, and by the metric that was trained."""

from __future__ import annotations

from corelax.analysis.orders import OrderAgreement, order_agreement
from corelax.analysis.significance import holm, signed
from corelax.core.text_table import format_table
from corelax.metrics import METRICS
from corelax.render.tables import Cell, Row, Table
from corelax.study.files import TEST
from corelax.study.report.cells import (
    GAP,
    difference_cells,
    grouped,
    spread_cell,
    title_cell,
    value_cell,
)
from corelax.study.results import Outcome, Results, Spread
from corelax.study.systems import CONLL_2012_TEST, ORDERED

SHOWN = [name for name in METRICS if name != "mentions"]
PUBLISHED = "published"
LEAST = 3  # systems that make an order
_ABOUT_SCORES = (
    "F1 in percent over the whole part: counts are summed over documents and divided once. Means over "
    "seeds, for CoNLL with their standard deviation. The interval is a paired bootstrap over documents and "
    "seeds, p a paired permutation test over documents. Bold: the best of a column, and differences that "
    "pass Holm's correction at 0.05. Recall and precision show under the pointer and are in the CSV and "
    "JSON files. Published: Le & Titov (2017), where Wiseman et al. (2015) is quoted; Clark & Manning (2016)."
)
_ABOUT_DEV = "The part by which everything was chosen: these figures flatter whoever had most to choose from."


def scores_table(results: Results, part: str) -> Table:
    """F1 of all metrics, CoNLL, and the difference to the baseline, on a part."""
    differences = results.differences(part)
    adjusted = dict(zip(differences, holm([d.p_value for d in differences.values()]), strict=True))
    has_published = part == TEST and any(o.row.name in CONLL_2012_TEST for o in results.outcomes)
    rows = []
    for outcome in results.outcomes:
        conll = outcome.conll(part)
        seeds = len(outcome.seeds(part))
        text = f"{conll.mean:.2f} ± {conll.sd:.2f}" if seeds > 1 else f"{conll.mean:.2f}"
        cells = [
            title_cell(outcome),
            *(_metric_cell(outcome, part, metric) for metric in SHOWN),
            Cell(text, {"mean": conll.mean, "sd": conll.sd, "seeds": seeds}),
        ]
        if has_published:
            cells.append(_published(outcome.row.name))
        if difference := differences.get(outcome.units):
            cells += difference_cells(difference, adjusted[outcome.units])
        else:
            cells += [GAP, GAP, GAP]
        rows.append(cells)
    for column in range(1, len(SHOWN) + 2):
        _mark_best(rows, column)
    columns = ["", *(METRICS[m].title for m in SHOWN), "CoNLL"]
    columns += [PUBLISHED] if has_published else []
    columns += ["to baseline [95 %]", "p", "p (Holm)"]
    key, title, caption = "dev_scores", "Scores on dev", _ABOUT_DEV
    if part == results.part:
        key, title, caption = "scores", f"Table 1: scores on {part}", _ABOUT_SCORES
    return Table(key, title, columns, grouped(results.outcomes, rows), caption)


def summary_text(results: Results) -> str:
    """The rows with their CoNLL scores and differences, as plain text for a terminal."""
    table = scores_table(results, results.part)
    shown = ["", "CoNLL", "to baseline [95 %]", "p"]
    columns = [list(table.columns).index(name) for name in shown]
    rows = [
        [cells[number].text for number in columns] for _, group in table.groups for cells in group
    ]
    return format_table([results.part.capitalize(), "CoNLL F1", *shown[2:]], rows)


def ordered_systems(results: Results) -> list[Outcome]:
    """The systems of the paper's table that are done, the best published score first; none if too few."""
    outcomes = results.named(ORDERED)
    outcomes.sort(key=lambda outcome: -CONLL_2012_TEST[outcome.row.name])
    return outcomes if len(outcomes) >= LEAST else []


def agreement(results: Results) -> OrderAgreement | None:
    """How well the order here agrees with the published one."""
    outcomes = ordered_systems(results)
    if not outcomes:
        return None
    seeds = set.intersection(*(set(outcome.seeds(results.part)) for outcome in outcomes))
    if not seeds:
        return None
    published = {outcome.row.name: CONLL_2012_TEST[outcome.row.name] for outcome in outcomes}
    counts = {o.row.name: o.counts(results.part, sorted(seeds)) for o in outcomes}
    return order_agreement(published, counts)


def order_table(results: Results) -> Table | None:
    """Published and own scores of the systems of the paper's table, with their places."""
    outcomes = ordered_systems(results)
    if not outcomes:
        return None
    conll = [outcome.conll(results.part) for outcome in outcomes]
    rows = []
    for place, (outcome, here) in enumerate(zip(outcomes, conll, strict=True), 1):
        place_here = 1 + sum(other.mean > here.mean for other in conll)
        published = value_cell(CONLL_2012_TEST[outcome.row.name], ".2f")
        numbers = [published, value_cell(place), spread_cell(here), value_cell(place_here)]
        rows.append(Row([title_cell(outcome), *numbers]))
    caption = (
        f"Published: CoNLL-2012 English test; here: CoNLL on {results.part}, the mean over seeds."
    )
    columns = ["", "published", "place", "here", "place here"]
    return Table("order", "The order of the systems", columns, rows, caption)


def _metric_cell(outcome: Outcome, part: str, metric: str) -> Cell:
    scores = outcome.scores(part, metric)
    recall, precision, f1 = (Spread.of(100 * score[i] for score in scores).mean for i in range(3))
    values = {"F1": f1, "recall": recall, "precision": precision}
    return Cell(f"{f1:.2f}", values, title=f"recall {recall:.2f}, precision {precision:.2f}")


def _published(name: str) -> Cell:
    if name not in CONLL_2012_TEST:
        return GAP
    value = CONLL_2012_TEST[name]
    gain = value - CONLL_2012_TEST["baseline"]
    return Cell(f"{value:.2f}" + (f" ({signed(gain / 100)})" if gain else ""), {"value": value})


def _mark_best(rows: list[list[Cell]], column: int) -> None:
    """Bold for the highest mean of a column."""

    def value(cells: list[Cell]) -> float:
        return next(iter(cells[column].values.values()), float("-inf"))

    best = max(map(value, rows))
    for cells in rows:
        if value(cells) == best:
            old = cells[column]
            cells[column] = Cell(old.text, old.values, best=True, title=old.title)
