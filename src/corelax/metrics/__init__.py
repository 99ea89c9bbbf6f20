"""Exact coreference metrics. Nothing here imports torch; scipy only where CEAF is asked for."""

from corelax.metrics.counts import Counts, LinkCounts, Score, f_measure
from corelax.metrics.overlap import Overlap, Side
from corelax.metrics.report import CONLL, METRICS, Report, Tally, evaluate

__all__ = [
    "CONLL",
    "METRICS",
    "Counts",
    "LinkCounts",
    "Overlap",
    "Report",
    "Score",
    "Side",
    "Tally",
    "evaluate",
    "f_measure",
]
