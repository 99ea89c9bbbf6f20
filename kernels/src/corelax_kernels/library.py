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


@cache
def library() -> ctypes.CDLL:
    """The library that was compiled when the package was installed."""
    return ctypes.CDLL(str(Path(__file__).with_name("kernels.so")))


@cache
def is_supported() -> bool:
    """Whether this processor can run the kernels: x86-64 under Linux with AVX-512 VNNI and BF16."""
    try:
        return bool(library().corelax_supported())
    except OSError:  # not compiled, or for another machine
        return False


class Kept:
    """Arrays that the library reads by their addresses: they must live as long as what refers to them."""

    def __init__(self) -> None:
        self._arrays: list[NDArray[Any]] = []

    def address(self, array: NDArray[Any], dtype: DTypeLike, shape: tuple[int, ...]) -> int:
        """The address of an array's numbers in a row.

        Raises:
            ValueError: Its shape is another.
        """
        if array.shape != shape:
            raise ValueError(f"shape {array.shape} instead of {shape}")
        self._arrays.append(np.ascontiguousarray(array, dtype))
        return int(self._arrays[-1].ctypes.data)


def check_numbers(name: str, numbers: Ints, rows: int) -> None:
    """That all numbers are those of rows of a table.

    >>> check_numbers("place", np.array([0, 3]), 3)
    Traceback (most recent call last):
        ...
    ValueError: place: a number that is not in 0 to 2
    """
    if numbers.size and not (int(numbers.min()) >= 0 and int(numbers.max()) < rows):
        raise ValueError(f"{name}: a number that is not in 0 to {rows - 1}")


def check_memory(failed: int) -> None:
    """Raises what a call that could not get memory means."""
    if failed:
        raise MemoryError("too little memory for the kernels")
