"""An encoder of the kind of BERT or MPNet, by `encoder.c`."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax_kernels.library import (
    Address,
    Floats,
    Ints,
    Kept,
    Number,
    addresses,
    check_memory,
    library,
)

PANEL, HEAD = 64, 32  # sizes of matrices and of heads are multiples of these
WIDEST = 65_536  # numbers whose products with bytes four bytes can add up
LOG2_E = 1.4426950408889634


class ByteMatrix(NamedTuple):
    """diag(scales) weights, and what is added to a product with it.

    Attributes:
        weights: [row, column] bytes.
        scales: [row].
        bias: [row].
    """

    weights: NDArray[np.int8]
    scales: Floats
    bias: Floats


class Norm(NamedTuple):
    """A layer norm: [size] each."""

    weight: Floats
    bias: Floats


class Layer(NamedTuple):
    """A layer of an encoder.

    Attributes:
        all: [3 hidden, hidden] queries, keys and values.
        out: [hidden, hidden] after attention.
        inner: [inner, hidden].
        outer: [hidden, inner].
        mixed_norm: After attention.
        norm: At the end.
    """

    all: ByteMatrix
    out: ByteMatrix
    inner: ByteMatrix
    outer: ByteMatrix
    mixed_norm: Norm
    norm: Norm


class _Matrix(ctypes.Structure):
    _fields_ = (
        ("rows", Number),
        ("columns", Number),
        *addresses("packed sums scales bias"),
    )


class _Norm(ctypes.Structure):
    _fields_ = addresses("weight bias")


class _Layer(ctypes.Structure):
    _fields_ = (
        *((name, _Matrix) for name in ("all", "out", "inner", "outer")),
        *((name, _Norm) for name in ("mixed_norm", "norm")),
    )


class _Encoder(ctypes.Structure):
    _fields_ = (
        ("hidden", Number),
        ("heads", Number),
        ("layers", Number),
        ("reach", Number),
        ("epsilon", ctypes.c_float),
        ("place", Address),
        ("bias", Address),
        ("norm", _Norm),
        ("layer", ctypes.POINTER(_Layer)),
    )


class Encoder:
    """Vectors of word pieces in, vectors in their context out.

    Args:
        heads: The number of attention heads.
        epsilon: What layer norms add to the variance.
        place: [place, hidden] what is added to the vector of a piece at that place in its window.
        norm: The layer norm of that sum.
        layers: All of the same sizes.
        bias: [head, 2 reach − 1] what is added to attention's scores, by the distance from query to key,
            which is −(reach − 1) first; None for none.

    Attributes:
        longest: How many pieces a window may have.

    Raises:
        ValueError: The kernels cannot compute it: hidden and inner sizes must be multiples of 64, those of
            heads of 32.
    """

    def __init__(
        self,
        *,
        heads: int,
        epsilon: float,
        place: Floats,
        norm: Norm,
        layers: Sequence[Layer],
        bias: Floats | None = None,
    ) -> None:
        self._kept = Kept()
        self.longest, self._hidden = place.shape
        hidden, inner = self._hidden, len(layers[0].inner.weights) if layers else 0
        fits = heads > 0 and hidden % (heads * HEAD) == 0 and inner % PANEL == hidden % PANEL == 0
        if not (fits and 0 < hidden <= WIDEST and 0 < inner <= WIDEST):
            raise ValueError(
                f"{hidden} numbers in {heads} heads, {inner} inside: not made for them"
            )
        made = (_Layer * len(layers))()
        for at, layer in enumerate(layers):
            made[at] = _Layer(
                self._matrix(layer.all, 3 * hidden, hidden),
                self._matrix(layer.out, hidden, hidden),
                self._matrix(layer.inner, inner, hidden),
                self._matrix(layer.outer, hidden, inner),
                self._norm(layer.mixed_norm),
                self._norm(layer.norm),
            )
        self._layers = made
        reach, table = 0, None
        if bias is not None:
            reach = (bias.shape[1] + 1) // 2
            self.longest = min(self.longest, reach)
            table = self._kept.address(bias * LOG2_E, np.float32, (heads, 2 * reach - 1))
        self._encoder = _Encoder(
            hidden=hidden,
            heads=heads,
            layers=len(layers),
            reach=reach,
            epsilon=epsilon,
            place=self._kept.address(place, np.float32, place.shape),
            bias=table,
            norm=self._norm(norm),
            layer=made,
        )

    def __call__(self, vectors: Floats, lengths: Ints, threads: int = 1) -> Floats:
        """[row, hidden] vectors in context.

        Args:
            vectors: [row, hidden] what is looked up for pieces, window after window.
            lengths: [window] how many rows each window has.
            threads: How many threads compute.
        """
        first = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=first[1:])
        if vectors.shape != (first[-1], self._hidden):
            raise ValueError(f"vectors {vectors.shape} for windows with {first[-1]} pieces")
        if len(lengths) and not 0 < int(np.min(lengths)) <= int(np.max(lengths)) <= self.longest:
            raise ValueError(f"a window has 1 to {self.longest} pieces")
        vectors = np.ascontiguousarray(vectors, np.float32)
        result = np.empty_like(vectors)
        if len(vectors):
            failed = library().corelax_encode(
                ctypes.byref(self._encoder),
                Address(vectors.ctypes.data),
                Address(first.ctypes.data),
                Number(len(lengths)),
                Number(max(1, threads)),
                Address(result.ctypes.data),
            )
            check_memory(failed)
        return result

    def _matrix(self, matrix: ByteMatrix, rows: int, columns: int) -> _Matrix:
        weights = np.ascontiguousarray(matrix.weights, np.int8)
        if weights.shape != (rows, columns):
            raise ValueError(f"a matrix {weights.shape} instead of {(rows, columns)}")
        packed, sums = np.empty_like(weights), np.empty(rows, np.float32)
        library().corelax_pack_bytes(
            Address(weights.ctypes.data),
            Number(rows),
            Number(columns),
            Address(packed.ctypes.data),
            Address(sums.ctypes.data),
        )
        return _Matrix(
            rows,
            columns,
            self._kept.address(packed, np.int8, (rows, columns)),
            self._kept.address(sums, np.float32, (rows,)),
            self._kept.address(matrix.scales, np.float32, (rows,)),
            self._kept.address(matrix.bias, np.float32, (rows,)),
        )

    def _norm(self, norm: Norm) -> _Norm:
        shape = (self._hidden,)
        return _Norm(*(self._kept.address(part, np.float32, shape) for part in norm))
