"""The course of training: learning rates, times, and the figures of a study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean, median

from corelax.metrics import rounded_percent
from corelax.render.figures import Figure, Level, Panel, Series
from corelax.render.tables import Cell, Row, Table
from corelax.study.files import DEV
from corelax.study.report.scores import OF_BETA, grouped, spread_cell, title_cell, value_cell
from corelax.study.results import Outcome, Results, Spread
from corelax.study.systems import TRAINING_HOURS

TUNED = {
    "baseline": "Baseline",
    "entity_ce": "L_ec",
    "b3_1": "L_B³",
    "lea_1": "L_LEA",
}
CURVES = {
    "The paper": ("baseline", "entity_ce", "b3_beta", "b3", "lea_beta", "lea"),
    "Longer": ("continued", "cm_reinforce"),
}
SEVERAL = 10  # numbers that are listed one by one
PAPER_MS = TRAINING_HOURS * 3_600_000 / (20 * 2802)  # a document in an epoch


def rates_table(results: Results) -> Table | None:
    """The learning rates that were tried, and their dev scores."""
    folds = results.folds
    tuned = [name for name in results.study.tuned if all(fold.tried(name) for fold in folds)]
    if not tuned:
        return None
    rows = []
    for rates in results.study.learning_rates:
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
        f"Dev CoNLL with seed {results.seeds[0]}, each a run of its own (of several folds the "
        "mean, and in how many a rate was chosen); the best is taken for all seeds, though some tenths are "
        "within what two runs differ by. Other metric losses take those of their nearest relative (L_B³, "
        "L_LEA), rewards and margins those of the baseline; the max-margin of 2015 has its own."
    )
    columns = ["learning rates (first, second layer)", *(TUNED.get(name, name) for name in tuned)]
    return Table("learning_rates", "Learning rates", columns, rows, caption)


def times_table(results: Results) -> Table:
    """How long each run took, beside the paper's 15 hours."""
    rows = []
    outcomes = results.outcomes
    devices = sorted({record.device for outcome in outcomes for record in outcome.every_record})
    for outcome in outcomes:
        records = outcome.every_record
        seconds = Spread.of(record.seconds for record in records)
        epochs = sum(len(record.epochs) for record in records)
        steps = sum(epoch["documents"] for record in records for epoch in record.epochs)
        kept = sorted(record.epoch for record in records)
        rows.append(
            [
                title_cell(outcome),
                value_cell(epochs / len(records), ".1f"),
                Cell(_few(kept), {"median": median(kept), "least": kept[0], "most": kept[-1]}),
                spread_cell(seconds, ".1f"),
                value_cell(1000 * sum(record.seconds for record in records) / steps, ".1f"),
            ]
        )
    caption = (
        "Training alone, without the stages before it, several runs at a time on one device "
        f"({', '.join(devices)}). The paper: {TRAINING_HOURS} hours for 20 epochs of 2,802 documents, "
        f"pretraining included, which is {PAPER_MS:,.0f} ms a document."
    )
    columns = ["", "epochs", "epochs kept", "seconds a run", "ms a document"]
    return Table("times", "Time", columns, grouped(outcomes, rows), caption)


def _few(numbers: Sequence[int]) -> str:
    """Sorted numbers one by one, or if they are many their median and their range."""
    if len(numbers) <= SEVERAL:
        return ", ".join(map(str, numbers))
    return f"{median(numbers):g} ({numbers[0]}–{numbers[-1]})"


def beta_figure(results: Results) -> Figure | None:
    """Recall, precision and F1 on dev against β², a panel for each row that chooses it."""
    level = Level("baseline F1", results.baseline.conll(DEV).mean)
    panels = []
    for name, panel_title in OF_BETA.items():
        grid = results.study.grid(name)
        points = results.points(grid) if grid else {}
        if points:
            x = list(points)
            series = [
                _series(label, x, ([score[number] for score in points[value]] for value in x))
                for number, label in enumerate(("recall", "precision", "F1"))
            ]
            axis = "mean of MUC, B³, CEAF_e"
            panels.append(Panel(panel_title, "β²", axis, series, [level], log_x=True, x_ticks=x))
    if not panels:
        return None
    caption = (
        "Dev, means over seeds with their standard deviation. Recall, precision and F1 are the means of "
        "those of MUC, B³ and CEAF_e; F1 is the CoNLL score."
    )
    return Figure("beta", "β of the paper's losses", panels, caption)


def curves_figure(results: Results) -> Figure:
    """The dev score after each epoch."""
    panels = []
    for title, names in CURVES.items():
        series: dict[tuple[str, ...], Series] = {}
        for outcome in results.named(names):
            if outcome.units not in series:  # the β that is best on dev may be 1
                series[outcome.units] = _curve(outcome)
        if series:
            most = max(len(line.x) for line in series.values())
            ticks = range(1, most + 1, 1 + most // 8)
            panels.append(Panel(title, "epoch", "dev CoNLL", list(series.values()), x_ticks=ticks))
    caption = (
        "Means over seeds with their standard deviation. All but the baseline "
        "start from the best epoch of the baseline."
    )
    return Figure("curves", "Dev score after each epoch", panels, caption)


def _curve(outcome: Outcome) -> Series:
    """Dev scores by epoch, of the epochs that all runs have; those of a seed are means over folds."""
    runs = [
        [[epoch["dev"] for epoch in record.epochs] for record in folds]
        for folds in outcome.records.values()
    ]
    epochs = range(1, min(len(run) for folds in runs for run in folds) + 1)
    label = outcome.row.title.partition(" (")[0]
    values = ([mean(run[epoch - 1] for run in folds) for folds in runs] for epoch in epochs)
    return _series(label, list(epochs), values)


def _series(label: str, x: Sequence[float], values: Iterable[Iterable[float]]) -> Series:
    """Means and standard deviations in percent."""
    spreads = [Spread.of(100 * value for value in of_seeds) for of_seeds in values]
    return Series(label, x, [s.mean for s in spreads], [s.sd for s in spreads])
