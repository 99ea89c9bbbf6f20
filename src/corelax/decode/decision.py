"""What is decided about one mention."""

from __future__ import annotations

from dataclasses import dataclass

from corelax.document import Span


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
    """

    span: Span
    entity: int
    antecedent: int | None
    probability: float
    link_probability: float
    entity_probability: float
