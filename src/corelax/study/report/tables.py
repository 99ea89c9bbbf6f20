"""The tables of a study: scores, errors, learning rates, times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, median

from corelax.analysis.decisions import CORRECT_LINK, ERRORS, TYPES
from corelax.analysis.errors import ErrorCounts
from corelax.analysis.significance import Difference, holm
from corelax.analysis.written import interval, p_text, signed
from corelax.core.text_table import format_table
from corelax.metrics import METRICS, rounded_percent
from corelax.render.report import Cell, Row, Table
from corelax.study.files import TEST
from corelax.study.plan import PAPER
from corelax.study.records import Record
from corelax.study.report.published import CONLL_2012_TEST, TRAINING_HOURS
from corelax.study.results import Outcome, Results, Spread

SHOWN = [name for name in METRICS if name != "mentions"]
SHORT = {"false_anaphor": "FA", "false_new": "FN", "wrong_link": "WL"}
TUNED = {
    "baseline": "Baseline",
    "entity_ce": "L_ec",
    "b3_1": "L_B³",
    "lea_1": "L_LEA",
    "annealed": "Annealed",
}
PUBLISHED = "published"
SEVERAL = 10  # numbers that are listed one by one
PAPER_MS = TRAINING_HOURS * 3_600_000 / (20 * 2802)  # a document in an epoch


def row_title(outcome: Outcome) -> str:
    """A row's title, with the value that was chosen on dev where there was a choice."""
    if len(outcome.row.units) == 1:
        return outcome.row.title
    symbol = f"{outcome.row.symbol} = " if outcome.row.symbol else ""
    return f"{outcome.row.title}: {symbol}{chosen_values(outcome)}"


def chosen_values(outcome: Outcome) -> str:
    """The value that was chosen on dev; of several folds, each value and in how many."""
    times = Counter(unit.rpartition("_")[2] for unit in outcome.units)
    if len(times) == 1:
        return next(iter(times))
    order = sorted(times, key=lambda value: (-times[value], value))
    return ", ".join(f"{value} (×{times[value]})" for value in order)


def every_record(outcome: Outcome) -> list[Record]:
    """The records of all folds and seeds."""
    return [record for folds in outcome.records.values() for record in folds]


def scores_table(results: Results, part: str, key: str, title: str, caption: str) -> Table:
    """F1 of all metrics, CoNLL, and the difference to the baseline."""
    differences = results.differences(part)
    adjusted = dict(zip(differences, holm([d.p_value for d in differences.values()]), strict=True))
    has_published = part == TEST and any(_published(outcome) for outcome in results.outcomes)
    columns = [
        "",
        *(METRICS[m].title for m in SHOWN),
        "CoNLL",
        *([PUBLISHED] if has_published else []),
    ]
    columns += ["to baseline [95 %]", "p", "p (Holm)"]
    rows = []
    for outcome in results.outcomes:
        cells = [Cell(row_title(outcome), title=outcome.row.name)]
        for metric in SHOWN:
            scores = outcome.scores(part, metric)
            recall, precision, f1 = (
                Spread.of(100 * s[i] for s in scores)
                for i in range(3)  # recall, precision, F1
            )
            cells.append(
                Cell(
                    f"{f1.mean:.2f}",
                    {"F1": f1.mean, "recall": recall.mean, "precision": precision.mean},
                    title=f"recall {recall.mean:.2f}, precision {precision.mean:.2f}",
                )
            )
        conll = Spread.of(100 * s.f1 for s in outcome.scores(part, "conll"))
        seeds = len(outcome.seeds(part))
        text = f"{conll.mean:.2f} ± {conll.sd:.2f}" if seeds > 1 else f"{conll.mean:.2f}"
        cells.append(Cell(text, {"mean": conll.mean, "sd": conll.sd, "seeds": seeds}))
        if has_published:
            cells.append(_published(outcome) or Cell("–"))
        if (difference := differences.get(outcome.system)) is None:
            cells += [Cell("–"), Cell("–"), Cell("–")]
        else:
            cells += difference_cells(difference, adjusted[outcome.system])
        rows.append(cells)
    for column in range(1, len(SHOWN) + 2):
        _mark_best(rows, column)
    return Table(key, title, columns, _grouped(results.outcomes, rows), caption)


def difference_cells(difference: Difference, corrected: float) -> list[Cell]:
    """A difference with its interval, p, and p after Holm's correction; bold if that is below 0.05."""
    values = {name: 100 * getattr(difference, name) for name in ("mean", "low", "high")}
    return [
        Cell(interval(difference), values, best=corrected < 0.05),
        Cell(p_text(difference.p_value), {"value": difference.p_value}),
        Cell(p_text(corrected), {"value": corrected}),
    ]


def summary_text(results: Results) -> str:
    """The rows with their CoNLL scores and differences, as plain text for a terminal."""
    table = scores_table(results, results.part, "scores", "", "")
    shown = ["", "CoNLL", "to baseline [95 %]", "p"]
    columns = [list(table.columns).index(name) for name in shown]
    rows = [
        [cells[number].text for number in columns] for group in table.groups for cells in group.rows
    ]
    return format_table([results.part.capitalize(), "CoNLL F1", *shown[2:]], rows)


