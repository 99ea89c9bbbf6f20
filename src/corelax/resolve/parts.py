"""Mentions and entities with their characters, made of decisions about a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain

import numpy as np

from corelax.core.errors import CorelaxError
from corelax.core.printable import shortened
from corelax.decode import Antecedent, Decided, Decision
from corelax.document import Document, Span
from corelax.english.representative import representative, short_end

SHOWN = 50  # characters of a text in its repr


@dataclass(frozen=True, slots=True, repr=False)
class ResolvedMention(Decision):
    """A mention in its text: what was decided, and its characters.

    Its `entity` is a position in `Resolution.entities`, its `antecedent` one in `Resolution.mentions`.

    Attributes:
        start: Its first character.
        end: One past its last character.
        text: The characters.
    """

    start: int
    end: int
    text: str

    def __repr__(self) -> str:
        place = f"[{self.start}:{self.end}], entity {self.entity}, {self.entity_probability:.2f}"
        return f"<mention {shortened(self.text, SHOWN)!r} {place}>"


@dataclass(frozen=True, slots=True, repr=False)
class ResolvedEntity:
    """The mentions of one thing in the order of the text, and what to call it.

    Attributes:
        mentions: All of them.
        representative: The one that it is called by.
        name: The text of that one without relative clause, apposition and possessive ending.
    """

    mentions: tuple[ResolvedMention, ...]
    representative: ResolvedMention
    name: str

    @property
    def probability(self) -> float:
        """The mean `entity_probability` of its mentions."""
        return sum(m.entity_probability for m in self.mentions) / len(self.mentions)

    def __repr__(self) -> str:
        return f"<entity {shortened(self.name, SHOWN)!r}, {counted(len(self.mentions), 'mention')}>"


def mentions_of(
    decisions: Iterable[Decision], document: Document, text: str
) -> tuple[ResolvedMention, ...]:
    """Mentions in the order of the text, outer ones first, and entities in the order of their first mentions.

    Args:
        decisions: One for each mention, in any order.
        document: The words, with the layer `offsets`.
        text: What these count in.
    """
    offsets = document.layer("offsets")
    listed = list(decisions)
    order = sorted(range(len(listed)), key=lambda i: (listed[i].span.start, -listed[i].span.end, i))
    position = {old: new for new, old in enumerate(order)}
    number: dict[int, int] = {}  # of entities, by their first mentions
    mentions = []
    for old in order:
        decision = listed[old]
        start, end = _characters(decision.span, offsets, len(text))
        mentions.append(
            ResolvedMention(
                span=decision.span,
                entity=number.setdefault(decision.entity, len(number)),
                antecedent=None if decision.antecedent is None else position[decision.antecedent],
                probability=_clipped(decision.probability),
                link_probability=_clipped(decision.link_probability),
                entity_probability=_clipped(decision.entity_probability),
                antecedents=tuple(
                    Antecedent(span, _clipped(p)) for span, p in decision.antecedents
                ),
                head=decision.head,
                start=start,
                end=end,
                text=text[start:end],
            )
        )
    return tuple(mentions)


def entities_of(
    mentions: Iterable[ResolvedMention], document: Document, text: str
) -> tuple[ResolvedEntity, ...]:
    """The entities of mentions that `mentions_of` has made."""
    groups: dict[int, list[ResolvedMention]] = {}
    for mention in mentions:
        groups.setdefault(mention.entity, []).append(mention)
    words, offsets = document.words, document.layer("offsets")
    lower = frozenset(word for word in words if word.islower())
    entities = []
    for group in groups.values():
        of_mentions = [words[m.span.start : m.span.end] for m in group]
        number = representative(of_mentions, lower)
        first = group[number].span.start
        called = Span(first, first + short_end(of_mentions[number]))
        name = text[slice(*_characters(called, offsets, len(text)))]
        entities.append(ResolvedEntity(tuple(group), group[number], name))
    return tuple(entities)


def clusters_of(
    offsets: Sequence[tuple[int, int]], decided: Decided
) -> list[list[tuple[int, int]]]:
    """The mentions of each entity as (start, end) in characters, in the order of `mentions_of`."""
    order = np.lexsort((-decided.end, decided.start))
    columns = (decided.start[order], decided.end[order], decided.entity[order])
    clusters: dict[int, list[tuple[int, int]]] = {}
    for start, end, entity in zip(*(column.tolist() for column in columns), strict=True):
        clusters.setdefault(entity, []).append((offsets[start][0], offsets[end - 1][1]))
    return list(clusters.values())


def without_alone(
    decisions: Sequence[Decision], stay: Collection[Span] = frozenset()
) -> list[Decision]:
    """The decisions about mentions that are not alone, or that `stay`, with the new positions of antecedents.

    >>> left = without_alone([Decision(Span(i, i + 1), i % 2, None, 1, 1, 1) for i in range(3)])
    >>> [decision.span.start for decision in left]
    [0, 2]
    """
    sizes = Counter(decision.entity for decision in decisions)
    chosen = [at for at, d in enumerate(decisions) if sizes[d.entity] > 1 or d.span in stay]
    position = {old: new for new, old in enumerate(chosen)}
    return [
        decisions[at]
        if (antecedent := decisions[at].antecedent) is None
        else replace(decisions[at], antecedent=position[antecedent])
        for at in chosen
    ]


def heads_of(document: Document, mentions: Iterable[Decision]) -> dict[Span, int]:
    """The heads of mentions as the ranker sees them; none where the document has trees, which know better."""
    if "head" in document.layers:
        return {}
    return {mention.span: mention.head for mention in mentions if mention.head is not None}


def _clipped(probability: float) -> float:
    """A probability that was summed may be 1.0000001."""
    return min(max(float(probability), 0.0), 1.0)


def with_characters(document: Document, text: str | None = None) -> tuple[Document, str]:
    """A document with the layer `offsets`, and what it counts in; arguments as for `resolution_of`."""
    text = document.raw_text if text is None else text
    if text is not None:
        _check_offsets(document, text)
        return document, text
    ends = accumulate(len(word) + 1 for word in document.words)
    offsets = tuple(
        (end - 1 - len(word), end - 1) for end, word in zip(ends, document.words, strict=True)
    )
    layers = {**document.layers, "offsets": offsets}
    return replace(document, layers=layers), " ".join(document.words)


def _check_offsets(document: Document, text: str) -> None:
    """The layer `offsets` has to go through the text from left to right."""
    offsets = document.layers.get("offsets")
    if offsets is None or None in offsets:
        raise CorelaxError(
            f"document {document.key}: a text needs the layer offsets; leave out the text"
        )
    edges = [0, *chain.from_iterable(offsets), len(text)]
    if edges != sorted(edges):
        raise CorelaxError(f"document {document.key}: its offsets do not fit the text")


def check_decisions(decisions: Sequence[Decision], size: int) -> None:
    """Decisions that contradict each other or the document are an error."""
    seen = set()
    for decision in decisions:
        span, antecedent = decision.span, decision.antecedent
        place = span.bounds
        if not 0 <= span.start <= span.end <= size:
            raise CorelaxError(f"mention {place} is outside the {size} words")
        if span in seen:
            raise CorelaxError(f"mention {place} is decided twice")
        seen.add(span)
        if antecedent is None:
            continue
        if not 0 <= antecedent < len(decisions):
            raise CorelaxError(f"mention {place}: there is no decision {antecedent} to link to")
        if decisions[antecedent].entity != decision.entity or decisions[antecedent].span == span:
            raise CorelaxError(
                f"mention {place}: its antecedent must be another of the same entity"
            )


def _characters(span: Span, offsets: Sequence[tuple[int, int]], size: int) -> tuple[int, int]:
    """The first character of a mention and one past its last. One of no word is before its next word."""
    if span.start == span.end:
        place = offsets[span.start][0] if span.start < len(offsets) else size
        return place, place
    return offsets[span.start][0], offsets[span.end - 1][1]


def counted(number: int, word: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "mention"), counted(2, "entity", "entities")
    ('1 mention', '2 entities')
    """
    return f"{number} {word if number == 1 else plural or word + 's'}"
