"""The order of entities, which decides in which one a mention of two entities is found: the last."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from corelax.metrics.matching.nodes import Entity


class _Place(NamedTuple):
    """By what entities are ordered."""

    document: int
    start: int
    minus_size: int
    end: int
    label: str


class EntityOrder:
    """Orders the entities of one side, document after document.

    Entities stand by their first mention: by its start, the longer first, the earlier end first; then by
    their label. An entity that an earlier document has too stands where its first mention was there, unless
    labels belong to a document.
    """

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}
        self._documents = 0

    def ordered(self, entities: Iterable[Entity], *, local_labels: bool) -> list[Entity]:
        """The entities of the next document in their order."""
        self._documents += 1
        places = {e.label: _Place(self._documents, *_first_place(e), e.label) for e in entities}
        if not local_labels:
            for label, place in places.items():
                places[label] = self._places.setdefault(label, place)
        return sorted(entities, key=lambda entity: places[entity.label])


def _first_place(entity: Entity) -> tuple[int, int, int]:
    return min((m.start, -m.size, m.end) for m in entity.mentions)
