"""One number for the same entity in all versions of a document, so that colours can be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from corelax.document import Span
from corelax.document.clustering import Clustering


def entity_numbers(gold: Clustering[Span], systems: Sequence[Clustering[Span]]) -> list[list[int]]:
    """The numbers of the entities of gold and of each system.

    Gold entities are numbered first. A system's entity gets the number of the gold entity with which it
    shares most mentions; a gold entity goes to one entity of a system, the best match first. What is left
    over is matched in the same way with what earlier systems had left over, or gets a number of its own.
    Of equal matches, the one that comes first in the text counts.

    >>> a, b, c, d, e = (Span(i, i + 1) for i in range(5))
    >>> gold = Clustering([[a, b], [c, d]])
    >>> entity_numbers(gold, [Clustering([[c], [a, b, d]]), Clustering([[e], [d, c]])])
    [[0, 1], [1, 0], [2, 1]]
    """
    known = [set(cluster) for cluster in gold]
    numbers = [list(range(len(gold)))]
    for system in systems:
        given = _matches(known, system, size=len(gold))
        for entity, cluster in enumerate(system):
            if entity not in given:
                given[entity] = len(known)
                known.append(set(cluster))
        numbers.append([given[entity] for entity in range(len(system))])
    return numbers


def _matches(known: Sequence[set[Span]], system: Clustering[Span], size: int) -> dict[int, int]:
    """Entity of the system → number of a known one; the first `size` of these are gold."""
    having: dict[Span, list[int]] = {}
    for number, mentions in enumerate(known):
        for mention in mentions:
            having.setdefault(mention, []).append(number)
    shared = Counter(
        (number, entity)
        for entity, cluster in enumerate(system)
        for mention in set(cluster)
        for number in having.get(mention, ())
    )

    def rank(pair: tuple[int, int]) -> tuple[bool, int, Span, Span]:
        number, entity = pair
        return number >= size, -shared[pair], min(known[number]), min(system[entity])

    given: dict[int, int] = {}
    taken: set[int] = set()
    for number, entity in sorted(shared, key=rank):
        if number not in taken and entity not in given:
            given[entity] = number
            taken.add(number)
    return given
