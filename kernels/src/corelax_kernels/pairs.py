"""Scores of pairs of spans, by `pairs.c`."""

from __future__ import annotations

import ctypes

import numpy as np

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

HIDDEN, SIZE = 64, 32  # sizes are multiples of these


class _Scorer(ctypes.Structure):
    _fields_ = (
        ("size", Number),
        ("hidden", Number),
        *addresses("product place who out"),
        ("bias", ctypes.c_float),
    )


class _Pairs(ctypes.Structure):
    _fields_ = (
        ("scorer", ctypes.POINTER(_Scorer)),
        ("rows", Number),
        ("candidates", Number),
        *addresses("vectors own previous row where place who coarse scores"),
        ("failed", ctypes.c_int),
    )


class PairScorer:
    """How well earlier spans fit as antecedents: `pairs.c` has the formula.

    Args:
        product: [hidden, size] R.
        place: [place, hidden] a row for each number of where the two are.
        who: [who, hidden] a row for each number of who they are.
        out: [hidden] v.
        bias: b.

    Raises:
        ValueError: The kernel cannot compute it: sizes must be multiples of 32, hidden sizes of 64.
    """

    def __init__(
        self, *, product: Floats, place: Floats, who: Floats, out: Floats, bias: float
    ) -> None:
        hidden, size = product.shape
        if hidden % HIDDEN or size % SIZE or not product.size:
            raise ValueError(f"spans of {size} numbers, {hidden} hidden ones: not made for them")
        self._hidden, self._size = hidden, size
        self._places, self._whos = len(place), len(who)
        kept = self._kept = Kept()
        product = np.ascontiguousarray(product, np.float32)
        packed = np.empty(product.shape, np.uint16)
        library().corelax_pack_pairs(
            Address(product.ctypes.data), Number(hidden), Number(size), Address(packed.ctypes.data)
        )
        self._scorer = _Scorer(
            size,
            hidden,
            kept.address(packed, np.uint16, (hidden, size)),
            kept.address(place, np.float32, (len(place), hidden)),
            kept.address(who, np.float32, (len(who), hidden)),
            kept.address(out, np.float32, (hidden,)),
            bias,
        )

    def __call__(
        self,
        *,
        vectors: Floats,
        own: Floats,
        previous: Floats,
        row: Ints,
        where: Ints,
        place: Ints,
        who: Ints,
        coarse: Floats,
        threads: int = 1,
    ) -> Floats:
        """[row, candidate] the coarse score and what the pair adds to it; −∞ where there is no candidate.

        Args:
            vectors: [span, size].
            own: [row, hidden] what a span brings by itself as the later one.
            previous: [span, hidden] what it brings as the earlier one.
            row: [row] which span each row is.
            where: [row, candidate] which spans the candidates are.
            place: [row, candidate] numbers of where the two are.
            who: [row, candidate] numbers of who they are.
            coarse: [row, candidate] −∞ where there is no candidate.
            threads: How many threads compute.
        """
        rows, candidates = shape = coarse.shape
        spans, hidden = len(vectors), self._hidden
        scores, kept = np.empty(shape, np.float32), Kept()
        pairs = _Pairs(
            scorer=ctypes.pointer(self._scorer),
            rows=rows,
            candidates=candidates,
            vectors=kept.address(vectors, np.float32, (spans, self._size)),
            own=kept.address(own, np.float32, (rows, hidden)),
            previous=kept.address(previous, np.float32, (spans, hidden)),
            row=kept.numbers("row", row, (rows,), spans),
            where=kept.numbers("where", where, shape, spans),
            place=kept.numbers("place", place, shape, self._places),
            who=kept.numbers("who", who, shape, self._whos),
            coarse=kept.address(coarse, np.float32, shape),
            scores=scores.ctypes.data,
        )
        if scores.size:
            check_memory(
                library().corelax_score_pairs(ctypes.byref(pairs), Number(max(1, threads)))
            )
        return scores
