"""Tokens of a text as arrays. What stands between blanks is cut once and remembered.

`tokens.token_spans` says what a token is. Between two blanks it cuts most stretches in one way, whatever
stands around them: these are remembered. A few depend on what follows (`No. 5`, `J. Smith`) and are cut in
their place, as is the end of a text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.text.letters import Letters, table_of
from corelax.text.remembered import MOST_WORDS, Remembered, ends_of
from corelax.text.token_row import TokenRow
from corelax.text.tokens import spans_within, token_spans
from corelax.text.vocabulary import Ints, Numbered, Vocabulary

SHORT = 200  # characters of texts that are cut faster one by one, each as a whole
LONGEST = 40  # characters of what is remembered
MOST_LAST = 10_000  # last chunks of texts that are remembered
# What the pattern of a token sees beyond the blank that follows a full stop: numbers, capitals, brackets.
_FOLLOWING = (" 1", " A", " A.", " a", " (", " &", "\n1", "\nA", "\nA.", "\na", "\n(", "\n&")
_SPACE, _BREAK = ord(" "), ord("\n")
_IS_BLANK = table_of([chr(code) for code in range(0x3002) if chr(code).isspace()])


def cut_texts(texts: Sequence[str]) -> TokenRow:
    """The tokens of texts.

    >>> [(words, spans)] = cut_texts(["Ann saw No. 5.\\n"]).parts()
    >>> words, spans.tolist()
    (('Ann', 'saw', 'No.', '5', '.'), [[0, 3], [4, 7], [8, 11], [12, 13], [13, 14]])
    """
    chunks = _NOW.chunks()
    usual = [at for at, text in enumerate(texts) if "<" not in text]  # tags may have blanks inside
    are_long = sum(len(texts[at]) for at in usual) >= SHORT
    if are_long and len(usual) == len(texts):
        return _cut_between_blanks(texts, chunks)
    cuts: dict[int, tuple[Numbered, Ints]] = {}
    if are_long:
        together = _cut_between_blanks([texts[at] for at in usual], chunks)
        cuts = dict(zip(usual, together.parts(), strict=True))
    every = [cuts.get(at) or _cut_whole(text, chunks) for at, text in enumerate(texts)]
    return TokenRow.of(texts, every, chunks.vocabulary)


def _cut_whole(text: str, chunks: _Chunks) -> tuple[Numbered, Ints]:
    """The tokens of any text, and [token, 2] their characters."""
    spans = token_spans(text)
    return chunks.vocabulary.numbered([text[start:end] for start, end in spans]), _as_array(spans)


def row_of(text: str, words: Sequence[str], spans: Sequence[tuple[int, int]]) -> TokenRow:
    """The tokens of a text that somebody else has cut.

    >>> row_of("Ann ran", ["Ann", "ran"], [(0, 3), (4, 7)]).edges.tolist()
    [0, 2]
    """
    vocabulary = _NOW.chunks().vocabulary
    return TokenRow.of([text], [(vocabulary.numbered(words), _as_array(spans))], vocabulary)


def numbered(words: Sequence[str]) -> Numbered:
    """Tokens with their numbers, by which more is found than by the words themselves.

    >>> numbered(["Ann", "saw"])
    ('Ann', 'saw')
    """
    return _NOW.chunks().vocabulary.numbered(words)


def _cut_between_blanks(texts: Sequence[str], chunks: _Chunks) -> TokenRow:
    """The tokens of texts without tags."""
    row = _TextRow.of(texts)
    known = chunks.cuts.rows(row.letters.text.split())
    counts = known.size // 3  # [chunk] tokens
    in_place = {at: row.cut(at) for at in (~row.are_usual() | (counts == 0)).nonzero()[0].tolist()}
    counts[list(in_place)] = [len(spans) for spans in in_place.values()]
    token = ends_of(counts)  # [chunk + 1] its first token
    place = (known.first - 3 * token[:-1]).repeat(counts) + 3 * np.arange(token[-1])
    if in_place:  # what is cut in its place has no numbers, and its own are written below
        place.clip(0, len(known.numbers) - 3, out=place)
    spans = np.stack([known.numbers[place], known.numbers[place + 1]], -1)
    numbers = known.numbers[place + 2]
    for at, own in in_place.items():
        here, begin = slice(token[at], token[at + 1]), row.begins[at]
        spans[here] = _as_array(own)
        numbers[here] = chunks.vocabulary.numbers(
            [row.letters.text[begin + s : begin + e] for s, e in own]
        )
    in_text = row.begins - np.repeat(row.letters.first[:-1], np.diff(row.chunk))
    spans += in_text.repeat(counts)[:, None]
    return TokenRow(texts, chunks.vocabulary.words(numbers), spans, token[row.chunk])


class _TextRow(NamedTuple):
    """Texts in a row, and their chunks: what stands between blanks.

    Attributes:
        texts: The texts.
        letters: Their letters.
        begins: [chunk] its first character.
        ends: [chunk] one past its last character.
        chunk: [text + 1] its first chunk.
    """

    texts: Sequence[str]
    letters: Letters
    begins: Ints
    ends: Ints
    chunk: list[int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> _TextRow:
        """The row of some texts."""
        letters = Letters.of(texts)
        begins, ends = _edges(letters.codes)
        return cls(texts, letters, begins, ends, begins.searchsorted(letters.first).tolist())

    def are_usual(self) -> NDArray[np.bool_]:
        """[chunk] whether a blank or a line break follows in its text."""
        codes = self.letters.codes
        follows = codes[np.minimum(self.ends, len(codes) - 1)]
        usual: NDArray[np.bool_] = (follows == _SPACE) | (follows == _BREAK)
        for beyond, first in zip(self.chunk[1:], self.letters.first[1:], strict=True):
            if beyond and self.ends[beyond - 1] == first - 1:  # at the end of the text
                usual[beyond - 1] = False
        return usual

    def cut(self, at: int) -> Sequence[tuple[int, int]]:
        """The tokens of a chunk in its place, counted from its first character."""
        number = bisect_right(self.chunk, at) - 1
        text, first = self.texts[number], self.letters.first[number]
        begin, end = int(self.begins[at]) - first, int(self.ends[at]) - first
        if end == len(text) and end - begin <= LONGEST:
            return _cut_last(text[begin:end])
        return [(s - begin, e - begin) for s, e in spans_within(text, begin, end)]


def _edges(codes: NDArray[np.integer]) -> tuple[Ints, Ints]:
    """[chunk] the first and the last + 1 character of what stands between blanks."""
    is_word = np.zeros(len(codes) + 2, bool)  # none before and after the text
    np.logical_not(_IS_BLANK.take(codes, mode="clip"), out=is_word[1:-1])
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
        """What the texts that are cut together take, whatever begins anew meanwhile."""
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


@lru_cache(maxsize=MOST_LAST)
def _cut_last(chunk: str) -> tuple[tuple[int, int], ...]:
    """The tokens of a chunk at the end of a text; what goes before it does not matter there."""
    return tuple(_cut_between(" ", chunk, ""))


def _cut_between(before: str, chunk: str, following: str) -> list[tuple[int, int]]:
    spans = spans_within(before + chunk + following, 1, 1 + len(chunk))
    return [(start - 1, end - 1) for start, end in spans]


_NOW = _Now()
