"""From clusters to brackets: which mentions brackets can express, and in which order to write them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from corelax.document import Span
from corelax.document.clustering import Clustering


class Bracketed(NamedTuple):
    """A mention of an entity from the first to the last token, both included."""

    entity: str
    first: int
    last: int


@dataclass(slots=True)
class Events:
    """The brackets of one token: openings longest first, closings innermost first."""

    opening: list[Bracketed] = field(default_factory=list)
    single: list[Bracketed] = field(default_factory=list)
    closing: list[Bracketed] = field(default_factory=list)

    def conll(self) -> str:
        """As a CoNLL-2012 cell."""
        return "|".join(
            [f"({m.entity}" for m in self.opening]
            + [f"({m.entity})" for m in self.single]
            + [f"{m.entity})" for m in self.closing]
        )


def bracket_events(mentions: Iterable[Bracketed]) -> dict[int, Events]:
    """The brackets that each token carries.

    >>> events = bracket_events([Bracketed("0", 2, 4), Bracketed("1", 2, 2), Bracketed("2", 3, 4)])
    >>> [events[token].conll() for token in (2, 3, 4)]
    ['(0|(1)', '(2', '2)|0)']
    """
    events: defaultdict[int, Events] = defaultdict(Events)
    for mention in sorted(mentions, key=lambda m: (m.first, -m.last)):
        if mention.first == mention.last:
            events[mention.first].single.append(mention)
        else:
            events[mention.first].opening.append(mention)
            events[mention.last].closing.append(mention)
    for event in events.values():
        event.closing.reverse()
    return dict(events)


def entity_names(
    clusters: Clustering[Span], usable: Callable[[str], bool], prefix: str, lost: Counter[str]
) -> list[str]:
    """The labels of the entities, or numbers if a label cannot be written or is there twice."""
    labels = clusters.labels
    if len(set(labels)) == len(labels) and all(map(usable, labels)):
        return list(labels)
    lost["entity names (numbered instead)"] += 1
    return [f"{prefix}{number}" for number in range(len(labels))]


def nested(
    spans: Iterable[tuple[int, int]], lost: Counter[str], *, touching: bool = False
) -> list[tuple[int, int]]:
    """Drops mentions that cross another one of the same entity: brackets would pair up wrongly.

    Where closing brackets are read before opening ones, a mention may begin on the token on which
    another one ends (`touching`).
    """
    without_crossing: list[tuple[int, int]] = []
    open_ends: list[int] = []
    for first, last in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1] < first + touching:
            open_ends.pop()
        if open_ends and open_ends[-1] < last:
            lost["mentions that cross another of their entity (left out)"] += 1
            continue
        open_ends.append(last)
        without_crossing.append((first, last))
    return without_crossing
