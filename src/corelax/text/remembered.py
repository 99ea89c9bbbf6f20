"""Numbers about words, computed once for each word: most words of a text were seen before.

A text then costs one look into a dictionary for each word; all else is done on arrays.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

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
        ends = self.size.cumsum()
        total = int(ends[-1]) if len(ends) else 0
        at = np.repeat(self.first - (ends - self.size), self.size)
        joined: Ints = self.numbers[at + np.arange(total)]
        return joined


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
        self._lock, self._process = threading.Lock(), os.getpid()

    def rows(self, words: Collection[str]) -> Rows:
        """The numbers of each word."""
        memory = self._memory
        try:
            return memory.rows(words)
        except KeyError:
            return self._learned(words).rows(words)

    def _learned(self, words: Collection[str]) -> _Memory:
        """The memory, once it has these words."""
        if (
            self._process != os.getpid()
        ):  # another thread may have held the lock when this was forked
            self._lock, self._process = threading.Lock(), os.getpid()
        with self._lock:
            memory = self._memory
            new = [word for word in dict.fromkeys(words) if word not in memory.place]
            if len(memory.place) + len(new) > self._most:
                memory, new = _Memory(), list(dict.fromkeys(words))
            if new:
                memory.add(new, self._compute(new))
            self._memory = memory
            return memory


class _Memory:
    """Numbers in a row, before those of each word their count. It only grows: readers need no lock."""

    def __init__(self) -> None:
        self.place: dict[str, int] = {}
        self.numbers: Ints = np.zeros(1 << 10, np.int64)
        self._used = 0

    def rows(self, words: Collection[str]) -> Rows:
        """The numbers of words, all of which are known."""
        if len(words) > 1:  # looked up all at once; of one word it would not be a tuple
            place = np.array(itemgetter(*words)(self.place), np.int64)
        else:
            place = np.array([self.place[word] for word in words], np.int64)
        numbers = self.numbers  # after the places: it is replaced before there are new ones
        return Rows(numbers, place + 1, numbers[place])

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
