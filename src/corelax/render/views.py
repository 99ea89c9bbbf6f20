"""A resolved text as terminal and page see it: any object with these attributes can be shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from corelax.document import Document, Span

COLOURS = 9  # that tell entities apart; grey is for those of one mention
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class MentionView(Protocol):
    """The attributes of a mention that are shown."""

    @property
    def span(self) -> Span:
        """Its words."""

    @property
    def text(self) -> str:
        """Its characters."""

    @property
    def entity(self) -> int:
        """The position of its entity."""

    @property
    def antecedent(self) -> int | None:
        """The position of its antecedent among the mentions; None if it starts its entity."""

    @property
    def probability(self) -> float:
        """The probability that the span is a mention."""

    @property
    def link_probability(self) -> float:
        """The probability of the antecedent, or of starting a new entity."""

    @property
    def entity_probability(self) -> float:
        """The probability of belonging to the entity."""


class EntityView(Protocol):
    """The attributes of an entity that are shown."""

    @property
    def mentions(self) -> Sequence[MentionView]:
        """In the order of the text."""

    @property
    def representative(self) -> MentionView:
        """The mention to call it by."""

    @property
    def name(self) -> str:
        """What to call it."""

    @property
    def probability(self) -> float:
        """How sure its mentions are, on average."""


class ResolutionView(Protocol):
    """A text with its entities; `corelax.resolve.Resolution` is one."""

    @property
    def document(self) -> Document:
        """Its words, with their characters in `text` as the layer `offsets`."""

    @property
    def text(self) -> str:
        """All characters."""

    @property
    def mentions(self) -> Sequence[MentionView]:
        """All mentions, in the order of the text."""

    @property
    def entities(self) -> Sequence[EntityView]:
        """All entities."""

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON takes it, as `corelax.resolve.Resolution` does."""


def entity_colours(resolution: ResolutionView) -> list[int | None]:
    """A colour for each entity, different for neighbours; None for entities of one mention."""
    numbers = iter(range(len(resolution.entities)))
    return [
        next(numbers) % COLOURS if len(entity.mentions) > 1 else None
        for entity in resolution.entities
    ]


def mention_count(number: int) -> str:
    """A number of mentions in words.

    >>> mention_count(1), mention_count(1200)
    ('1 mention', '1,200 mentions')
    """
    return f"{number:,} mention{'' if number == 1 else 's'}"
