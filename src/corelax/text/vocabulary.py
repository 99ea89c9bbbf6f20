"""Words by their numbers: what is known of a word is then found in an array, and no letter is looked at."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Vocabulary:
    """Words that were numbered 0, 1, ... as they came. It only grows: who reads it needs no lock.

    >>> vocabulary = Vocabulary()
    >>> vocabulary.numbers(["Ann", "saw", "Ann"]).tolist(), len(vocabulary)
    ([0, 1, 0], 2)
    >>> vocabulary.words(np.array([1, 0]))
    ('saw', 'Ann')
    """

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._words = np.empty(1 << 10, object)
        self._lock = ForkedLock()

    def __len__(self) -> int:
        return len(self._number)

    def numbers(self, words: Sequence[str]) -> Ints:
        """[word] the number of each; new words get one."""
        with suppress(KeyError):
            if len(words) > 1:  # looked up all at once; of one word it would not be a tuple
                return np.array(itemgetter(*words)(self._number), np.int64)
            return np.array([self._number[word] for word in words], np.int64)
        with self._lock.held():
            return np.array([self._number_of(word) for word in words], np.int64)

    def words(self, numbers: Ints) -> Numbered:
        """The words of numbers that this vocabulary gave."""
        return Numbered(self._words[numbers].tolist(), self, numbers)

    def numbered(self, words: Sequence[str]) -> Numbered:
        """Words with their numbers."""
        return Numbered(words, self, self.numbers(words))

    def _number_of(self, word: str) -> int:
        number = self._number.get(word)
        if number is None:
            number = len(self._number)
            if number == len(self._words):
                self._words = np.concatenate([self._words, np.empty(number, object)])
            self._words[number] = word
            self._number[word] = number  # at last: from now on others see it
        return number


class Numbered(tuple[str, ...]):
    """Words that know their numbers; else a tuple like others, which it becomes when it is sent elsewhere.

    Attributes:
        vocabulary: The vocabulary that has numbered them.
        numbers: [word].
    """

    vocabulary: Vocabulary
    numbers: Ints

    def __new__(cls, words: Iterable[str], vocabulary: Vocabulary, numbers: Ints) -> Numbered:
        """Words whose numbers are known."""
        numbered = super().__new__(cls, words)
        numbered.vocabulary, numbered.numbers = vocabulary, numbers
        return numbered

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (list(self),)

    def cut(self, ends: Sequence[int]) -> list[Numbered]:
        """The words in parts, each of which ends where it is said; the reverse of `joined`.

        >>> Vocabulary().numbered(["Ann", "saw", "Bo"]).cut([1, 3])
        [('Ann',), ('saw', 'Bo')]
        """
        return [
            Numbered(self[start:end], self.vocabulary, self.numbers[start:end])
            for start, end in pairwise([0, *ends])
        ]


def joined(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The words of all parts in a row; numbered, if one vocabulary has numbered all of them.

    >>> a, b = map(Vocabulary().numbered, (["Ann"], ["saw", "Ann"]))
    >>> joined([a, b]), joined([a, b]).numbers.tolist(), type(joined([a, ("Bo",)]))
    (('Ann', 'saw', 'Ann'), [0, 1, 0], <class 'tuple'>)
    """
    if len(parts) == 1 and isinstance(parts[0], tuple):
        return parts[0]
    words = chain.from_iterable(parts)
    numbered = [part for part in parts if isinstance(part, Numbered)]
    if len(numbered) == len(parts) and len({part.vocabulary for part in numbered}) == 1:
        numbers = np.concatenate([part.numbers for part in numbered])
        return Numbered(words, numbered[0].vocabulary, numbers)
    return tuple(words)


class ForkedLock:
    """A lock that a fork begins anew: another thread may have held it when this process was forked."""

    def __init__(self) -> None:
        self._lock, self._process = threading.Lock(), os.getpid()

    def held(self) -> threading.Lock:
        """The lock of this process, to be entered."""
        if self._process != os.getpid():
            self._lock, self._process = threading.Lock(), os.getpid()
        return self._lock
