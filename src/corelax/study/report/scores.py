"""The tables of scores: of all rows, in the published order, one against another, and what β costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from corelax.analysis.orders import OrderAgreement, order_agreement
from corelax.analysis.significance import Difference, holm, interval, p_text, signed
from corelax.core.text_table import format_table
from corelax.metrics import METRICS
from corelax.render.tables import Cell, Row, Table
from corelax.study.files import TEST
from corelax.study.plan import BEST_OF_PAPER, BETA
from corelax.study.results import Outcome, Results, Spread
from corelax.study.systems import CONLL_2012_TEST, ORDERED, PAPER

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


# Heading, then the names of the rows: this one against that one.
PAIRS: Mapping[str, Sequence[tuple[str, str]]] = {
    "A metric or reward against as many more epochs of the baseline's loss": [
        (name, "continued") for name in (*BEST_OF_PAPER, "cm_reinforce", "cm_rescale")
    ],
    "Softmax-margin against the max-margin of the authors, the same network": [
        ("baseline", "margin2015"),
    ],
    "β chosen on dev against β = 1, the same loss": [
        ("b3_beta", "b3"),
        ("lea_beta", "lea"),
    ],
}
# Rows that choose β, and the losses that they are about.
OF_BETA = {"b3_beta": "L_B³", "lea_beta": "L_LEA"}


def pairs_table(results: Results) -> Table | None:
    """Losses, networks and β: one row against another, with intervals and corrected p values."""
    compared = {}
    for group, pairs in PAIRS.items():
        for name, other in pairs:
            one, base = results.outcome(name), results.outcome(other)
            if one and base and one.units != base.units and results.are_paired(one, base):
                compared[group, name, other] = (one, base, results.difference(one, to=base))
    if not compared:
        return None
    adjusted = holm([difference.p_value for _, _, difference in compared.values()])
    rows: list[Row] = []
    before = ""
    for ((group, *_), (one, base, difference)), corrected in zip(
        compared.items(), adjusted, strict=True
    ):
        if group != before:
            rows.append(Row([group], heading=True))
            before = group
        cells = difference_cells(difference, corrected)
        rows.append(Row([row_title(one), row_title(base), *cells]))
    caption = (
        f"CoNLL on {results.part}: the first row less the second, with 95 % bootstrap intervals over "
        "documents and seeds; p of a permutation test over documents, corrected for all comparisons of this "
        "table. Rows that chose the same resolver are left out."
    )
    columns = ["this", "against", "difference [95 %]", "p", "p (Holm)"]
    return Table("pairs", "Losses, networks and β", columns, rows, caption)


def beta_table(results: Results) -> Table | None:
    """The price of β: recall and precision of every value on dev, and the difference to β = 1."""
    rows: list[Row] = []
    for name, title in OF_BETA.items():
        grid = results.study.grid(name)
        gains = results.beta_gains(grid) if grid else {}
        if grid is None or not gains:
            continue
        rows.append(Row([title], heading=True))
        scores = results.points(grid)
        chosen = Counter(fold.chosen(grid) for fold in results.folds)
        best = max(gains, key=lambda value: gains[value].mean)
        for value, unit in zip(grid.values, grid.units, strict=True):
            if value not in gains:
                continue
            spreads = [Spread.of(100 * score[n] for score in scores[value]) for n in range(3)]
            times = chosen[unit]
            cells = [
                Cell(f"{value:g}", {"value": value}, best=value == best),
                *map(spread_cell, spreads),
                GAP if value == 1 else difference_cells(gains[value], 1.0)[0],
                Cell(str(times) if times else "–", {"value": times}),
            ]
            rows.append(Row(cells))
    if not rows:
        return None
    folds = "folds" if len(results.folds) > 1 else "fold"
    caption = (
        "Dev, by which β is chosen, over the seeds that have tried every value: means of recall, precision "
        "and F1 of MUC, B³ and CEAF_e, and the "
        "difference of F1 to β = 1 with its 95 % interval. What a larger β gains in recall it pays in "
        f"precision. Bold: the best of all. The last column: how many {folds} choose this value."
    )
    columns = [BETA, "recall", "precision", "CoNLL F1", "to β = 1 [95 %]", "chosen"]
    return Table("beta_price", "The price of β", columns, rows, caption)
