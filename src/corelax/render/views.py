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
    def span(self) -> Span: ...

    @property
    def text(self) -> str: ...

    @property
    def entity(self) -> int: ...


class EntityView(Protocol):
    """The attributes of an entity that are shown."""

    @property
    def mentions(self) -> Sequence[MentionView]: ...

    @property
    def name(self) -> str: ...

    @property
    def probability(self) -> float: ...


class ResolutionView(Protocol):
    """A text with its entities; `corelax.resolve.Resolution` is one.

    The document has the characters of its words in `text` as the layer `offsets`.
    """

    @property
    def document(self) -> Document: ...

    @property
    def text(self) -> str: ...

    @property
    def mentions(self) -> Sequence[MentionView]: ...

    @property
    def entities(self) -> Sequence[EntityView]: ...

    def as_dict(self) -> dict[str, Any]: ...


def entity_colours(resolution: ResolutionView) -> list[int | None]:
    """A colour for each entity, different for neighbours; None for entities of one mention."""
    numbers = iter(range(len(resolution.entities)))
    return [
        next(numbers) % COLOURS if len(entity.mentions) > 1 else None
        for entity in resolution.entities
    ]


def mention_count(number: int) -> str:
    """A number of mentions in words, such as "1,200 mentions"."""
    return f"{number:,} mention{'' if number == 1 else 's'}"
