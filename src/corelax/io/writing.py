"""What writers of several formats share: brackets in order, and what a format cannot hold of a document."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from corelax.document import Clustering, Document, Span

_NAMES = {
    "conllu.comments": "CoNLL-U comments",
    "conllu.global_entity": "names of the entity fields",
    "conllu.mentions": "entity types and other fields of mentions",
    "conllu.multiword": "multiword tokens",
    "jsonlines.fields": "other JSON fields",
    "split_antecedents": "split antecedents",
    "ua.columns": "names of columns",
    "ua.mentions": "attributes of markables",
    "ua.pseudo": "markables that do not refer",
}


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


def lost_data(
    doc: Document,
    *,
    layers: Collection[str] | None = None,
    extra: str | tuple[str, ...] = "-",
    nodes: bool = False,
) -> Counter[str]:
    """Layers beyond those named (None: any can be held), extras that do not begin with `extra`, and unless
    `nodes` are held empty ones and the heads of mentions."""
    lost: Counter[str] = Counter()
    if not nodes:
        lost.update({"empty nodes": bool(doc.empty_nodes), "heads": bool(doc.mention_heads)})
    if layers is not None:
        lost.update(f"layer {name}" for name in doc.layers if name not in layers)
    lost.update(_NAMES.get(name, name) for name in doc.extra if not name.startswith(extra))
    return +lost


def lost_sentences(doc: Document) -> Counter[str]:
    """Sentences without words, which formats with a row for each word do not have."""
    return +Counter({"empty sentences": sum(start == end for start, end in doc.sentence_bounds)})


def lost_mentions(doc: Document) -> Counter[str]:
    """Mentions that are not one stretch of tokens."""
    lost: Counter[str] = Counter()
    for cluster in doc.clusters:
        stretches = {(mention.start, mention.end) for mention in cluster}
        lost["mentions that fall together with another of their entity"] += len(cluster) - len(
            stretches
        )
    for mention in doc.clusters.mentions:
        lost["discontinuous mentions (written as one stretch)"] += bool(mention.parts)
        if mention.start == mention.end:
            lost["mentions of no token (left out)"] += 1
        else:
            lost["empty nodes at the edges of mentions"] += bool(mention.empty)
    return +lost
