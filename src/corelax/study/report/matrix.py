"""Training metric × test metric: what training on one relaxed metric does to all of them."""

from __future__ import annotations

from corelax.analysis.written import interval, signed
from corelax.metrics import METRICS
from corelax.render.report import Cell, Row, Table
from corelax.study.report.tables import row_title
from corelax.study.results import Results

# The metric that each row is trained on.
TRAINED = {
    "b3": "b_cubed",
    "b3_beta": "b_cubed",
    "lea": "lea",
    "lea_beta": "lea",
    "soft_muc": "muc",
    "soft_b_cubed": "b_cubed",
    "soft_ceaf_e": "ceaf_e",
    "soft_blanc": "blanc",
    "soft_lea": "lea",
    "soft_conll": "conll",
}
TESTED = ("muc", "b_cubed", "ceaf_e", "blanc", "lea", "conll")
OWN = " (own)"


def metric_title(name: str) -> str:
    """A metric for people.

    >>> metric_title("b_cubed"), metric_title("conll")
    ('B³', 'CoNLL')
    """
    return "CoNLL" if name == "conll" else METRICS[name].title


def matrix_table(results: Results) -> Table | None:
    """The gain of each loss of a metric over the baseline, by every metric; the best of a column is bold."""
    outcomes = {name: o for name in TRAINED if (o := results.outcome(name))}
    if len(set(map(TRAINED.__getitem__, outcomes))) < 2:
        return None
    gains = {
        (name, tested): results.difference(outcome, metric=tested)
        for name, outcome in outcomes.items()
        for tested in TESTED
    }
    best = {t: max(gains[name, t].mean for name in outcomes) for t in TESTED}
    rows = []
    for name, outcome in outcomes.items():
        cells: list[Cell | str] = [row_title(outcome)]
        for tested in TESTED:
            gain = gains[name, tested]
            values = {number: 100 * getattr(gain, number) for number in ("mean", "low", "high")}
            mark = OWN if TRAINED[name] == tested else ""
            is_best = gain.mean == best[tested]
            cells.append(Cell(signed(gain.mean) + mark, values, is_best, interval(gain)))
        rows.append(Row(cells))
    trained = {TRAINED[name] for name in outcomes}
    wins = {
        TRAINED[name] for name, t in gains if gains[name, t].mean == best[t] and TRAINED[name] == t
    }
    caption = (
        f"F1 on {results.part} less that of the baseline, in points. Rows: what was trained; columns: the "
        "metric that is measured. Own: the metric that was trained on. Bold: the best of a column. Training "
        f"on a metric is best for it in {len(wins)} of {len(trained)} columns. Intervals show under the "
        "pointer and are in the CSV and JSON files."
    )
    columns = ["trained on", *map(metric_title, TESTED)]
    return Table("matrix", "Training metric × test metric", columns, rows, caption)
