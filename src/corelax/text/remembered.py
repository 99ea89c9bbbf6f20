"""Numbers about words, computed once for each word: most words of a text were seen before.

A text then costs one look into a dictionary for each word, or none if its words are numbered
(`vocabulary.Numbered`); all else is done on arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from corelax.text.vocabulary import ForkedLock, Ints, Numbered, Vocabulary

MOST_WORDS = 100_000  # that are remembered


class Rows(NamedTuple):
    """The numbers of some words: those of word i are `numbers[first[i] : first[i] + size[i]]`.

    Attributes:
        numbers: Of all words that are remembered.
        first: [word] where its numbers begin.
        size: [word] how many they are.
    """

    numbers: Ints
    first: Ints
    size: Ints

    def column(self, at: int) -> Ints:
        """[word] one of the numbers, if every word has it."""
        column: Ints = self.numbers[self.first + at]
        return column

    def joined(self) -> Ints:
        """The numbers of all words in a row.

        >>> rows = Remembered(lambda words: [map(ord, word) for word in words]).rows(["ab", "", "a"])
        >>> rows.joined().tolist(), rows.size.tolist()
        ([97, 98, 97], [2, 0, 1])
        """
        ends = ends_of(self.size)
        at = (self.first - ends[:-1]).repeat(self.size)
        joined: Ints = self.numbers[at + np.arange(ends[-1])]
        return joined


def ends_of(sizes: Ints) -> Ints:
    """[part + 1] where each part of a row begins, and where the last ends.

    >>> ends_of(np.array([2, 3])).tolist()
    [0, 2, 5]
    """
    ends = np.zeros(len(sizes) + 1, np.int64)
    sizes.cumsum(out=ends[1:])
    return ends


class Remembered:
    """Numbers of words, as many for each as it has. Threads may share it.

    Args:
        compute: The numbers of each of a few words.
        most: How many words are remembered; then it begins anew.

    >>> lengths = Remembered(lambda words: [[len(word)] for word in words])
    >>> lengths.rows(["Ann", "is", "Ann"]).column(0).tolist()
    [3, 2, 3]
    """

    def __init__(
        self, compute: Callable[[list[str]], Sequence[Collection[int]]], most: int = MOST_WORDS
    ) -> None:
        self._compute, self._most = compute, most
        self._memory = _Memory()
        self._lock = ForkedLock()

    def rows(self, words: Collection[str]) -> Rows:
        """The numbers of each word."""
        try:
            return self._memory.rows(words)
        except LookupError:
            return self._learned(words)

    def _learned(self, words: Collection[str]) -> Rows:
        """The same, once the memory has these words."""
        with self._lock.held():
            memory = self._memory
            new = memory.unknown(words)
            if len(memory.place) + len(new) > self._most:
                memory, new = _Memory(), list(dict.fromkeys(words))
            if new:
                memory.add(new, self._compute(new))
            if isinstance(words, Numbered):
                memory.connect(words)
            self._memory = memory
            return memory.rows(words)


class _Memory:
    """Numbers in a row, before those of each word their count. It only grows: readers need no lock."""

    def __init__(self) -> None:
        self.place: dict[str, int] = {}
        self.numbers: Ints = np.zeros(1 << 10, np.int64)
        self._used = 0
        # Of the last two vocabularies: the place of each of its words, −1 if it is not known here.
        self._places: dict[Vocabulary, Ints] = {}

    def rows(self, words: Collection[str]) -> Rows:
        """The numbers of words; a `LookupError` if not all are known."""
        if isinstance(words, Numbered):
            place = self._places[words.vocabulary][words.numbers]
            if place.min(initial=0) < 0:
                raise KeyError
        elif len(words) > 1:  # looked up all at once; of one word it would not be a tuple
            place = np.array(itemgetter(*words)(self.place), np.int64)
        else:
            place = np.array([self.place[word] for word in words], np.int64)
        numbers = self.numbers  # after the places: it is replaced before there are new ones
        return Rows(numbers, place + 1, numbers[place])

    def unknown(self, words: Collection[str]) -> list[str]:
        """The words that are to be computed, each once."""
        return [word for word in _each(words, self._places) if word not in self.place]

    def add(self, words: Sequence[str], rows: Sequence[Collection[int]]) -> None:
        """Appends the numbers of new words."""
        flat: list[int] = []
        places = []
        for row in rows:
            places.append(self._used + len(flat))
            numbers = list(row)
            flat.append(len(numbers))
            flat += numbers
        end = self._used + len(flat)
        if end > len(self.numbers):
            self.numbers = np.concatenate(
                [self.numbers, np.zeros(max(len(self.numbers), end), np.int64)]
            )
        self.numbers[self._used : end] = flat
        self._used = end
        self.place.update(zip(words, places, strict=True))

    def connect(self, words: Numbered) -> None:
        """Lets known words be found by their numbers, too."""
        vocabulary, size = words.vocabulary, int(words.numbers.max(initial=0)) + 1
        places = self._places.get(vocabulary, np.zeros(0, np.int64))
        if len(places) < size:
            more = np.full(max(2 * len(vocabulary), size) - len(places), -1)
            places = np.concatenate([places, more])
        new = _without_place(words, places)
        places[new.numbers] = [self.place[word] for word in new]
        others = [(each, of) for each, of in self._places.items() if each is not vocabulary]
        self._places = dict([*others[-1:], (vocabulary, places)])


def _each(words: Collection[str], places: dict[Vocabulary, Ints]) -> Iterable[str]:
    """Words once each; if they are numbered, only those whose numbers have no place yet."""
    if isinstance(words, Numbered) and words.vocabulary in places:
        return _without_place(words, places[words.vocabulary])
    return dict.fromkeys(words)


def _without_place(words: Numbered, places: Ints) -> Numbered:
    """The words without a place, once each in the order in which they were numbered."""
    inside = np.minimum(words.numbers, len(places) - 1)
    new = (words.numbers >= len(places)) | (places[inside] < 0)
    return words.vocabulary.words(np.unique(words.numbers[new]))
