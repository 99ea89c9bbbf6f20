"""Weights as they lie in `model.safetensors`: four bytes each, two, or one with scales.

In bytes, each row of a matrix has a scale s, its largest weight / 127, and a weight is s times a whole
number; what is no matrix is then stored in two bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from corelax.core.errors import CorelaxError
from corelax.core.files import write_bytes
from corelax.core.folders import check_digest, read_regular
from corelax.decode.arrays import Ints

PRECISIONS = ("int8", "half", "full")
SCALE = ".scale"  # a matrix in bytes has its scales under its name and this

Floats32 = NDArray[np.float32]


def write_packed(path: Path, weights: Mapping[str, Floats32], precision: str) -> None:
    write_bytes(path, save(packed(weights, precision)))


def packed(weights: Mapping[str, Floats32], precision: str) -> dict[str, NDArray[Any]]:
    """Weights as they are stored.

    >>> small = packed({"w": np.array([[1.27, -0.01], [0.0, 0.5]], np.float32)}, "int8")
    >>> small["w"].tolist(), small["w.scale"].round(3).tolist()
    ([[127, -1], [0, 127]], [0.009999999776482582, 0.004000000189989805])
    """
    result: dict[str, NDArray[Any]] = {}
    for name, weight in weights.items():
        if precision == "int8" and weight.ndim == 2:
            scale = np.maximum(np.abs(weight).max(1, initial=0.0), np.float32(1e-12)) / np.float32(
                127
            )
            result[name] = (weight / scale[:, None]).round().astype(np.int8)
            result[name + SCALE] = scale
        else:
            result[name] = weight if precision == "full" else weight.astype(np.float16)
    return result


class StoredWeights:
    """The weights of a model folder. Nothing is unpacked that is not used.

    Args:
        path: The file.
        digest: What `config.json` says of it; None if nothing.

    >>> StoredWeights(Path("nowhere"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: nowhere: no such file
    """

    def __init__(self, path: Path, digest: object = None) -> None:
        self._path = path
        content = read_regular(path)
        try:
            self._stored: dict[str, NDArray[Any]] = load(content)
            self._check_scales()
        except (SafetensorError, ValueError, KeyError, IndexError) as error:
            raise CorelaxError(f"{path}: not whole ({error}); copy or train it again") from None
        check_digest(path, content, digest)  # after what can be said in more detail

    def _check_scales(self) -> None:
        for name, stored in self._stored.items():
            scale = self._stored.get(name + SCALE)
            if name.endswith(SCALE):
                if name.removesuffix(SCALE) not in self._stored:
                    raise ValueError(f"{name} is without its weights")
            elif stored.dtype == np.int8:
                if scale is None:
                    raise ValueError(f"{name} is in bytes, without its scales")
                if stored.ndim != 2 or scale.shape != stored.shape[:1]:
                    shapes = f"{list(scale.shape)} for {list(stored.shape)}"
                    raise ValueError(f"{name}{SCALE} does not fit: {shapes}")
            elif scale is not None or not np.issubdtype(stored.dtype, np.floating):
                raise ValueError(f"{name} has the unsupported type {stored.dtype}")

    @property
    def names(self) -> list[str]:
        return [name for name in self._stored if not name.endswith(SCALE)]

    @property
    def names_in_bytes(self) -> list[str]:
        return [name for name, stored in self._stored.items() if stored.dtype == np.int8]

    def shape(self, name: str) -> tuple[int, ...]:
        return self._of(name).shape

    def __call__(self, name: str) -> Floats32:
        """A weight, in four bytes."""
        return self.rows(name, slice(None))

    def rows(self, name: str, numbers: Ints | slice) -> Floats32:
        """[..., size] rows of a matrix, [...] by their numbers."""
        stored, scale = self._of(name), self._stored.get(name + SCALE)
        weight = np.ascontiguousarray(stored[numbers], np.float32)
        if scale is not None:
            with np.errstate(invalid="ignore"):  # what comes of infinite scales is refused below
                weight *= scale[numbers].astype(np.float32)[..., None]
        if not np.isfinite(weight.max(initial=0.0) - weight.min(initial=0.0)):
            raise CorelaxError(
                f"{self._path}: {name} holds values that are not finite; copy or train it again"
            )
        return weight

    def in_bytes(self, name: str) -> NDArray[np.int8]:
        """[row, column] a matrix as it is stored; its rows have scales under `name` and `SCALE`."""
        stored = self._of(name)
        if stored.dtype != np.int8:
            raise CorelaxError(f"{self._path}: {name} is not in bytes; export the graphs again")
        return stored

    def _of(self, name: str) -> NDArray[Any]:
        if name not in self._stored:
            raise CorelaxError(f"{self._path}: {name} is missing")
        return self._stored[name]
