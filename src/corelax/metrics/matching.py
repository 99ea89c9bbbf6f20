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
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from corelax.metrics.counted import CountedOverlap, OverlapCounter, pairs, side
from corelax.metrics.repeated_links import link_overlap

M = TypeVar("M", bound=Hashable)
Array = NDArray[Any]
Clusters = Sequence[Sequence[M]]


@dataclass(frozen=True, slots=True)
class ReferenceOverlap(CountedOverlap):
    """Sums a CEAF alignment as the reference scorer does: in key order, each pair as 1 − (1 − φ)."""

    def best_alignment(self, similarity: Array) -> float:
        """The largest sum of `similarity` over one-to-one pairings, rounded like the original."""
        from corelax.metrics.alignment import best_pairing

        chosen = best_pairing(self.cell_gold, self.cell_system, similarity)
        return self.total(1 - (1 - similarity[chosen]))


def has_repeats(clusters: Iterable[Sequence[M]]) -> bool:
    """Whether some mention occurs more than once.

    >>> has_repeats([["a", "b"], ["a"]])
    True
    """
    seen: set[M] = set()
    size = 0
    for cluster in clusters:
        seen.update(cluster)
        size += len(cluster)
    return len(seen) < size


class Matching(Generic[M]):
    """One document matched by the rules above.

    Attributes:
        removed: Repeated response mentions that were removed. The reference scorer refuses to go on
            when it has removed more than ten in a run.
    """

    def __init__(self, *, gold: Clusters[M], system: Clusters[M]) -> None:
        self.gold = [cluster for cluster in gold if cluster]
        self.gold_spans = {mention for cluster in self.gold for mention in cluster}
        self.removed = 0
        self.system: list[list[M]] = []
        self.system_of: dict[M, int] = {}  # the response entity of each matched mention
        for cluster in system:
            kept: list[M] = []
            for mention in cluster:
                if mention not in self.gold_spans:
                    kept.append(mention)
                elif mention not in self.system_of:
                    kept.append(mention)
                    self.system_of[mention] = len(self.system)
                else:
                    self.removed += 1
            if kept:
                self.system.append(kept)
        self.gold_of = {m: k for k, cluster in enumerate(self.gold) for m in cluster}

    def overlap(self, metric: str) -> CountedOverlap:
        """What the reference scorer counts for a metric (for LEA: what its precision counts)."""
        if metric == "b_cubed":
            return self._by_response_mention()
        if metric in ("ceaf_m", "ceaf_e"):
            return self._by_key_mention()
        if metric == "blanc":
            return link_overlap(gold=self.gold, system=self.system)
        if metric == "mentions":
            return self._distinct_spans()
        return self._by_last_key_entity()

    def lea_recall(self) -> CountedOverlap:
        """LEA's recall goes through the key's mentions, as CEAF does."""
        return self._by_key_mention()

    def _matched_mentions(self) -> list[tuple[int, int]]:
        """(key entity, response entity) of each matched response mention, in response order."""
        return [
            (self.gold_of[m], r) for r, c in enumerate(self.system) for m in c if m in self.gold_of
        ]

    def _overlap(
        self,
        cells: Sequence[tuple[int, int]],
        shared: Sequence[int],
        written: Sequence[int] | None = None,
    ) -> ReferenceOverlap:
        index = np.array(cells, dtype=np.int64).reshape(-1, 2)
        counts = np.array(shared, dtype=np.int64)
        gold, system = side([len(c) for c in self.gold]), side([len(c) for c in self.system])
        alone = (gold.size[index[:, 0]] == 1) & (system.size[index[:, 1]] == 1)
        return ReferenceOverlap(
            gold=gold,
            system=system,
            shared=counts,
            written=counts if written is None else np.array(written, dtype=np.int64),
            nonempty=np.ones_like(counts),
            links=pairs(counts),
            matched=0,
            alone_on_both=int(alone.sum()),
            between=0,
            cell_gold=index[:, 0],
            cell_system=index[:, 1],
        )

    def _by_last_key_entity(self) -> CountedOverlap:
        """MUC and LEA's precision: a response mention belongs to the last key entity that has it."""
        cells = Counter(self._matched_mentions())
        return self._overlap(list(cells), list(cells.values()))

    def _by_response_mention(self) -> CountedOverlap:
        """B³: one cell for each matched response mention, so that sums run mention by mention.

        A mention counts once; its company is the mentions of R whose span occurs anywhere in K.
        """
        spans = [set(cluster) for cluster in self.gold]
        cells = self._matched_mentions()
        company = {(k, r): sum(m in spans[k] for m in self.system[r]) for k, r in set(cells)}
        return self._overlap(cells, [company[cell] for cell in cells], written=[1] * len(cells))

    def _by_key_mention(self) -> CountedOverlap:
        """CEAF and LEA's recall: the mentions of K, repeats included, whose span occurs in R."""
        cells = Counter(
            (k, self.system_of[m])
            for k, c in enumerate(self.gold)
            for m in c
            if m in self.system_of
        )
        return self._overlap(list(cells), list(cells.values()))

    def _distinct_spans(self) -> CountedOverlap:
        """Mention identification counts each span once."""
        counter = OverlapCounter()
        counter.add(
            gold=[list(self.gold_spans)], system=[list({m for c in self.system for m in c})]
        )
        return counter.overlap()
