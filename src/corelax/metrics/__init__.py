"""Exact coreference metrics. Nothing here imports torch or scipy.

Names are imported when they are first used, so that the list of metrics can be read without numpy.
"""

from __future__ import annotations

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
    from corelax.metrics.counts import Counts, LinkCounts, Score, f_measure
    from corelax.metrics.file_scores import FilesReport, score_file_sets
    from corelax.metrics.matching import align
    from corelax.metrics.mention import Mention
    from corelax.metrics.metric import AnyCounts, Metric, Repeats
    from corelax.metrics.overlap import Overlap, Side
    from corelax.metrics.registry import CONLL, METRICS, check_metrics, register
    from corelax.metrics.report import Report, rounded_percent, scores_table
    from corelax.metrics.scoring import score, score_files
    from corelax.metrics.tally import Tally, evaluate


__all__ = [
    "CONLL",
    "METRICS",
    "AnyCounts",
    "Counts",
    "FilesReport",
    "LinkCounts",
    "Mention",
    "Metric",
    "Overlap",
    "Repeats",
    "Report",
    "Score",
    "Side",
    "Tally",
    "align",
    "check_metrics",
    "evaluate",
    "f_measure",
    "register",
    "rounded_percent",
    "score",
    "score_file_sets",
    "score_files",
    "scores_table",
]
