"""Nodes and spans: mentions are spans of tokens, a few of them of *empty nodes* as well.

Empty nodes of CorefUD stand for what is not said (zero pronouns); they are no tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

_PARENT = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?")


class EmptyId(NamedTuple):
    """The name of an empty node: `8.1` is the first one after word 8 of its sentence (from 0).

    >>> str(EmptyId(sentence=0, word=8, number=1))
    '8.1'
    """

    sentence: int
    word: int
    number: int

    def __str__(self) -> str:
        return f"{self.word}.{self.number}"


Node = int | EmptyId  # a token by its number in the document, or an empty node


class EmptyNode(NamedTuple):
    """A node that is no token.

    Attributes:
        id: Its place.
        columns: The columns of CoNLL-U after the ID.

    >>> columns = ("she", "she", "PRON", "_", "_", "_", "_", "4:nsubj|6.1:nsubj", "_")
    >>> EmptyNode(EmptyId(0, 3, 1), columns).deps
    ((4, 0, 'nsubj'), (6, 1, 'nsubj'))
    """

    id: EmptyId
    columns: tuple[str, ...]

    @property
    def deps(self) -> tuple[tuple[int, int, str], ...]:
        """Its parents as DEPS has them: word and number (0 for a word) of the parent, relation."""
        parents = []
        for item in self.columns[7].split("|"):
            parent, colon, relation = item.partition(":")
            if colon and (match := _PARENT.fullmatch(parent)):
                parents.append((int(match[1]), int(match[2] or 0), relation))
        return tuple(parents)


class _Bounds(NamedTuple):
    start: int
    end: int


class Span(_Bounds):
    """Tokens `start` up to but not including `end`: a mention. It compares and unpacks as these two numbers.

    Two rare kinds of mention carry more. A discontinuous one lists its stretches in `parts`; `start`
    and `end` are then its outer edges. One that begins or ends on empty nodes (zero pronouns in
    CorefUD, which are no tokens) lists those nodes in `empty`, each by its sentence and id; a zero
    pronoun alone has `start == end`. Neither equals the plain span from `start` to `end`.

    >>> span = Span(3, 5)
    >>> start, end = span
    >>> span, span == (3, 5), end - start
    (Span(3, 5), True, 2)
    >>> with_gap = Span(3, 9, parts=((3, 5), (8, 9)))
    >>> with_gap.is_continuous, with_gap == (3, 9), with_gap.bounds == (3, 9)
    (False, False, True)
    >>> Span(4, 4, empty=(EmptyId(0, 4, 1),))
    Span(4, 4, empty=(EmptyId(sentence=0, word=4, number=1),))
    """

    __slots__ = ()

    parts: tuple[tuple[int, int], ...] = ()
    empty: tuple[EmptyId, ...] = ()

    def __new__(
        cls,
        start: int,
        end: int,
        parts: Iterable[tuple[int, int]] = (),
        empty: Iterable[EmptyId] = (),
    ) -> Span:
        """A plain span is two numbers and nothing else; the rare ones are of a class of their own."""
        if parts or empty:
            return _SpanWithMore._of(start, end, tuple(parts), tuple(empty))
        return tuple.__new__(Span, (start, end))

    def _replace(self, **changes: Any) -> Span:
        """The span with other values; those of a named tuple would lose gaps and empty nodes."""
        now = {"start": self.start, "end": self.end, "parts": self.parts, "empty": self.empty}
        return Span(**{**now, **changes})

    @property
    def is_continuous(self) -> bool:
        """Whether the mention is exactly its tokens from `start` to `end`, as most formats need."""
        return not self.parts and not self.empty

    @property
    def bounds(self) -> tuple[int, int]:
        """`start` and `end` alone, also of a mention with gaps or empty nodes."""
        return self[0], self[1]

    def __repr__(self) -> str:
        more = "".join(f", {k}={v}" for k, v in (("parts", self.parts), ("empty", self.empty)) if v)
        return f"Span({self.start}, {self.end}{more})"


class _SpanWithMore(Span):
    """A span with gaps or empty nodes. These count when it is compared, after start and end."""

    @classmethod
    def _of(
        cls, start: int, end: int, parts: tuple[tuple[int, int], ...], empty: tuple[EmptyId, ...]
    ) -> _SpanWithMore:
        span = tuple.__new__(cls, (start, end))
        span.__dict__.update(parts=parts, empty=empty)
        return span

    def __reduce__(self) -> tuple[Any, ...]:
        return Span, (self.start, self.end, self.parts, self.empty)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"can't set attribute {name!r}")

    def __hash__(self) -> int:
        return hash(_all_of(self))

    # Python asks the subclass first, so that these also decide `plain == with_more` and `plain < with_more`.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple) and _all_of(self) == _all_of(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: tuple[Any, ...]) -> bool:
        return _all_of(self) < _all_of(other)

    def __le__(self, other: tuple[Any, ...]) -> bool:
        return _all_of(self) <= _all_of(other)

    def __gt__(self, other: tuple[Any, ...]) -> bool:
        return _all_of(self) > _all_of(other)

    def __ge__(self, other: tuple[Any, ...]) -> bool:
        return _all_of(self) >= _all_of(other)


def _all_of(span: tuple[Any, ...]) -> tuple[Any, ...]:
    """What spans are compared by; any other tuple is taken as a span without more."""
    more = (span.parts, span.empty) if isinstance(span, Span) else ((), ())
    return (*span, *more)
