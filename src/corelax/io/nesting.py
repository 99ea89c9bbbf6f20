"""From clusters to brackets: which mentions brackets can express, and in which order to write them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from corelax.clustering import Clustering
from corelax.document import Span


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
            events[mention.last].closing.insert(0, mention)
    return dict(events)


def bracketed(clusters: Clustering[Span]) -> tuple[list[Bracketed], Counter[str]]:
    """The mentions that a column of brackets can hold, each as one stretch, and a count of the rest."""
    kept: list[Bracketed] = []
    lost: Counter[str] = Counter()
    for label, cluster in zip(clusters.labels, clusters, strict=True):
        spans = {(span.start, span.end - 1) for span in cluster if span.end > span.start}
        kept += [Bracketed(label, first, last) for first, last in nested(spans, lost)]
    return kept, lost


def nested(
    spans: Iterable[tuple[int, int]], lost: Counter[str], *, touching: bool = False
) -> list[tuple[int, int]]:
    """Drops mentions that cross another one of the same entity: brackets would pair up wrongly.

    Where closing brackets are read before opening ones, a mention may begin on the token on which
    another one ends (`touching`).
    """
    kept: list[tuple[int, int]] = []
    open_ends: list[int] = []
    for first, last in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1] < first + touching:
            open_ends.pop()
        if open_ends and open_ends[-1] < last:
            lost["mentions that cross another of their entity (left out)"] += 1
            continue
        open_ends.append(last)
        kept.append((first, last))
    return kept
