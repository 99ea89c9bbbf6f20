"""What is decided about the mentions of a document: as arrays, and as an object for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from corelax.decode.arrays import Floats, Ints
from corelax.document import Clustering, Span


class Antecedent(NamedTuple):
    """A possible antecedent of a mention.

    Attributes:
        span: Its words; None is a new entity. It need not be a mention that is written.
        probability: Of this link.
    """

    span: Span | None
    probability: float


@dataclass(frozen=True, slots=True)
class Decision:
    """What a resolver decides about one mention.

    Attributes:
        span: Its words, half-open.
        entity: A number that all mentions of its entity share.
        antecedent: The position of its antecedent in the same list; None if it starts its entity.
        probability: That the span is a mention.
        link_probability: Of that antecedent, or of starting a new entity.
        entity_probability: That the mention belongs to the entity that its first mention starts.
        antecedents: The most likely antecedents, best first; empty if they are not known.
        head: Its head word, if a ranker has an opinion.
    """

    span: Span
    entity: int
    antecedent: int | None
    probability: float
    link_probability: float
    entity_probability: float
    antecedents: tuple[Antecedent, ...] = field(default=(), kw_only=True)
    head: int | None = field(default=None, kw_only=True)


class Decided(NamedTuple):
    """The mentions of a document in the order of the text, by their first words.

    Attributes:
        start: [mention] the first word.
        end: [mention] one past the last word.
        entity: [mention] a number that all mentions of its entity share.
        antecedent: [mention] the position of its antecedent; −1 if it starts its entity.
        probability: [mention] that the span is a mention.
        link_probability: [mention] of that antecedent, or of starting a new entity.
        entity_probability: [mention] that it belongs to its entity; or what computes it when it is asked for,
            as it costs as much as all the rest.
        head: [mention] its head word; −1 if the ranker has no opinion.
        likely: [mention, place, 2] the words of the most likely antecedents, best first; −1 for a new entity.
        likely_probability: [mention, place] their probabilities; −1 where there are no more.
    """

    start: Ints
    end: Ints
    entity: Ints
    antecedent: Ints
    probability: Floats
    link_probability: Floats
    entity_probability: Floats | Callable[[], Floats]
    head: Ints
    likely: Ints
    likely_probability: Floats

    def __reduce__(self) -> tuple[Any, ...]:
        return Decided, tuple(self.complete())  # scores stay where they are

    def complete(self) -> Decided:
        """The same with all probabilities computed."""
        if callable(self.entity_probability):
            return self._replace(entity_probability=self.entity_probability())
        return self

    def clustering(self) -> Clustering[Span]:
        """The entities alone."""
        members: dict[int, list[Span]] = {}
        columns = (self.start.tolist(), self.end.tolist(), self.entity.tolist())
        for start, end, entity in zip(*columns, strict=True):
            members.setdefault(entity, []).append(Span(start, end))
        return Clustering(members.values())

    def decisions(self) -> list[Decision]:
        """A decision for each mention.

        >>> import numpy as np
        >>> nothing, no = np.zeros((1, 0, 2), int), np.zeros((1, 0))
        >>> a, one = np.array([0]), np.array([1.0])
        >>> Decided(a, a + 2, a, a - 1, one, one, one, a, nothing, no).decisions()[0].span
        Span(0, 2)
        """
        columns: tuple[Any, ...] = self.complete()
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [
            Decision(
                span=Span(start, end),
                entity=entity,
                antecedent=None if antecedent < 0 else antecedent,
                probability=probability,
                link_probability=of_link,
                entity_probability=of_entity,
                head=None if head < 0 else head,
                antecedents=tuple(
                    Antecedent(None if first < 0 else Span(first, last), chance)
                    for (first, last), chance in zip(likely, chances, strict=True)
                    if chance >= 0
                ),
            )
            for (start, end, entity, antecedent, *probabilities, head, likely, chances) in rows
            for probability, of_link, of_entity in [probabilities]
        ]
