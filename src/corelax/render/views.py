"""A resolved text as terminal and page see it: any object with these attributes can be shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from corelax.document import Document, Span


class MentionView(Protocol):
    @property
    def span(self) -> Span: ...

    @property
    def text(self) -> str: ...

    @property
    def entity(self) -> int: ...


class EntityView(Protocol):
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


def mention_count(number: int) -> str:
    """A number of mentions in words, such as "1,200 mentions"."""
    return f"{number:,} mention{'' if number == 1 else 's'}"
