"""Tokens of several texts in a row: what is asked of all of them is computed once, on arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.text.vocabulary import Ints, Numbered, Vocabulary


class TokenRow(NamedTuple):
    """Texts and their tokens.

    Attributes:
        texts: The texts.
        words: The tokens of all texts.
        spans: [token, 2] first and last + 1 character, in its text.
        edges: [text + 1] the first token of each text, and how many there are.
    """

    texts: Sequence[str]
    words: Numbered
    spans: Ints
    edges: Ints

    @classmethod
    def of(
        cls, texts: Sequence[str], cuts: Sequence[tuple[Numbered, Ints]], vocabulary: Vocabulary
    ) -> TokenRow:
        """The tokens of each text, and their characters, one text after the other.

        Args:
            texts: The texts.
            cuts: The tokens of each and [token, 2] their characters.
            vocabulary: What has numbered the tokens.

        >>> vocabulary = Vocabulary()
        >>> words, none = vocabulary.numbered(["Ann", "ran"]), vocabulary.numbered([])
        >>> cuts = [(words, np.array([[0, 3], [4, 7]])), (none, np.zeros((0, 2), int))]
        >>> row = TokenRow.of(["Ann ran", ""], cuts, vocabulary)
        >>> row.words, row.edges.tolist()
        (('Ann', 'ran'), [0, 2, 2])
        """
        words = chain.from_iterable(words for words, _ in cuts)
        numbers = [np.zeros(0, np.int64), *(words.numbers for words, _ in cuts)]
        spans = [np.zeros((0, 2), np.int64), *(spans for _, spans in cuts)]
        return cls(
            texts,
            Numbered(words, vocabulary, np.concatenate(numbers)),
            np.concatenate(spans),
            np.array([*accumulate((len(words) for words, _ in cuts), initial=0)], np.int64),
        )

    def parts(self) -> Iterator[tuple[Numbered, Ints]]:
        """The tokens of each text, and their characters."""
        edges = self.edges.tolist()
        words = self.words.cut(edges[1:])
        for own, (start, end) in zip(words, pairwise(edges), strict=True):
            yield own, self.spans[start:end].copy()

    def split(self, tokens: Ints) -> list[Ints]:
        """Some tokens in rising order: those of each text, counted in it."""
        bounds, firsts = tokens.searchsorted(self.edges).tolist(), self.edges[:-1].tolist()
        return [
            tokens[start:end] - first
            for (start, end), first in zip(pairwise(bounds), firsts, strict=True)
        ]

    def are_last(self) -> NDArray[np.bool_]:
        """[token] whether it is the last of its text."""
        last = np.zeros(len(self.words), bool)
        if len(last):
            last[self.edges[1:] - 1] = True  # of an empty text: the last one before it, or of all
        return last
