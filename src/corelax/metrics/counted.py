"""Exact overlaps, by counting: only cells that share a mention are stored.

So the cost of a document is that of its mentions, not of its number of entities squared, and a novel
is no special case. Many documents can share one overlap: entities of different documents share no
mention, their cells are simply empty, and every sum of a metric is the sum over documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from corelax.metrics.overlap import Overlap, Side

M = TypeVar("M", bound=Hashable)
Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class CountedSide(Side):
    """One clustering of whole mentions."""

    size: Array
    links: Array
    linked_size: Array
    entities: int
    mentions: int
    between: int


@dataclass(frozen=True, slots=True, eq=False)
class CountedOverlap(Overlap):
    """An overlap of whole mentions. `cell_gold` and `cell_system` say where each cell lies."""

    gold: CountedSide
    system: CountedSide
    cell_gold: Array
    cell_system: Array
    shared: Array
    written: Array
    nonempty: Array
    links: Array
    alone_on_both: int
    matched: int = 0
    between: int = 0

    @classmethod
    def of_cells(
        cls, gold: CountedSide, system: CountedSide, cells: Iterable[Any], shared: Iterable[int]
    ) -> Self:
        """The overlap of two sides by (gold entity, system entity) of each cell and what they share."""
        where = np.array(list(cells), dtype=np.int64).reshape(-1, 2)
        counts = np.array(list(shared), dtype=np.int64)
        cell_gold, cell_system = where[:, 0], where[:, 1]
        alone = (gold.size[cell_gold] == 1) & (system.size[cell_system] == 1)
        return cls(
            gold=gold,
            system=system,
            cell_gold=cell_gold,
            cell_system=cell_system,
            shared=counts,
            written=counts,
            nonempty=np.ones_like(counts),
            links=pairs(counts),
            alone_on_both=int(alone.sum()),
        )

    @property
    def gold_size(self) -> Array:
        sizes: Array = self.gold.size[self.cell_gold]
        return sizes

    @property
    def system_size(self) -> Array:
        sizes: Array = self.system.size[self.cell_system]
        return sizes

    def by_gold(self, cells: Array) -> Array:
        return np.bincount(self.cell_gold, weights=cells, minlength=len(self.gold.size))

    def by_system(self, cells: Array) -> Array:
        return np.bincount(self.cell_system, weights=cells, minlength=len(self.system.size))

    def total(self, values: Array) -> float:
        """The sum, from first to last: the order that decides the reference scorer's last digit."""
        return np.add.accumulate(values)[-1].item() if len(values) else 0

    def share(self, part: Array, whole: Array) -> Array:
        return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)

    def best_alignment(self, similarity: Array) -> float:
        from corelax.metrics.alignment import best_pairing

        return self.total(similarity[best_pairing(self.cell_gold, self.cell_system, similarity)])


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


def pairs(count: Any) -> Any:
    """Pairs among n mentions: n (n − 1) / 2, of numbers or arrays."""
    return count * (count - 1) // 2


def side(sizes: Sequence[int]) -> CountedSide:
    """One clustering, given the sizes of its entities."""
    size = np.asarray(sizes, dtype=np.int64)
    return CountedSide(
        size=size,
        links=pairs(size),
        linked_size=np.where(size > 1, size, 0),
        entities=len(size),
        mentions=int(size.sum()),
        between=0,
    )


class OverlapCounter:
    """Counts the overlap of one document after another.

    >>> counter = OverlapCounter()
    >>> counter.add(gold=[["a", "b"], ["c"]], system=[["a", "b", "c"]])
    >>> overlap = counter.overlap()
    >>> overlap.shared.tolist(), overlap.gold_size.tolist(), overlap.system_size.tolist()
    ([2, 1], [2, 1], [3, 3])
    """

    def __init__(self) -> None:
        self._gold_sizes: list[int] = []
        self._system_sizes: list[int] = []
        self._cells: list[tuple[int, int]] = []
        self._shared: list[int] = []
        self._pairs = [0, 0, 0]  # of gold, system and matched mentions, within documents
        self.mentions = 0

    def add(self, *, gold: Sequence[Sequence[M]], system: Sequence[Sequence[M]]) -> None:
        """Adds a document. No mention may be repeated on a side (see `repeated_mentions.py` for those)."""
        entity_of: dict[M, int] = {}
        for entity, cluster in enumerate(gold):
            entity_of.update(dict.fromkeys(cluster, entity))
        matched = [
            (entity_of[mention], entity)
            for entity, cluster in enumerate(system)
            for mention in cluster
            if mention in entity_of
        ]
        self.add_matched(list(map(len, gold)), list(map(len, system)), matched)

    def add_matched(
        self, gold_sizes: list[int], system_sizes: list[int], matched: list[tuple[int, int]]
    ) -> None:
        """Adds a document by the sizes of its entities and (gold entity, system entity) of each match."""
        first_gold, first_system = len(self._gold_sizes), len(self._system_sizes)
        self._gold_sizes += gold_sizes
        self._system_sizes += system_sizes
        for (ours, theirs), shared in Counter(matched).items():
            self._cells.append((ours + first_gold, theirs + first_system))
            self._shared.append(shared)
        gold_mentions, system_mentions = sum(gold_sizes), sum(system_sizes)
        for which, count in enumerate((gold_mentions, system_mentions, len(matched))):
            self._pairs[which] += pairs(count)
        self.mentions += gold_mentions + system_mentions

    def overlap(self) -> CountedOverlap:
        gold, system = side(self._gold_sizes), side(self._system_sizes)
        plain = CountedOverlap.of_cells(gold, system, self._cells, self._shared)
        found_in_gold, found_in_system = plain.by_gold(plain.shared), plain.by_system(plain.shared)
        gold_pairs, system_pairs, matched_pairs = self._pairs
        # Matched pairs that are apart on both sides: all of them, less those that are together on
        # one side or the other; those together on both sides were taken off twice.
        between = (
            matched_pairs
            - int(pairs(found_in_gold).sum())
            - int(pairs(found_in_system).sum())
            + int(plain.links.sum())
        )
        return replace(
            plain,
            gold=replace(gold, between=gold_pairs - int(gold.links.sum())),
            system=replace(system, between=system_pairs - int(system.links.sum())),
            matched=int(plain.shared.sum()),
            between=between,
        )
