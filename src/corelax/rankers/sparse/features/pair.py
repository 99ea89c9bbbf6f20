"""φ_pair: the features of two mentions, packed into one integer.

What depends on the pair are two distances and ten yes-or-no questions. They make a code

    ((((dist − 1) · 11 + sdist) · 2 + bit_1) · 2 + bit_2) …    at most 112,640 codes, a few hundred a document

so that the network looks up C[code], and everything is computed for many pairs at once. (`genre`, `canon_i`,
`canon_j` depend on one mention alone and are no part of the code.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corelax.rankers.sparse.features.mention import normalise_speaker, truth
from corelax.rankers.sparse.features.settings import FeatureSettings
from corelax.rankers.sparse.mentions.attributes import Attributes

Ints = NDArray[np.int32]
Bits = NDArray[np.bool_]

LARGEST_DISTANCE = 10
SENTENCE_DISTANCES = LARGEST_DISTANCE + 1
BITS = (
    "iwi samespk exact i_in_j j_in_i headmatch ihead_in_j jhead_in_i jhead_in_otherspk otherspk_in_jhead"
).split()
CODES = LARGEST_DISTANCE * SENTENCE_DISTANCES * 2 ** len(BITS)
PAIRS_AT_ONCE = 1 << 20


class PairCodes:
    """The pairs of a document.

    Strings become numbers here; whether one string is in another is found out once for each two distinct
    strings. What is then asked of a pair is arithmetic on integers.

    Args:
        mentions: The mentions of a document, in order.
        speakers: The normalised names of all speakers of the document.
        settings: Which oddities to keep.
    """

    def __init__(
        self, mentions: Sequence[Attributes], speakers: frozenset[str], settings: FeatureSettings
    ) -> None:
        self.size = len(mentions)
        texts, heads = [m.text for m in mentions], [m.head for m in mentions]
        heads_lc = [head.lower() for head in heads]
        self._sentence, self._start, self._end = (
            np.array([m.mention[field] for m in mentions], dtype=np.int32) for field in range(3)
        )
        self._speaker = _ids([m.speaker for m in mentions])
        self._lower_text = _ids([text.lower() for text in texts])
        self._lower_head = _ids(heads_lc)
        self._text, self._head = _ids(texts), _ids(heads)
        self._text_in_text = _contained(texts, texts, settings)
        self._head_in_text = _contained(heads, texts, settings)
        names = sorted(speakers)
        column = {name: number for number, name in enumerate(names)}
        # −1 is the last column: zeros, for mentions whose speaker is none of them.
        self._own = np.array(
            [column.get(normalise_speaker(m.speaker), -1) for m in mentions], dtype=np.int32
        )
        in_speaker = [[*(head in name for name in names), False] for head in heads_lc]
        in_head = [[*(name in head for name in names), False] for head in heads_lc]
        self._head_in_speaker = _table(in_speaker, len(names) + 1)
        self._speaker_in_head = _table(in_head, len(names) + 1)

    def rows(self, first: int, last: int) -> Ints:
        """[mention − first, antecedent] the codes of mentions `first` up to `last` with all up to `last`.

        Only what is below the diagonal means something.
        """
        i: Any = (slice(first, last), None)
        j: Any = (None, slice(0, last))
        start, end, sentence = self._start, self._end, self._sentence
        i_inside = (start[i] >= start[j]) & (end[i] <= end[j])
        j_inside = (start[i] <= start[j]) & (end[i] >= end[j])
        bits = {
            "iwi": np.equal(sentence[i], sentence[j]) & (i_inside | j_inside),
            "samespk": np.equal(self._speaker[i], self._speaker[j]),
            "exact": np.equal(self._lower_text[i], self._lower_text[j]),
            "i_in_j": self._text_in_text[self._text[i], self._text[j]],
            "j_in_i": self._text_in_text[self._text[j], self._text[i]],
            "headmatch": np.equal(self._lower_head[i], self._lower_head[j]),
            "ihead_in_j": self._head_in_text[self._head[i], self._text[j]],
            "jhead_in_i": self._head_in_text[self._head[j], self._text[i]],
            "jhead_in_otherspk": self._of_others(self._head_in_speaker, first, last),
            "otherspk_in_jhead": self._of_others(self._speaker_in_head, first, last),
        }
        number = np.arange(self.size, dtype=np.int32)
        code = np.clip(number[i] - number[j], 1, LARGEST_DISTANCE) - 1
        code = code * SENTENCE_DISTANCES + np.clip(sentence[i] - sentence[j], 0, LARGEST_DISTANCE)
        for name in BITS:
            code = code * 2 + bits[name]
        result: Ints = code.astype(np.int32)
        return result

    def distinct(self) -> tuple[Ints, NDArray[Any]]:
        """The distinct codes, and which of them each pair has: rows of the lower triangle in a row."""
        pieces, first = [], 0
        while first < self.size:
            last = min(self.size, first + max(PAIRS_AT_ONCE // self.size, 1))
            below = np.arange(last)[None, :] < np.arange(first, last)[:, None]
            pieces.append(self.rows(first, last)[below])
            first = last
        present = np.zeros(CODES, dtype=bool)
        for piece in pieces:
            present[piece] = True
        codes = np.flatnonzero(present).astype(np.int32)
        # Two bytes are enough but for a document unlike any other.
        number = np.zeros(CODES, dtype=np.uint16 if len(codes) < 2**16 else np.uint32)
        number[codes] = np.arange(len(codes))
        return codes, np.concatenate([number[piece] for piece in pieces] or [number[:0]])

    def _of_others(self, table: Bits, first: int, last: int) -> Bits:
        """[i, j] whether the head of j has to do with a speaker other than that of i."""
        total = table[:last].sum(1)
        own = table[:last, self._own[first:last]].T
        result: Bits = total[None, :] > own
        return result


def code_values(code: int) -> dict[str, str]:
    """What a code says: the value of each template that depends on both mentions.

    >>> code_values(1)["dist"], code_values(1)["sdist"], code_values(1)["otherspk_in_jhead"]
    ('1', '0', 'true')
    """
    bits = {name: truth(bool(code >> place & 1)) for place, name in enumerate(reversed(BITS))}
    dist, sdist = divmod(code >> len(BITS), SENTENCE_DISTANCES)
    return {"dist": str(dist + 1), "sdist": str(sdist), **{name: bits[name] for name in BITS}}


def _ids(keys: Sequence[str]) -> Ints:
    """Equal strings get equal numbers, by first appearance."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int32)


def _contained(parts: list[str], wholes: list[str], settings: FeatureSettings) -> Bits:
    """[distinct part, distinct whole] whether one string is in the other, by first appearance."""
    parts, wholes = list(dict.fromkeys(parts)), list(dict.fromkeys(wholes))
    if settings.containment == "tokens":  # blanks on both sides make words of words
        parts, wholes = [f" {part} " for part in parts], [f" {whole} " for whole in wholes]
    return _table([[part in whole for whole in wholes] for part in parts], len(wholes))


def _table(rows: list[list[bool]], columns: int) -> Bits:
    return np.array(rows, dtype=bool).reshape(len(rows), columns)
