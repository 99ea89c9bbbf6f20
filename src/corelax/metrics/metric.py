"""What the rest of the program knows about a metric: one record, at the end of the metric's own file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from corelax.metrics.counts import Counts, LinkCounts
from corelax.metrics.overlap import Overlap

AnyCounts = Counts | LinkCounts


class Repeats(Enum):
    """Which overlap the reference scorer counts where spans repeat on a side (`repeated_mentions.py`)."""

    LAST_ENTITY = "a response mention belongs to the last key entity that has it"
    RESPONSE_MENTIONS = "a cell for each response mention that the key has"
    KEY_MENTIONS = "key mentions, repeats included, that the response has"
    SETS_OF_LINKS = "links as sets of pairs of spans"
    SETS_OF_SPANS = "each span once"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric. Calling it applies its formula.

    >>> from corelax.metrics import METRICS
    >>> METRICS["b_cubed"].title
    'B³'

    Attributes:
        name: Its key in reports, JSON and options.
        title: Its name in tables.
        formula: From an overlap, exact or relaxed, to counts.
        counts: The kind of counts that the formula returns.
        short_title: Its name over narrow columns; the title if empty.
        linear: Whether a relaxed overlap needs only sums of entity probabilities, not each of them (the
            formula reads `shared`, `written`, sizes and totals, but no links and no non-empty cells).
        pairwise: Whether the formula also holds for `relax.PairOverlap`, which has no whole entities.
        aligns: Whether it asks for `best_alignment`, an assignment problem that is solved on the CPU.
        repeats: What the reference scorer's recall and precision count where spans repeat.
    """

    name: str
    title: str
    formula: Callable[[Overlap], AnyCounts]
    counts: type[Counts] | type[LinkCounts] = Counts
    short_title: str = ""
    linear: bool = False
    pairwise: bool = False
    aligns: bool = False
    repeats: tuple[Repeats, Repeats] = (Repeats.LAST_ENTITY, Repeats.LAST_ENTITY)

    def __call__(self, overlap: Overlap) -> AnyCounts:
        """The counts of an overlap."""
        return self.formula(overlap)
