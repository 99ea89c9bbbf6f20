"""BLANC's links when spans repeat: sets of unordered pairs of spans.

A span twice in one entity makes the coreference link with itself, a span in two entities makes the
non-coreference link with itself, and a pair of spans may be in both sets of its side. Pairs of spans
that occur once are counted by formula; only the links of repeated spans are looked at one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from corelax.metrics.counted import CountedOverlap, OverlapCounter

M = TypeVar("M", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Links:
    """Numbers of links inside and between entities: of gold, of the system, and of both. They add."""

    inside: tuple[int, int, int] = (0, 0, 0)
    between: tuple[int, int, int] = (0, 0, 0)

    def __add__(self, other: Links) -> Links:
        def add(a: tuple[int, int, int], b: tuple[int, int, int]) -> tuple[int, int, int]:
            return a[0] + b[0], a[1] + b[1], a[2] + b[2]

        return Links(add(self.inside, other.inside), add(self.between, other.between))

    def added_to(self, overlap: CountedOverlap) -> CountedOverlap:
        """An overlap with these links more; of use to BLANC, which adds up links, and to it alone."""
        gold, system = overlap.gold, overlap.system
        return replace(
            overlap,
            gold=replace(
                gold,
                links=np.append(gold.links, self.inside[0]),
                between=gold.between + self.between[0],
            ),
            system=replace(
                system,
                links=np.append(system.links, self.inside[1]),
                between=system.between + self.between[1],
            ),
            links=np.append(overlap.links, self.inside[2]),
            between=overlap.between + self.between[2],
        )


def repeated_links(*, gold: Sequence[Sequence[M]], system: Sequence[Sequence[M]]) -> Links:
    """The links of one document in which spans repeat.

    >>> repeated_links(gold=[["a", "b"], ["a"]], system=[["a", "b"]])  # gold: ab; aa, ab
    Links(inside=(1, 1, 1), between=(2, 0, 0))
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
    return Links((inside[0], inside[1], inside[2]), (between[0], between[1], between[2]))


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
        found = {m for entity in entities for m in self.spans[entity]} & self.left
        return found if span in self.doubled else found - {span}

    def never_apart(self, span: M) -> set[M]:
        """The spans, itself included, that occur nowhere but in this span's one entity."""
        where = self.entities.get(span, [])
        if len(where) != 1:
            return set()
        return {m for m in self.spans[where[0]] if len(self.entities[m]) == 1} & self.left
