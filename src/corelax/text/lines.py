"""The lines of texts, on arrays: how wide they are, which are headings, where paragraphs begin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.text.letters import codes_of, table_of
from corelax.text.remembered import ends_of
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
    """Lines that have tokens.

    Attributes:
        token: [line] its first token, counted over all texts.
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
    """Whether any of some texts has more than one line.

    >>> have_breaks(["Ann came.", "So did Bo."]), have_breaks(["Ann came.\\nSo did Bo."])
    (False, True)
    """
    return any(letter in text for text in texts for letter in _BREAKS)


def lines_of(row: TokenRow) -> Lines:
    """The lines of texts. Between paragraphs are two breaks or more, or lines without a token.

    >>> from corelax.text.cutting import cut_texts
    >>> lines = lines_of(cut_texts(["# Keepers\\nAnn came.\\n \\nShe left.", "So did Bo."]))
    >>> lines.token.tolist(), lines.is_first.tolist(), lines.width.tolist()
    ([0, 2, 5, 8], [True, False, True, True], [9, 9, 9, 10])
    """
    # Texts are laid out with a line break between two.
    letters = "\n".join(row.texts)
    codes = codes_of(letters)
    text_begins = np.array([*accumulate((len(text) + 1 for text in row.texts), initial=0)])
    breaks = _ARE_BREAKS.take(codes, mode="clip").nonzero()[0]
    begins, ends = np.zeros((2, len(breaks) + 1), np.int64)
    begins[1:], ends[:-1], ends[-1] = breaks + 1, breaks, len(codes)
    before = ends_of(_weights(codes, breaks))  # [line] how many breaks there are before it
    places = row.spans[:, 0] + text_begins[:-1].repeat(row.edges[1:] - row.edges[:-1])
    token = places.searchsorted(begins)
    written = (token < places.searchsorted(ends)).nonzero()[0]
    begins, ends, before, token = (c[written] for c in (begins, ends, before, token))
    text = text_begins.searchsorted(begins, "right")
    is_first = np.ones(len(text), bool)
    is_first[1:] = (before[1:] > before[:-1] + 1) | (text[1:] > text[:-1])
    width = ends - begins
    widest = np.maximum.reduceat(width, is_first.nonzero()[0])[is_first.cumsum() - 1]
    is_heading = _HEADED.take(codes[begins], mode="clip")
    for line in is_heading.nonzero()[0].tolist():
        is_heading[line] = _HEADING.match(letters, begins[line], ends[line]) is not None
    return Lines(token, width, widest, is_first, is_heading)


def _weights(codes: NDArray[np.integer], breaks: Ints) -> Ints:
    """[break] how many line breaks it stands for."""
    weights = np.ones(len(breaks), np.int64)
    weights[codes[breaks] == _PARAGRAPH] = 2
    after_return = codes[np.maximum(breaks - 1, 0)] == _RETURN
    weights[(codes[breaks] == _FEED) & after_return] = 0
    return weights
