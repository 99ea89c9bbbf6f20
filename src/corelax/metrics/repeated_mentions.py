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

from corelax.metrics.counted import CountedOverlap, OverlapCounter, side
from corelax.metrics.metric import AnyCounts, Metric, Repeats

M = TypeVar("M", bound=Hashable)
Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceOverlap(CountedOverlap):
    """Sums a CEAF alignment as the reference scorer does: in key order, each pair as 1 − (1 − φ)."""

    def best_alignment(self, similarity: Array) -> float:
        from corelax.metrics.alignment import best_pairing

        chosen = best_pairing(self.cell_gold, self.cell_system, similarity)
        return self.total(1 - (1 - similarity[chosen]))


class RepeatedMentions(Generic[M]):
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
        gold = side([len(cluster) for cluster in self._gold])
        system = side([len(cluster) for cluster in self._system])
        return ReferenceOverlap.of_cells(gold, system, cells, shared_by_cell)


def link_overlap(*, gold: Sequence[Sequence[M]], system: Sequence[Sequence[M]]) -> CountedOverlap:
    """BLANC's links as sets of unordered pairs of spans; nothing else in the overlap counts.

    A span twice in one entity makes the coreference link with itself, a span in two entities makes the
    non-coreference link with itself, and a pair of spans may be in both sets of its side. Pairs of spans that
    occur once are counted by formula; only the links of repeated spans are looked at one by one.

    >>> overlap = link_overlap(gold=[["a", "b"], ["a"]], system=[["a", "b"]])
    >>> overlap.gold.links.tolist(), overlap.gold.between  # {a, b}; {a, a} and {a, b}
    ([1], 2)
    """
    sides = _Spans(gold), _Spans(system)
    repeated = sides[0].repeated | sides[1].repeated
    counter = OverlapCounter()
    counter.add(
        gold=[[m for m in cluster if m not in repeated] for cluster in gold],
        system=[[m for m in cluster if m not in repeated] for cluster in system],
    )
    plain = counter.overlap()
    inside = [int(links.sum()) for links in (plain.gold.links, plain.system.links, plain.links)]
    between = [plain.gold.between, plain.system.between, plain.between]

    common = sides[0].left & sides[1].left  # spans of both sides, links still to be counted
    for span in repeated:
        together = [of_side.together(span) for of_side in sides]
        never_apart = [of_side.never_apart(span) for of_side in sides]
        for which, of_side in enumerate(sides):
            if span in of_side.left:
                inside[which] += len(together[which])
                between[which] += len(of_side.left) - len(never_apart[which])
        if span in common:
            inside[2] += len(together[0] & together[1])
            between[2] += len(common) - len((never_apart[0] | never_apart[1]) & common)
        for left in (common, sides[0].left, sides[1].left):
            left.discard(span)
    return replace(
        plain,
        gold=replace(plain.gold, links=np.array(inside[:1]), between=between[0]),
        system=replace(plain.system, links=np.array(inside[1:2]), between=between[1]),
        links=np.array(inside[2:]),
        between=between[2],
    )


class _Spans(Generic[M]):
    """The spans of one side; `left` are those whose links are still to be counted."""

    def __init__(self, clusters: Sequence[Sequence[M]]) -> None:
        self.spans = [set(cluster) for cluster in clusters]
        self.entities: dict[M, list[int]] = {}
        for entity, spans in enumerate(self.spans):
            for span in spans:
                self.entities.setdefault(span, []).append(entity)
        self.doubled = {m for c in clusters for m, count in Counter(c).items() if count > 1}
        self.repeated = self.doubled | {m for m, where in self.entities.items() if len(where) > 1}
        self.left = set(self.entities)

    def together(self, span: M) -> set[M]:
        """The spans that share an entity with this one, itself only if it is there twice."""
        entities = self.entities.get(span, ())
        company = {m for entity in entities for m in self.spans[entity]} & self.left
        return company if span in self.doubled else company - {span}

    def never_apart(self, span: M) -> set[M]:
        """The spans, itself included, that occur nowhere but in this span's one entity."""
        where = self.entities.get(span, [])
        if len(where) != 1:
            return set()
        return {m for m in self.spans[where[0]] if len(self.entities[m]) == 1} & self.left
