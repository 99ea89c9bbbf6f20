"""Triton kernels for layers over lists of pairs: what would be several passes over all hidden values is one.

Arguments: `blocks` is [block, 4] of `PairList.table`, `k` the hidden units of a program.
"""

# mypy: disable-error-code="import-not-found, no-untyped-def, untyped-decorator"
from __future__ import annotations

import triton
import triton.language as tl

from corelax.rankers.sparse.pair_kernels import kept


@triton.jit
def first_layer(
    current, previous, rows, columns, seed, hidden, number, size, dropout, scale,
    has_dropout: tl.constexpr, pairs: tl.constexpr, units: tl.constexpr,
):  # fmt: skip
    """drop(ReLU(A_i + B_j + C φ)) of some pairs and hidden units, in place of C φ."""
    pair = tl.program_id(0) * pairs + tl.arange(0, pairs)
    k = tl.program_id(1) * units + tl.arange(0, units)
    i = tl.load(rows + pair, mask=pair < number, other=0).to(tl.int32)
    j = tl.load(columns + pair, mask=pair < number, other=0).to(tl.int32)
    known = (pair < number)[:, None] & (k < size)[None, :]
    place = pair[:, None] * size + k[None, :]
    total = tl.load(hidden + place, mask=known, other=0.0).to(tl.float32)
    total += tl.load(current + i[:, None] * size + k[None, :], mask=known, other=0.0)
    total += tl.load(previous + j[:, None] * size + k[None, :], mask=known, other=0.0)
    total = tl.maximum(total, 0.0) * scale
    if has_dropout:
        total *= kept(seed, place, dropout)
    tl.store(hidden + place, total, mask=known)


@triton.jit
def rectify(values, seed, number, dropout, scale, has_dropout: tl.constexpr, block: tl.constexpr):
    """ReLU and dropout of some values, in place."""
    place = tl.program_id(0) * block + tl.arange(0, block)
    total = tl.load(values + place, mask=place < number, other=0.0).to(tl.float32)
    total = tl.maximum(total, 0.0) * scale
    if has_dropout:
        total *= kept(seed, place, dropout)
    tl.store(values + place, total, mask=place < number)


@triton.jit
def row_sums(values, blocks, sums, height, size, pairs: tl.constexpr, units: tl.constexpr):
    """Sums over the pairs of a mention i, which lie next to each other."""
    i = tl.program_id(0)
    k = tl.program_id(1) * units + tl.arange(0, units)
    block = blocks + i // height * 4
    width = tl.load(block + 2)
    begin = tl.load(block + 3) + (i - tl.load(block)) * width
    total = tl.zeros([pairs, units], tl.float32)
    for first in range(0, width, pairs):
        pair = first + tl.arange(0, pairs)
        known = (pair < width)[:, None] & (k < size)[None, :]
        place = (begin + pair)[:, None] * size + k[None, :]
        total += tl.load(values + place, mask=known, other=0.0).to(tl.float32)
    tl.store(sums + i * size + k, tl.sum(total, 0), mask=k < size)


@triton.jit
def column_sums(
    values, blocks, sums, number, height, n, size, pairs: tl.constexpr, units: tl.constexpr
):
    """Sums over the pairs of a mention j, block by block."""
    j = tl.program_id(0)
    k = tl.program_id(1) * units + tl.arange(0, units)
    total = tl.zeros([pairs, units], tl.float32)
    for which in range(0, number):
        block = blocks + which * 4
        first, low, width = tl.load(block), tl.load(block + 1), tl.load(block + 2)
        rows = tl.minimum(height, n - first)
        has_column = (j >= low) & (j < low + width)
        begin = tl.load(block + 3) + j - low
        for start in range(0, tl.where(has_column, rows, 0), pairs):
            row = start + tl.arange(0, pairs)
            known = (row < rows)[:, None] & (k < size)[None, :]
            place = (begin + row * width)[:, None] * size + k[None, :]
            total += tl.load(values + place, mask=known, other=0.0).to(tl.float32)
    tl.store(sums + j * size + k, tl.sum(total, 0), mask=k < size)
