"""Weights as they lie in `model.safetensors`, as arrays: nothing is unpacked that is not used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from corelax.core.errors import CorelaxError
from corelax.core.folders import check_digest, read_regular
from corelax.decode.arrays import Ints
from corelax.rankers.encoder.upgrade import SHAPE, SPEAKER, WHO, shape_table, who_table

SCALE = ".scale"  # a matrix in bytes has a scale for each row under its name and this

Floats32 = NDArray[np.float32]


class StoredWeights:
    """The weights of a model folder.

    Args:
        path: The file.
        digest: What `config.json` says of it; None if nothing.

    >>> StoredWeights(Path("nowhere"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: nowhere: no such file
    """

    def __init__(self, path: Path, digest: object = None) -> None:
        content = read_regular(path)
        try:
            self._stored: dict[str, NDArray[Any]] = load(content)
        except (SafetensorError, ValueError, KeyError, IndexError) as error:
            raise CorelaxError(f"{path}: not whole ({error}); copy or train it again") from None
        check_digest(path, content, digest)
        self._path = path

    def __call__(self, name: str) -> Floats32:
        """A weight, in four bytes."""
        if name == WHO and SPEAKER in self._stored:  # of an older format
            return who_table(self(SPEAKER))
        if name == SHAPE and SPEAKER in self._stored:
            return shape_table(self("spans.start.weight").shape[1])
        return self.rows(name, slice(None))

    def rows(self, name: str, numbers: Ints | slice) -> Floats32:
        """[..., size] rows of a matrix, [...] by their numbers."""
        if name not in self._stored:
            raise CorelaxError(f"{self._path}: {name} is missing")
        stored, scale = self._stored[name], self._stored.get(name + SCALE)
        if stored.dtype == np.int8:
            if scale is None or stored.ndim != 2 or scale.shape != stored.shape[:1]:
                raise CorelaxError(
                    f"{self._path}: {name} is in bytes, without its scales; copy or train it again"
                )
            weight = stored[numbers].astype(np.float32)
            weight *= scale[numbers].astype(np.float32)[..., None]
        else:
            weight = np.ascontiguousarray(stored[numbers], np.float32)
        if not np.isfinite(weight.max(initial=0.0) - weight.min(initial=0.0)):
            raise CorelaxError(
                f"{self._path}: {name} holds values that are not finite; copy or train it again"
            )
        return weight

    def in_bytes(self, name: str) -> NDArray[np.int8]:
        """[row, column] a matrix as it is stored; its rows have scales under `name` and `SCALE`."""
        stored = self._stored.get(name)
        if stored is None or stored.dtype != np.int8:
            raise CorelaxError(f"{self._path}: {name} is not in bytes; export the graphs again")
        return stored

    @property
    def names_in_bytes(self) -> list[str]:
        """The names of the matrices that are stored in bytes."""
        return [name for name, stored in self._stored.items() if stored.dtype == np.int8]

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a weight."""
        if name not in self._stored:
            raise CorelaxError(f"{self._path}: {name} is missing")
        return self._stored[name].shape
