"""BLANC's links when spans repeat: sets of unordered pairs of spans.

A span twice in one entity makes the coreference link with itself, a span in two entities makes the
non-coreference link with itself, and a pair of spans may be in both sets of its side. Pairs of spans
that occur once are counted by formula; only the links of repeated spans are looked at one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np

from corelax.metrics.counted import CountedOverlap, OverlapCounter

M = TypeVar("M", bound=Hashable)


def link_overlap(*, gold: Sequence[Sequence[M]], system: Sequence[Sequence[M]]) -> CountedOverlap:
    """An overlap whose links and pairs between entities are BLANC's; nothing else in it counts.

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
        together = [side.together(span) for side in sides]
        never_apart = [side.never_apart(span) for side in sides]
        for which, side in enumerate(sides):
            if span in side.left:
                inside[which] += len(together[which])
                between[which] += len(side.left) - len(never_apart[which])
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
