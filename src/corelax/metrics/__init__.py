"""Exact coreference metrics. Nothing here imports torch; scipy only where CEAF is asked for.

Names are imported when they are first used, so that the list of metrics can be read without numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corelax.metrics.counts import Counts, LinkCounts, Score, f_measure
    from corelax.metrics.metric import AnyCounts, Metric, Repeats
    from corelax.metrics.overlap import Overlap, Side
    from corelax.metrics.registry import CONLL, METRICS, check_metrics, register
    from corelax.metrics.report import Report, rounded_percent, scores_table
    from corelax.metrics.scoring import score, score_files
    from corelax.metrics.tally import Tally, evaluate

_HOME = {
    "counts": ("Counts", "LinkCounts", "Score", "f_measure"),
    "metric": ("AnyCounts", "Metric", "Repeats"),
    "overlap": ("Overlap", "Side"),
    "registry": ("CONLL", "METRICS", "check_metrics", "register"),
    "report": ("Report", "rounded_percent", "scores_table"),
    "scoring": ("score", "score_files"),
    "tally": ("Tally", "evaluate"),
}

__all__ = [
    "CONLL",
    "METRICS",
    "AnyCounts",
    "Counts",
    "LinkCounts",
    "Metric",
    "Overlap",
    "Repeats",
    "Report",
    "Score",
    "Side",
    "Tally",
    "check_metrics",
    "evaluate",
    "f_measure",
    "register",
    "rounded_percent",
    "score",
    "score_files",
    "scores_table",
]


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(f"corelax.metrics.{module}"), name)
    raise AttributeError(f"module 'corelax.metrics' has no attribute {name!r}")
