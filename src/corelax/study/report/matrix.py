"""Training metric × test metric: what training on one relaxed metric does to all of them."""

from __future__ import annotations

from corelax.analysis.written import interval, signed
from corelax.metrics import METRICS
from corelax.render.report import Cell, Row, Table
from corelax.study.results import Results

# Rows of soft metrics by what they are trained on.
TRAINED = {
    "muc": "soft_muc",
    "b_cubed": "soft_b_cubed",
    "ceaf_e": "soft_ceaf_e",
    "blanc": "soft_blanc",
    "lea": "soft_lea",
    "conll": "soft_conll",
}
OWN = " (own)"


def metric_title(name: str) -> str:
    """A metric for people.

    >>> metric_title("b_cubed"), metric_title("conll")
    ('B³', 'CoNLL')
    """
    return "CoNLL" if name == "conll" else METRICS[name].title


def matrix_table(results: Results) -> Table | None:
    """The gain of each soft metric over the baseline, by every metric; the best of a column is bold."""
    outcomes = {metric: o for metric, name in TRAINED.items() if (o := results.outcome(name))}
    if len(outcomes) < 2:
        return None
    gains = {
        (trained, tested): results.difference(outcome, metric=tested)
        for trained, outcome in outcomes.items()
        for tested in TRAINED
    }
    best = {t: max(gains[trained, t].mean for trained in outcomes) for t in TRAINED}
    rows = []
    for trained in outcomes:
        cells: list[Cell | str] = [metric_title(trained)]
        for tested in TRAINED:
            gain = gains[trained, tested]
            values = {name: 100 * getattr(gain, name) for name in ("mean", "low", "high")}
            mark = OWN if trained == tested else ""
            is_best = gain.mean == best[tested]
            cells.append(Cell(signed(gain.mean) + mark, values, is_best, interval(gain)))
        rows.append(Row(cells))
    wins = sum(gains[metric, metric].mean == best[metric] for metric in outcomes)
    caption = (
        f"F1 on {results.part} less that of the baseline, in points. Rows: the soft metric that was trained "
        f"on (β = 1, T = 1); columns: the metric that is measured. Own: the metric that was trained on. "
        f"Bold: the best of a column. Training on a metric is best for it in {wins} of {len(outcomes)} "
        "columns. Intervals show under the pointer and are in the CSV and JSON files."
    )
    columns = ["trained on", *map(metric_title, TRAINED)]
    return Table("matrix", "Training metric × test metric", columns, rows, caption)
