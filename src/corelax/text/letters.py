"""Letters as numbers, and tables that say of each whether it is one of some."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray


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
