"""The CorefUD scorer's own ways: the order of entities, MOR, and the score of zeros."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from corelax.document import Document
from corelax.document.gold import GLOBAL_ENTITY
from corelax.metrics.alignment import best_pairing
from corelax.metrics.counts import Counts
from corelax.metrics.matching import check_pairs
from corelax.metrics.mention import Mention
from corelax.metrics.nodes import Entity

NamedMentions = Sequence[tuple[Hashable, Mention]]


class EntityOrder:
    """Orders the entities of one side, document after document: of a mention in two the last one counts.

    Entities stand by their first mention: by its start, the longer first, the earlier end first; then by
    their label. An entity that an earlier document has too stands where its first mention was there, unless
    labels belong to a document.
    """

    def __init__(self) -> None:
        self._places: dict[str, tuple[object, ...]] = {}
        self._documents = 0

    def ordered(self, entities: Iterable[Entity], doc: Document) -> list[Entity]:
        self._documents += 1
        places: dict[str, tuple[object, ...]] = {}
        for entity in entities:
            first = min((m.start, -m.size, m.end) for m in entity.mentions)
            places[entity.label] = (self._documents, *first, entity.label)
        if "eid" in str(doc.extra.get(GLOBAL_ENTITY, "")).split(
            "-"
        ):  # labels are those of a corpus
            for label, place in places.items():
                places[label] = self._places.setdefault(label, place)
        return sorted(entities, key=lambda entity: places[entity.label])


def mention_overlap(gold: Sequence[Mention], system: Sequence[Mention]) -> Counts:
    """Mentions are paired one to one so that they share as many nodes as possible.

        recall = shared nodes / nodes of gold mentions    precision = shared nodes / nodes of system mentions

    A mention of two entities is there twice. Heads play no part.

    >>> gold = [Mention(((0, 3),)), Mention(((5, 6),))]
    >>> mention_overlap(gold, [Mention(((1, 3),)), Mention(((2, 6),))]).scores()
    Score(recall=0.75, precision=0.5, f1=0.6)
    """
    cells: list[tuple[int, int, int]] = []
    for cell in _overlapping(gold, system):
        cells.append(cell)
        check_pairs(len(cells))
    shared = 0
    if cells:
        rows, columns, weights = map(np.array, zip(*cells, strict=True))
        shared = int(weights[best_pairing(rows, columns, weights)].sum())
    sizes = (sum(mention.size for mention in side) for side in (gold, system))
    gold_size, system_size = sizes
    return Counts(shared, gold_size, shared, system_size)


def _overlapping(
    gold: Sequence[Mention], system: Sequence[Mention]
) -> Iterator[tuple[int, int, int]]:
    """(gold mention, system mention, nodes in common) of all that overlap, from left to right."""
    sides = (gold, system)
    starts = [(m.start, side, i) for side in (0, 1) for i, m in enumerate(sides[side])]
    around: tuple[list[int], list[int]] = ([], [])  # mentions that began before and may go on
    for start, side, i in sorted(starts):
        other = 1 - side
        around[other][:] = [j for j in around[other] if sides[other][j].end > start]
        around[side].append(i)
        mention = sides[side][i]
        for j in around[other]:
            if shared := mention.common(sides[other][j]):
                yield (i, j, shared) if side == 0 else (j, i, shared)


def zero_anaphors(
    gold: Sequence[NamedMentions],
    system: Sequence[NamedMentions],
    images: Mapping[Hashable, Hashable],
) -> Counts:
    """A zero that is not the first mention of its entity is right if it is linked to an earlier one.

        recall = correct / zero anaphors of gold        precision = correct / (those found + spurious ones)

    The counterpart of a gold mention is the identical system mention, or else the one that it was matched
    with. A zero without counterpart, or with one that begins an entity of the system, is missed. It is
    correct if the counterpart of an earlier mention of its entity is in the entity of its own counterpart.
    """
    gold, system = [_sorted(c) for c in gold], [_sorted(c) for c in system]
    entity_of = {name: entity for entity, cluster in enumerate(system) for name, _ in cluster}
    beginnings = {cluster[0][0] for cluster in system}
    covered: set[Hashable] = set()
    correct = anaphors = missed = 0
    for cluster in gold:
        earlier: set[int] = set()
        for place, (name, mention) in enumerate(cluster):
            counterpart = name if name in entity_of else images.get(name)
            entity = entity_of.get(counterpart)
            if mention.is_zero and place:
                anaphors += 1
                covered.add(counterpart)
                if counterpart is None or counterpart in beginnings:
                    missed += 1
                elif entity in earlier:
                    correct += 1
            if entity is not None:
                earlier.add(entity)
    spurious = sum(
        mention.is_zero and name not in beginnings and name not in covered
        for cluster in system
        for name, mention in cluster
    )
    return Counts(correct, anaphors, correct, anaphors - missed + spurious)


def _sorted(cluster: NamedMentions) -> NamedMentions:
    return sorted(cluster, key=lambda named: named[1].place)
