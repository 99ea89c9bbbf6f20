"""The lines of texts, on arrays: how wide they are, which are headings, where paragraphs begin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.text.letters import Letters, table_of
from corelax.text.token_row import TokenRow
from corelax.text.vocabulary import Ints

_HEADING = re.compile(
    r"[ ]{0,3}(?:#{1,6}[ ]|(?:={3,}+|-{3,}+)[ ]*+$)"
)  # of Markdown, or what underlines it
_HEADED = table_of(" #=-")  # how lines begin that may be headings
_BREAKS = "\n\r\x0b\x0c\x85\u2028\u2029"
_ARE_BREAKS = table_of(_BREAKS)
_PARAGRAPH = 0x2029  # counts as two breaks
_RETURN, _FEED = ord("\r"), ord("\n")  # one after the other they count as one


class Lines(NamedTuple):
    """Lines that have tokens, or a part of one.

    Attributes:
        token: [line] the first token that begins in it or later, counted over all texts.
        width: [line] its characters.
        widest: [line] those of the widest line of its paragraph.
        is_first: [line] of a paragraph.
        is_heading: [line].
    """

    token: Ints
    width: Ints
    widest: Ints
    is_first: NDArray[np.bool_]
    is_heading: NDArray[np.bool_]


def have_breaks(texts: Sequence[str]) -> bool:
    """Whether any of some texts has several lines.

    >>> have_breaks(["Ann came.\\n", "So did Bo."]), have_breaks(["Ann came.\\nSo did Bo."])
    (False, True)
    """
    inside = (text.strip() for text in texts)
    return any(letter in text for text in inside for letter in _BREAKS)


def lines_of(row: TokenRow) -> Lines:
    """The lines of texts. A paragraph ends before a line without a token, and at U+2029.

    >>> from corelax.text.cutting import cut_texts
    >>> lines = lines_of(cut_texts(["# Keepers\\nAnn came.\\n \\nShe left.", "So did Bo."]))
    >>> lines.token.tolist(), lines.is_first.tolist(), lines.width.tolist()
    ([0, 2, 5, 8], [True, False, True, True], [9, 9, 9, 10])
    """
    letters = Letters.of(row.texts)
    breaks = _ARE_BREAKS.take(letters.codes, mode="clip").nonzero()[0]
    edges = np.concatenate([[-1], breaks, [len(letters.codes)]])
    line = (edges[1:] - edges[:-1] > 1).nonzero()[0]  # there may be many empty ones
    begins, ends = edges[line] + 1, edges[line + 1]

    first = np.array(letters.first)
    places = row.spans + first[:-1].repeat(row.edges[1:] - row.edges[:-1])[:, None]
    token = places[:, 0].searchsorted(begins)
    has_tokens = places[:, 0].searchsorted(ends) > places[:, 1].searchsorted(begins, "right")
    written = (has_tokens & (token < len(places))).nonzero()[0]
    line, begins, ends, token = (column[written] for column in (line, begins, ends, token))

    before = line + _more_breaks(letters.codes, begins)
    text = first.searchsorted(begins, "right")
    is_first = np.ones(len(text), bool)
    is_first[1:] = (before[1:] > before[:-1] + 1) | (text[1:] > text[:-1])
    width = ends - begins
    widest = np.maximum.reduceat(width, is_first.nonzero()[0])[is_first.cumsum() - 1]
    is_heading = _HEADED.take(letters.codes[begins], mode="clip")
    for at in is_heading.nonzero()[0].tolist():
        is_heading[at] = _HEADING.match(letters.text, begins[at], ends[at]) is not None
    return Lines(token, width, widest, is_first, is_heading)


def _more_breaks(codes: NDArray[np.integer], places: Ints) -> Ints:
    """[place] how many more line breaks than characters for them are before it.

    >>> _more_breaks(np.array([13, 10, 65, 0x2029, 65]), np.array([2, 4])).tolist()
    [-1, 0]
    """
    paragraphs = (codes == _PARAGRAPH).nonzero()[0]
    feeds = ((codes[1:] == _FEED) & (codes[:-1] == _RETURN)).nonzero()[0] + 1
    more: Ints = paragraphs.searchsorted(places) - feeds.searchsorted(places)
    return more
