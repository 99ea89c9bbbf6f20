"""Letters as numbers, and tables that say of each whether it is one of some."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Letters(NamedTuple):
    """Texts in a row, with a line break between two.

    Attributes:
        text: All of them.
        codes: [character] its number.
        first: [text + 1] its first character; of the last, one past the line break that would follow.
    """

    text: str
    codes: NDArray[np.integer]
    first: list[int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Letters:
        """The letters of some texts.

        >>> Letters.of(["Ann", "é"]).text, Letters.of(["Ann", "é"]).first
        ('Ann\\né', [0, 4, 6])
        """
        text = "\n".join(texts)
        return cls(text, codes_of(text), [*accumulate((len(t) + 1 for t in texts), initial=0)])


def codes_of(text: str) -> NDArray[np.integer]:
    """[character] its number.

    >>> codes_of("é b").tolist(), codes_of("b").dtype
    ([233, 32, 98], dtype('uint8'))
    """
    if text.isascii():
        return np.frombuffer(text.encode(), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def table_of(letters: Collection[str]) -> NDArray[np.bool_]:
    """[number] whether a character is one of some. With `take(codes, mode="clip")` all others are not.

    >>> table_of("\\n\\r").take(codes_of("a\\nb"), mode="clip").tolist()
    [False, True, False]
    """
    table = np.zeros(max(map(ord, letters)) + 2, bool)
    table[[ord(letter) for letter in letters]] = True
    return table
