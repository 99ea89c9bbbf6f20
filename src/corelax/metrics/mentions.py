"""Mention detection: which mentions were found at all, whatever their entity."""

from __future__ import annotations

from corelax.metrics.counts import Counts
from corelax.metrics.metric import Metric, Repeats
from corelax.metrics.overlap import Overlap


def mentions(overlap: Overlap) -> Counts:
    """Recall and precision of mentions: exact spans, no partial credit.

    >>> from corelax.metrics import evaluate
    >>> evaluate(gold=[[1, 2, 3]], system=[[1, 2, 4, 5]])["mentions"].precision
    0.5
    """
    matched = overlap.matched
    return Counts(matched, overlap.gold.mentions, matched, overlap.system.mentions)


MENTIONS = Metric(
    "mentions",
    "Mentions",
    mentions,
    short_title="Ment.",
    linear=True,
    pairwise=True,
    repeats=(Repeats.SETS_OF_SPANS, Repeats.SETS_OF_SPANS),
)
