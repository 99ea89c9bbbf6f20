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
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from corelax.metrics.counted import CountedOverlap, OverlapCounter, pairs, side
from corelax.metrics.repeated_links import Links, repeated_links

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


@dataclass(slots=True)
class _Cells:
    """Cells of an overlap, in the order in which they are to be summed."""

    where: list[tuple[int, int]] = field(default_factory=list)
    shared: list[int] = field(default_factory=list)

    def extend(self, where: Iterable[tuple[int, int]], shared: Iterable[int]) -> None:
        self.where.extend(where)
        self.shared.extend(shared)


class MatchingCounter:
    """Counts documents by the rules above, one after the other.

    Attributes:
        mentions: Mentions counted so far, of both sides.
        removed: Repeated response mentions that were removed. The reference scorer refuses to go on
            when it has removed more than ten in a run.
    """

    def __init__(self) -> None:
        self.mentions = self.removed = 0
        self._gold_sizes: list[int] = []
        self._system_sizes: list[int] = []
        # MUC and LEA's precision: a response mention belongs to the last key entity that has it.
        self._by_last_entity = _Cells()
        # B³: one cell for each matched response mention, so that sums run mention by mention. Its
        # company is the mentions of R whose span occurs anywhere in K.
        self._by_response_mention = _Cells()
        # CEAF and LEA's recall: the mentions of K, repeats included, whose span occurs in R.
        self._by_key_mention = _Cells()
        self._sets = OverlapCounter()  # documents without repeats, for BLANC
        self._links = Links()  # documents with repeats, for BLANC
        self._spans = [0, 0, 0]  # different ones of gold, of system, and of both

    def add(self, *, gold: Sequence[Sequence[M]], system: Sequence[Sequence[M]]) -> None:
        """Adds a document."""
        gold_of = {m: k for k, cluster in enumerate(gold) for m in cluster}  # the last one wins
        system, system_of = self._remove_repeats(system, gold_of)
        self._add_cells(gold, gold_of, system_of)
        if has_repeats(gold) or has_repeats(system):
            self._links += repeated_links(gold=gold, system=system)
        else:
            self._sets.add(gold=gold, system=system)
        spans = len(gold_of), len({m for cluster in system for m in cluster}), len(system_of)
        self._spans = [a + b for a, b in zip(self._spans, spans, strict=True)]
        self._gold_sizes += map(len, gold)
        self._system_sizes += map(len, system)
        self.mentions += spans[0] + spans[1]

    def _remove_repeats(
        self, system: Sequence[Sequence[M]], gold_of: dict[M, int]
    ) -> tuple[list[list[M]], dict[M, int]]:
        """The response by rule 2, and the entity of each of its matched mentions."""
        result: list[list[M]] = []
        system_of: dict[M, int] = {}
        for cluster in system:
            kept: list[M] = []
            for mention in cluster:
                if mention in gold_of:
                    if mention in system_of:
                        self.removed += 1
                        continue
                    system_of[mention] = len(result)
                kept.append(mention)
            if kept:
                result.append(kept)
        return result, system_of

    def _add_cells(
        self,
        gold: Sequence[Sequence[M]],
        gold_of: dict[M, int],
        system_of: dict[M, int],
    ) -> None:
        g, s = len(self._gold_sizes), len(self._system_sizes)  # entities of the documents before
        entities_of: dict[M, list[int]] = {}
        for k, cluster in enumerate(gold):
            for mention in set(cluster):
                entities_of.setdefault(mention, []).append(k)
        matched = [(gold_of[m], r) for m, r in system_of.items()]  # in response order
        company = Counter((k, r) for m, r in system_of.items() for k in entities_of[m])
        by_key = Counter(
            (g + k, s + system_of[m]) for k, c in enumerate(gold) for m in c if m in system_of
        )
        places = [(g + k, s + r) for k, r in matched]
        by_last = Counter(places)
        self._by_last_entity.extend(by_last, by_last.values())
        self._by_response_mention.extend(places, (company[cell] for cell in matched))
        self._by_key_mention.extend(by_key, by_key.values())

    def overlap(self, metric: str) -> CountedOverlap:
        """What the reference scorer counts for a metric (for LEA: what its precision counts)."""
        if metric == "b_cubed":
            overlap = self._overlap(self._by_response_mention)
            return replace(overlap, written=np.ones_like(overlap.shared))
        if metric in ("ceaf_m", "ceaf_e"):
            return self._overlap(self._by_key_mention)
        if metric == "blanc":
            return self._links.added_to(self._sets.overlap())
        if metric == "mentions":
            overlap = self._overlap(_Cells())
            gold, system, matched = self._spans
            return replace(
                overlap,
                gold=replace(overlap.gold, mentions=gold),
                system=replace(overlap.system, mentions=system),
                matched=matched,
            )
        return self._overlap(self._by_last_entity)

    def lea_recall(self) -> CountedOverlap:
        """LEA's recall goes through the key's mentions, as CEAF does."""
        return self._overlap(self._by_key_mention)

    def _overlap(self, cells: _Cells) -> ReferenceOverlap:
        where = np.array(cells.where, dtype=np.int64).reshape(-1, 2)
        cell_gold, cell_system = where[:, 0], where[:, 1]
        shared = np.array(cells.shared, dtype=np.int64)
        gold, system = side(self._gold_sizes), side(self._system_sizes)
        alone = (gold.size[cell_gold] == 1) & (system.size[cell_system] == 1)
        return ReferenceOverlap(
            gold=gold,
            system=system,
            shared=shared,
            written=shared,
            nonempty=np.ones_like(shared),
            links=pairs(shared),
            matched=0,  # the parts of other metrics are filled in by `overlap`
            alone_on_both=int(alone.sum()),
            between=0,
            cell_gold=cell_gold,
            cell_system=cell_system,
        )
