"""What a target is."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.shrink import smaller_bytes


@dataclass(frozen=True, kw_only=True)
class Target:
    """Something to be tried with random inputs.

    Attributes:
        name: What files in `found/` begin with.
        suffix: Of those files.
        make: A case, from random numbers alone.
        check: Raises whatever is wrong with a case. It may write into the folder that it gets.
        smaller: Cases that are smaller than one that failed, the smallest first.
        seconds: What a check may take.
    """

    name: str
    suffix: str
    make: Callable[[random.Random], bytes]
    check: Callable[[bytes, Path], None]
    smaller: Callable[[bytes], Iterator[bytes]] = smaller_bytes
    seconds: float = 20.0

    def __post_init__(self) -> None:
        if "." in self.name:
            raise ValueError(f"{self.name}: the name of a target has no dot")
