"""What is decided about all mentions of a document, as arrays; objects are made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from corelax.decode.arrays import Floats, Ints
from corelax.decode.decision import Antecedent, Decision
from corelax.document import Span


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
        head: [mention] its head word.
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

    def complete(self) -> Decided:
        """The same with all probabilities computed: arrays alone, which can be sent elsewhere.

        >>> import numpy as np
        >>> a, one, likely = np.array([0]), np.array([1.0]), (np.zeros((1, 0, 2), int), np.zeros((1, 0)))
        >>> Decided(a, a + 1, a, a - 1, one, one, lambda: one / 2, a, *likely).complete().entity_probability
        array([0.5])
        """
        if callable(self.entity_probability):
            return self._replace(entity_probability=self.entity_probability())
        return self

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
                head=head,
                antecedents=tuple(
                    Antecedent(None if first < 0 else Span(first, last), chance)
                    for (first, last), chance in zip(likely, chances, strict=True)
                    if chance >= 0
                ),
            )
            for (start, end, entity, antecedent, *probabilities, head, likely, chances) in rows
            for probability, of_link, of_entity in [probabilities]
        ]
