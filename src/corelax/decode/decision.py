"""What is decided about one mention."""

from __future__ import annotations

from typing import NamedTuple

from corelax.document import Span


class Decision(NamedTuple):
    """What a resolver decides about one mention.

    Attributes:
        span: Its words.
        entity: A number that all mentions of its entity share.
        antecedent: The position of another decision in the same list; None if it starts its entity.
        probability: That the span is a mention.
        link_probability: Of that antecedent, or of starting a new entity.
        entity_probability: That the mention belongs to the entity that its first mention starts.
    """

    span: Span
    entity: int
    antecedent: int | None
    probability: float
    link_probability: float
    entity_probability: float
