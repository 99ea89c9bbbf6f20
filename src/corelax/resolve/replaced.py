"""A text with parts replaced, and where each of its characters comes from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from corelax.core.errors import CorelaxError


class Edit(NamedTuple):
    """Characters `start` to `end` (exclusive) become `text`; `mention` is the number of their mention."""

    start: int
    end: int
    text: str
    mention: int | None = None


@dataclass(frozen=True, slots=True)
class Replacement:
    """Characters that were replaced, half-open in both texts.

    Attributes:
        start: In the original text.
        end: In the original text, one past the last.
        new_start: In the resolved text.
        new_end: In the resolved text, one past the last.
        mention: The position of the mention in `Resolution.mentions`; None for a verb that was adapted.
    """

    start: int
    end: int
    new_start: int
    new_end: int
    mention: int | None


class ResolvedText(str):
    """A text whose mentions were replaced: a `str` that knows where its parts come from.

    Attributes:
        original: The text before.
        replacements: What was replaced, in order.

    >>> text = ResolvedText.edited("Ann fed her dog.", [Edit(8, 11, "Ann's", 1)])
    >>> print(text)
    Ann fed Ann's dog.
    >>> text.to_new(12, 15), text.to_original(14, 17)
    ((14, 17), (12, 15))
    >>> text.to_new(9, 10)  # a part of what was replaced is all of it
    (8, 13)
    """

    original: str
    replacements: tuple[Replacement, ...]
    _old: list[tuple[int, int]]
    _new: list[tuple[int, int]]

    @classmethod
    def edited(cls, original: str, edits: Iterable[Edit]) -> ResolvedText:
        """The text after edits, which must not overlap and must neither replace nor leave nothing."""
        parts: list[str] = []
        replacements: list[Replacement] = []
        done = size = 0
        for start, end, text, mention in sorted(edits):
            if not done <= start < end <= len(original) or not text:
                raise CorelaxError(f"characters {start} to {end} cannot be replaced by {text!r}")
            parts += [original[done:start], text]
            new_start = size + start - done
            size, done = new_start + len(text), end
            replacements.append(Replacement(start, end, new_start, size, mention))
        new = cls("".join([*parts, original[done:]]))
        new.original, new.replacements = original, tuple(replacements)
        new._old = [(r.start, r.end) for r in replacements]
        new._new = [(r.new_start, r.new_end) for r in replacements]
        return new

    def to_new(self, start: int, end: int) -> tuple[int, int]:
        """Where characters of the original are in this text; parts of a replacement count as all of it.

        Args:
            start: The first character.
            end: One past the last.
        """
        return _mapped(start, end, self._old, self._new, len(self.original))

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """Where characters of this text come from; parts of a replacement count as all of it.

        Args:
            start: The first character.
            end: One past the last.
        """
        return _mapped(start, end, self._new, self._old, len(self))


def _mapped(
    start: int,
    end: int,
    here: list[tuple[int, int]],
    there: list[tuple[int, int]],
    size: int,
) -> tuple[int, int]:
    """Characters of one text as characters of the other; `here` and `there` are those of replacements."""
    if not 0 <= start <= end <= size:
        raise CorelaxError(f"characters {start} to {end} are not in a text of {size} characters")
    at = bisect_right(here, start, key=lambda span: span[0]) - 1
    if at < 0:
        first = start
    elif start < here[at][1]:
        first = there[at][0]
    else:
        first = start - here[at][1] + there[at][1]
    if start == end and not (at >= 0 and here[at][0] < start < here[at][1]):
        return first, first
    at = bisect_left(here, end, key=lambda span: span[0]) - 1
    if at < 0:
        return first, end
    return first, there[at][1] + max(end - here[at][1], 0)
