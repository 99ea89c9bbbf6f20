"""Repeated mentions: what the reference scorer v8.01 does when a span occurs twice on one side.

Normally a mention is in one entity, both sides are sets and `OverlapCounter` counts them. When spans
repeat, every metric of the reference scorer sees another overlap. The formulas stay as they are; this
file hands each metric the overlap that the reference scorer's program counts for it.

1. In the key nothing is removed; a repeated mention counts each time in sizes. Where a metric asks for
   *the* key entity of a mention, it is the last one.
2. In the response, a span of the key is kept where it is met first and removed later on. Spans that
   the key does not have stay, however often they occur. Entities emptied so are dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from corelax.metrics.counted import CountedOverlap, OverlapCounter, pairs, side
from corelax.metrics.metric import AnyCounts, Metric, Repeats
from corelax.metrics.reference.repeated_links import link_overlap

M = TypeVar("M", bound=Hashable)
Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceOverlap(CountedOverlap):
    """Sums a CEAF alignment as the reference scorer does: in key order, each pair as 1 − (1 − φ)."""

    def best_alignment(self, similarity: Array) -> float:
        """The largest sum of `similarity` over one-to-one pairings, rounded like the original."""
        from corelax.metrics.alignment import best_pairing

        chosen = best_pairing(self.cell_gold, self.cell_system, similarity)
        return self.total(1 - (1 - similarity[chosen]))


class Matching(Generic[M]):
    """One document, matched by the rules above.

    Attributes:
        removed: Repeated response mentions that were removed. The reference scorer refuses to go on
            when it has removed more than ten in a run.
    """

    def __init__(self, *, gold: Sequence[Sequence[M]], system: Sequence[Sequence[M]]) -> None:
        self.removed = 0
        self._gold = gold
        self._gold_of = {m: k for k, c in enumerate(gold) for m in c}  # the last entity wins
        self._system: list[list[M]] = []
        self._system_of: dict[M, int] = {}  # of matched mentions, in response order
        for cluster in system:
            left: list[M] = []
            for mention in cluster:
                if mention in self._gold_of:
                    if mention in self._system_of:
                        self.removed += 1
                        continue
                    self._system_of[mention] = len(self._system)
                left.append(mention)
            if left:
                self._system.append(left)

    def counts(self, metric: Metric) -> AnyCounts:
        """What the reference scorer counts for a metric."""
        for_recall, for_precision = metric.repeats
        counts = metric(self._overlaps[for_precision]())
        if for_recall is not for_precision:
            counts = counts.with_recall_of(metric(self._overlaps[for_recall]()))  # type: ignore[arg-type]
        return counts

    @property
    def _overlaps(self) -> dict[Repeats, Callable[[], CountedOverlap]]:
        return {
            Repeats.LAST_ENTITY: self._by_last_entity,
            Repeats.RESPONSE_MENTIONS: self._by_response_mention,
            Repeats.KEY_MENTIONS: self._by_key_mention,
            Repeats.SETS_OF_LINKS: lambda: link_overlap(gold=self._gold, system=self._system),
            Repeats.SETS_OF_SPANS: self._different_spans,
        }

    def _by_last_entity(self) -> CountedOverlap:
        """MUC, LEA's precision: a response mention belongs to the last key entity that has it."""
        cells = Counter((self._gold_of[m], r) for m, r in self._system_of.items())
        return self._overlap(cells, cells.values())

    def _by_response_mention(self) -> CountedOverlap:
        """B³: one cell for each matched response mention, so that sums run mention by mention.

        A mention counts once; its company is the mentions of R whose span occurs anywhere in K.
        """
        entities_of: dict[M, list[int]] = {}
        for k, cluster in enumerate(self._gold):
            for mention in set(cluster):
                entities_of.setdefault(mention, []).append(k)
        company = Counter((k, r) for m, r in self._system_of.items() for k in entities_of[m])
        cells = [(self._gold_of[m], r) for m, r in self._system_of.items()]
        overlap = self._overlap(cells, [company[cell] for cell in cells])
        return replace(overlap, written=np.ones_like(overlap.shared))

    def _by_key_mention(self) -> CountedOverlap:
        """CEAF and LEA's recall: the mentions of K, repeats included, whose span occurs in R."""
        system_of = self._system_of
        cells = Counter(
            (k, system_of[m]) for k, c in enumerate(self._gold) for m in c if m in system_of
        )
        return self._overlap(cells, cells.values())

    def _different_spans(self) -> CountedOverlap:
        """Mention identification counts each span once."""
        counter = OverlapCounter()
        spans = {m for cluster in self._system for m in cluster}
        counter.add(gold=[list(self._gold_of)], system=[list(spans)])
        return counter.overlap()

    def _overlap(
        self, cells: Iterable[tuple[int, int]], shared_by_cell: Iterable[int]
    ) -> ReferenceOverlap:
        where = np.array(list(cells), dtype=np.int64).reshape(-1, 2)
        cell_gold, cell_system = where[:, 0], where[:, 1]
        shared = np.array(list(shared_by_cell), dtype=np.int64)
        gold = side([len(cluster) for cluster in self._gold])
        system = side([len(cluster) for cluster in self._system])
        alone = (gold.size[cell_gold] == 1) & (system.size[cell_system] == 1)
        return ReferenceOverlap(
            gold=gold,
            system=system,
            shared=shared,
            written=shared,
            nonempty=np.ones_like(shared),
            links=pairs(shared),
            matched=0,  # this and `between` are for metrics that have overlaps of their own
            alone_on_both=int(alone.sum()),
            between=0,
            cell_gold=cell_gold,
            cell_system=cell_system,
        )
