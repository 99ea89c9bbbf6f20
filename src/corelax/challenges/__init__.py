"""Challenge sets: a pronoun and the names it may refer to, scored link by link.

They ask for one decision in each text, so they say what a corpus score hides: whether a resolver is as
good on women as on men (GAP, Winogender), or only where the sentence fits a stereotype (WinoBias).
"""

from __future__ import annotations

from corelax.challenges.gap import GapReport, gap_answers, gap_report, gap_tsv
from corelax.challenges.winobias import (
    WinoBiasCounts,
    WinoBiasReport,
    winobias_counts,
    winobias_report,
)
from corelax.challenges.winogender import (
    WinogenderItem,
    WinogenderReport,
    read_winogender,
    winogender_report,
)
from corelax.io.gap import GapItem, read_gap

__all__ = [
    "GapItem",
    "GapReport",
    "WinoBiasCounts",
    "WinoBiasReport",
    "WinogenderItem",
    "WinogenderReport",
    "gap_answers",
    "gap_report",
    "gap_tsv",
    "read_gap",
    "read_winogender",
    "winobias_counts",
    "winobias_report",
    "winogender_report",
]
