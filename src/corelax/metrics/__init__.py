"""Exact coreference metrics. Nothing here imports torch or scipy.

Names are imported when they are first used, so that the list of metrics can be read without numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names

if TYPE_CHECKING:
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


__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "counts": "Counts f_measure LinkCounts Score",
        "matching": "align",
        "mention": "Mention",
        "file_scores": "FilesReport score_file_sets",
        "metric": "AnyCounts Metric Repeats",
        "overlap": "Overlap Side",
        "registry": "check_metrics CONLL METRICS register",
        "report": "Report rounded_percent scores_table",
        "scoring": "score score_files",
        "tally": "evaluate Tally",
    },
)
