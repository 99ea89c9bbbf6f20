"""The compiled library, and arrays for it."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Address, Number = ctypes.c_void_p, ctypes.c_int64
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
INTERFACE = 1  # as in `support.c`
KINDS = {"f": "f", "i": "iu", "u": "u"}  # which numbers can become which


@cache
def library() -> ctypes.CDLL:
    """The library that was compiled when the package was installed."""
    return ctypes.CDLL(str(Path(__file__).with_name("kernels.so")))


@cache
def is_supported() -> bool:
    """Whether this processor can run the kernels: x86-64 under Linux with AVX-512 VNNI and BF16."""
    try:
        is_ours = library().corelax_interface() == INTERFACE
        return is_ours and bool(library().corelax_supported())
    except (OSError, AttributeError):  # not compiled, for another machine, or of another version
        return False


def addresses(names: str) -> list[tuple[str, type]]:
    """Fields of a structure that are addresses, by names with blanks between."""
    return [(name, Address) for name in names.split()]


class Kept:
    """Arrays that the library reads by their addresses: they must live as long as what refers to them."""

    def __init__(self) -> None:
        self._arrays: list[NDArray[Any]] = []

    def address(self, array: NDArray[Any], dtype: DTypeLike, shape: tuple[int, ...]) -> int:
        """The address of an array's numbers in a row.

        Raises:
            ValueError: Its shape is another, or it does not hold such numbers.
        """
        return int(self._kept(array, dtype, shape).ctypes.data)

    def numbers(self, name: str, array: NDArray[Any], shape: tuple[int, ...], rows: int) -> int:
        """The address of numbers of rows of a table.

        Raises:
            ValueError: One is not in the table.

        >>> Kept().numbers("place", np.array([0, 3]), (2,), 3)
        Traceback (most recent call last):
            ...
        ValueError: place: a number that is not in 0 to 2
        """
        numbers = self._kept(array, np.int64, shape)
        if numbers.size and not (int(numbers.min()) >= 0 and int(numbers.max()) < rows):
            raise ValueError(f"{name}: a number that is not in 0 to {rows - 1}")
        return int(numbers.ctypes.data)

    def _kept(self, array: NDArray[Any], dtype: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
        if array.shape != shape:
            raise ValueError(f"shape {array.shape} instead of {shape}")
        if array.dtype.kind not in KINDS[np.dtype(dtype).kind]:
            raise ValueError(f"{array.dtype} instead of {np.dtype(dtype)}")
        self._arrays.append(np.ascontiguousarray(array, dtype))
        return self._arrays[-1]


def check_memory(failed: int) -> None:
    """Raises what a call that could not get memory means."""
    if failed:
        raise MemoryError("too little memory for the kernels")
