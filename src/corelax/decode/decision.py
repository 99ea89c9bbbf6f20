"""What is decided about one mention."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from corelax.document import Span


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