def errors_table(results: Results, errors: Mapping[str, Sequence[ErrorCounts]]) -> Table:
    """Errors by kind and type of mention, means over seeds, and the change of the totals."""
    types = (None, *TYPES)  # all of them first
    columns = [f"{SHORT[k]} {t or 'all'}" for t in types for k in ERRORS]
    columns = ["", *columns[: len(ERRORS)], "correct", *columns[len(ERRORS) :]]
    first = errors[results.baseline.row.name]
    rows = []
    for outcome in results.outcomes:
        counts = errors[outcome.row.name]
        cells = []
        for type in types:
            for kind in ERRORS:
                errors_here = Spread.of(c.number(kind, type) for c in counts)
                base = Spread.of(c.number(kind, type) for c in first).mean
                is_changed = type is None and outcome is not results.baseline
                change = f" ({_change(errors_here.mean, base)})" if is_changed else ""
                values = {"mean": errors_here.mean, "sd": errors_here.sd}
                cells.append(Cell(f"{errors_here.mean:.0f}{change}", values))
        right = Spread.of(c.number(CORRECT_LINK) for c in counts)
        cells.insert(len(ERRORS), Cell(f"{right.mean:.0f}", {"mean": right.mean, "sd": right.sd}))
        rows.append([Cell(row_title(outcome), title=outcome.row.name), *cells])
    anaphoric = ", ".join(f"{first[0].anaphoric(type):,} {type}" for type in TYPES)
    caption = (
        f"Means over seeds, of {first[0].anaphoric():,} anaphoric gold mentions ({anaphoric}); in brackets "
        "the change against the baseline. FA, false anaphor: linked, but first in its entity or in none. FN, "
        "false new: has an antecedent, but starts an entity or is left out. WL, wrong link: linked to "
        "another entity."
    )
    table_rows = _grouped(results.outcomes, rows)
    return Table("errors", "Table 2: errors by type of mention", columns, table_rows, caption)


def rates_table(results: Results) -> Table | None:
    """The learning rates that were tried, and their dev scores."""
    study, folds = results.reproduction.study, results.folds
    tuned = [name for name in study.tuned if all(fold.tried(name) for fold in folds)]
    if not tuned:
        return None
    columns = ["learning rates (first, second layer)", *(TUNED.get(name, name) for name in tuned)]
    rows = []
    for rates in study.learning_rates:
        cells = [Cell(f"{rates[0]:g}, {rates[1]:g}")]
        for name in tuned:
            scores = [score for fold in folds if (score := fold.tried(name).get(rates)) is not None]
            chosen = sum(fold.rates(name) == rates for fold in folds)
            times = f" (×{chosen})" if chosen and len(folds) > 1 else ""
            text = rounded_percent(mean(scores)) + times if scores else "–"
            values = {"value": 100 * mean(scores)} if scores else {}
            cells.append(Cell(text, values, best=chosen > 0))
        rows.append(Row(cells))
    caption = (
        f"Dev CoNLL with seed {results.reproduction.seeds[0]}, each a run of its own (of several folds the "
        "mean, and in how many a rate was chosen); the best is taken for all seeds, though some tenths are "
        "within what two runs differ by. Other metric losses take those of their nearest relative (L_B³, "
        "L_LEA or annealed), rewards and margins those of the baseline; the max-margin of 2015 has its own."
    )
    return Table("learning_rates", "Learning rates", columns, rows, caption)


def times_table(results: Results) -> Table:
    """How long each run took, beside the paper's 15 hours."""
    rows = []
    outcomes = [outcome for outcome in results.outcomes if outcome.row.decoding == "links"]
    devices = ", ".join(sorted({r.device for o in outcomes for r in every_record(o)}))
    for outcome in outcomes:
        records = every_record(outcome)
        seconds = Spread.of(record.seconds for record in records)
        epochs = sum(len(record.epochs) for record in records)
        steps = sum(epoch["documents"] for record in records for epoch in record.epochs)
        each = 1000 * sum(record.seconds for record in records) / steps
        kept = sorted(record.epoch for record in records)
        rows.append(
            [
                Cell(row_title(outcome), title=outcome.row.name),
                Cell(f"{epochs / len(records):.1f}", {"value": epochs / len(records)}),
                Cell(_few(kept), {"median": median(kept), "least": kept[0], "most": kept[-1]}),
                Cell(f"{seconds.mean:.1f}", {"mean": seconds.mean, "sd": seconds.sd}),
                Cell(f"{each:.1f}", {"value": each}),
            ]
        )
    caption = (
        f"Training alone, without the stages before it, several runs at a time on one device ({devices}). "
        f"The paper: {TRAINING_HOURS} hours for 20 epochs of 2,802 documents, pretraining included, which is "
        f"{PAPER_MS:,.0f} ms a document."
    )
    columns = ["", "epochs", "epochs kept", "seconds a run", "ms a document"]
    return Table("times", "Time", columns, _grouped(outcomes, rows), caption)


def _few(numbers: Sequence[int]) -> str:
    """Sorted numbers one by one, or if they are many their median and their range.

    >>> _few([1, 3]), _few([*range(1, 30)])
    ('1, 3', '15 (1–29)')
    """
    if len(numbers) <= SEVERAL:
        return ", ".join(map(str, numbers))
    return f"{median(numbers):g} ({numbers[0]}–{numbers[-1]})"


def _published(outcome: Outcome) -> Cell | None:
    """The published figure of such a row, if there is one."""
    name = outcome.row.name
    if name not in CONLL_2012_TEST:
        return None
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


def _grouped(outcomes: Iterable[Outcome], rows: Iterable[list[Cell]]) -> list[Row]:
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


def _change(now: float, before: float) -> str:
    return f"{100 * (now - before) / before:+.0f} %".replace("-", "−") if before else "–"
