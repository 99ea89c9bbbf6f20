"""Tokens of a text as arrays. What stands between blanks is cut once and remembered.

`tokens.token_spans` says what a token is. Between two blanks it cuts most stretches in one way, whatever
stands around them: these are remembered. A few depend on what follows (`No. 5`, `J. Smith`) and are cut in
their place, as is the end of a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, product

import numpy as np
from numpy.typing import NDArray

from corelax.text.remembered import MOST_WORDS, Remembered
from corelax.text.tokens import spans_within, token_spans
from corelax.text.vocabulary import Ints, Numbered, Vocabulary

SHORT = 200  # characters of a text that is cut faster as a whole
LONGEST = 40  # characters of what is remembered
# What the pattern of a token sees beyond the blank that follows a full stop: numbers, capitals, brackets.
_FOLLOWING = (" 1", " A", " A.", " a", " (", " &", "\n1", "\nA", "\nA.", "\na", "\n(", "\n&")
_SPACE, _BREAK = ord(" "), ord("\n")
# No character after these is a blank.
_IS_WORD = np.array([not chr(code).isspace() for code in range(0x3002)])


def cut_text(text: str) -> tuple[Numbered, Ints]:
    """The tokens of a text, and [token, 2] their first and last + 1 characters.

    >>> words, spans = cut_text("Ann saw No. 5.\\n")
    >>> words, spans.tolist()
    (('Ann', 'saw', 'No.', '5', '.'), [[0, 3], [4, 7], [8, 11], [12, 13], [13, 14]])
    """
    if len(text) < SHORT or "<" in text:  # tags may have blanks inside
        listed = token_spans(text)
        return numbered([text[start:end] for start, end in listed]), _as_array(listed)
    return _cut_between_blanks(text, _NOW.chunks())


def numbered(words: Sequence[str]) -> Numbered:
    """Tokens with their numbers, by which more is found than by the words themselves.

    >>> numbered(["Ann", "saw"])
    ('Ann', 'saw')
    """
    return _NOW.chunks().vocabulary.numbered(words)


def _cut_between_blanks(text: str, chunks: _Chunks) -> tuple[Numbered, Ints]:
    """The same for texts without tags."""
    codes = _codes(text)
    begins, ends = _edges(codes)
    follows = codes[np.minimum(ends, len(codes) - 1)]
    is_usual = ((follows == _SPACE) | (follows == _BREAK)) & (ends < len(codes))
    known = chunks.cuts.rows(text.split())
    counts = known.size // 3  # [chunk] tokens
    in_place = {
        at: spans_within(text, int(begins[at]), int(ends[at]))
        for at in np.flatnonzero(~is_usual | (counts == 0)).tolist()
    }
    counts[list(in_place)] = [len(spans) for spans in in_place.values()]
    last = counts.cumsum()
    total = int(last[-1]) if len(last) else 0
    place = (known.first - 3 * (last - counts)).repeat(counts) + 3 * np.arange(total)
    if in_place:  # what is cut in its place has no numbers, and its own are written below
        np.clip(place, 0, len(known.numbers) - 3, out=place)
    begins = begins.repeat(counts)
    spans = np.empty((total, 2), np.int64)
    np.add(known.numbers[place], begins, out=spans[:, 0])
    np.add(known.numbers[place + 1], begins, out=spans[:, 1])
    numbers = known.numbers[place + 2]
    for at, own in in_place.items():
        here = slice(last[at] - len(own), last[at])
        spans[here] = _as_array(own)
        numbers[here] = chunks.vocabulary.numbers([text[start:end] for start, end in own])
    return chunks.vocabulary.words(numbers), spans


def _codes(text: str) -> NDArray[np.integer]:
    """[character] its number."""
    if text.isascii():
        return np.frombuffer(text.encode(), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _edges(codes: NDArray[np.integer]) -> tuple[Ints, Ints]:
    """[chunk] the first and the last + 1 character of what stands between blanks."""
    is_word = np.zeros(len(codes) + 2, bool)  # none before and after the text
    is_word[1:-1] = _IS_WORD.take(codes, mode="clip")
    edges = (is_word[1:] != is_word[:-1]).nonzero()[0]
    return edges[::2], edges[1::2]


def _as_array(spans: Sequence[tuple[int, int]]) -> Ints:
    return np.array(spans, np.int64).reshape(-1, 2)


class _Chunks:
    """How chunks are cut, and the numbers of their tokens."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.cuts = Remembered(self._cut)

    def _cut(self, chunks: list[str]) -> list[list[int]]:
        """First and last + 1 character and number of each token; nothing if they depend on the place."""
        rows = []
        for chunk in chunks:
            spans = _cut_anywhere(chunk)
            numbers = self.vocabulary.numbers([chunk[start:end] for start, end in spans]).tolist()
            row = zip(spans, numbers, strict=True)
            rows.append([*chain.from_iterable((*span, number) for span, number in row)])
        return rows


class _Now:
    """What is remembered now; it begins anew where there are too many words."""

    def __init__(self) -> None:
        self._chunks = _Chunks()

    def chunks(self) -> _Chunks:
        """What one text takes, whatever begins anew meanwhile."""
        chunks = self._chunks
        if len(chunks.vocabulary) > MOST_WORDS:
            chunks = self._chunks = _Chunks()
        return chunks


def _cut_anywhere(chunk: str) -> list[tuple[int, int]]:
    """The tokens of a chunk, if they are the same wherever it stands.

    >>> _cut_anywhere("(yes)."), _cut_anywhere("No.")
    ([(0, 1), (1, 4), (4, 5), (5, 6)], [])
    """
    if len(chunk) > LONGEST:
        return []
    spans = _cut_between(" ", chunk, " ")
    if chunk[-1] == ".":
        before = " \n" if chunk[0].isdigit() else " "
        for first, following in product(before, _FOLLOWING):
            if _cut_between(first, chunk, following) != spans:
                return []
    return spans


def _cut_between(before: str, chunk: str, following: str) -> list[tuple[int, int]]:
    spans = spans_within(before + chunk + following, 1, 1 + len(chunk))
    return [(start - 1, end - 1) for start, end in spans]


_NOW = _Now()
