"""The Triton kernels of `fused_pairs.py`: scores of pairs, and sums of their gradients, tile by tile.

Arguments are those of `PairInputs`; `i` and `j` are the mentions of a tile's pairs, `k` its hidden units. A
pair of which one mention does not exist counts as 0.
"""

# mypy: disable-error-code="import-not-found, no-untyped-def, untyped-decorator"
from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _hidden(current, previous, table, codes, i, j, k, n, size):
    """[pair, unit] tanh(A_i + B_j + C[code_ij]); i and j are [pair], k is [unit]."""
    is_pair = (i < n) & (j < n)
    code = tl.load(codes + i * n + j, mask=is_pair, other=0)
    known = is_pair[:, None] & (k < size)[None, :]
    total = tl.load(current + i[:, None] * size + k[None, :], mask=known, other=0.0)
    total += tl.load(previous + j[:, None] * size + k[None, :], mask=known, other=0.0)
    total += tl.load(table + code[:, None] * size + k[None, :], mask=known, other=0.0)
    return 1 - 2 / (tl.exp(2 * total) + 1)


@triton.jit
def _kept(seed, i, j, k, n, size, dropout):
    """[pair, unit] 1 for values that are used, 0 for those that are left out."""
    place = (i * n + j)[:, None] * size + k[None, :]
    return (tl.rand(tl.load(seed), place) >= dropout).to(tl.float32)


@triton.jit
def scores(
    current, previous, table, codes, seed, output, values, reach, n, size, dropout,
    has_dropout: tl.constexpr, rows: tl.constexpr, columns: tl.constexpr, units: tl.constexpr,
):  # fmt: skip
    """The scores of a tile of pairs."""
    first, low = tl.program_id(0) * rows, tl.program_id(1) * columns
    if (low < first + rows) & (low + columns + reach > first):
        pair = tl.arange(0, rows * columns)
        i, j = first + pair // columns, low + pair % columns
        total = tl.zeros([rows * columns, units], tl.float32)
        for start in range(0, size, units):
            k = start + tl.arange(0, units)
            hidden = _hidden(current, previous, table, codes, i, j, k, n, size)
            if has_dropout:
                hidden *= _kept(seed, i, j, k, n, size, dropout)
            weight = tl.load(output + k, mask=k < size, other=0.0)
            total += hidden * weight[None, :]
        tl.store(values + i * n + j, tl.sum(total, 1), mask=(i < n) & (j < n))


@triton.jit
def _gradient_tile(
    current, previous, table, codes, seed, gradient, i, j, k, n, size, dropout,
    has_dropout: tl.constexpr,
):  # fmt: skip
    """[pair, unit] g h and g (1 − h²), both 0 where dropout leaves h out."""
    hidden = _hidden(current, previous, table, codes, i, j, k, n, size)
    g = tl.load(gradient + i * n + j, mask=(i < n) & (j < n), other=0.0)[:, None]
    shown, slope = g * hidden, g * (1 - hidden * hidden)
    if has_dropout:
        kept = _kept(seed, i, j, k, n, size, dropout)
        shown *= kept
        slope *= kept
    return shown, slope


@triton.jit
def row_gradients(
    current, previous, table, codes, seed, gradient, of_current, of_output, reach, n, size, dropout,
    has_dropout: tl.constexpr, rows: tl.constexpr, columns: tl.constexpr, units: tl.constexpr,
):  # fmt: skip
    """Of some rows i and hidden units: ∂A_i, and what they add to ∂u."""
    group = tl.program_id(0)
    first = group * rows
    k = tl.program_id(1) * units + tl.arange(0, units)
    pair = tl.arange(0, rows * columns)
    i = first + pair // columns
    slopes = tl.zeros([rows * columns, units], tl.float32)
    values = tl.zeros([rows * columns, units], tl.float32)
    begin = tl.maximum(first - reach, 0) // columns * columns
    for low in range(begin, tl.minimum(first + rows, n), columns):
        j = low + pair % columns
        shown, slope = _gradient_tile(
            current, previous, table, codes, seed, gradient, i, j, k, n, size, dropout, has_dropout
        )
        slopes += slope
        values += shown
    row = first + tl.arange(0, rows)
    tl.store(
        of_current + row[:, None] * size + k[None, :],
        tl.sum(tl.reshape(slopes, [rows, columns, units]), 1),
        mask=(row < n)[:, None] & (k < size)[None, :],
    )
    tl.store(of_output + group * size + k, tl.sum(values, 0), mask=k < size)


@triton.jit
def column_gradients(
    current, previous, table, codes, seed, gradient, of_previous, reach, n, size, dropout,
    has_dropout: tl.constexpr, rows: tl.constexpr, columns: tl.constexpr, units: tl.constexpr,
):  # fmt: skip
    """Of some columns j and hidden units: ∂B_j."""
    low = tl.program_id(0) * columns
    k = tl.program_id(1) * units + tl.arange(0, units)
    pair = tl.arange(0, rows * columns)
    j = low + pair % columns
    slopes = tl.zeros([rows * columns, units], tl.float32)
    for first in range(low // rows * rows, tl.minimum(low + columns + reach + rows, n), rows):
        i = first + pair // columns
        _, slope = _gradient_tile(
            current, previous, table, codes, seed, gradient, i, j, k, n, size, dropout, has_dropout
        )
        slopes += slope
    column = low + tl.arange(0, columns)
    tl.store(
        of_previous + column[:, None] * size + k[None, :],
        tl.sum(tl.reshape(slopes, [rows, columns, units]), 0),
        mask=(column < n)[:, None] & (k < size)[None, :],
    )


@triton.jit
def chunk_gradients(
    current, previous, table, codes, seed, gradient, rows, columns, begin, end, of_chunks, n, size, dropout,
    has_dropout: tl.constexpr, pairs: tl.constexpr, units: tl.constexpr,
):  # fmt: skip
    """Of a chunk of pairs with the same code, and some hidden units: what they add to ∂C."""
    chunk = tl.program_id(0)
    k = tl.program_id(1) * units + tl.arange(0, units)
    slopes = tl.zeros([pairs, units], tl.float32)
    stop = tl.load(end + chunk)
    for first in range(tl.load(begin + chunk), stop, pairs):
        place = first + tl.arange(0, pairs)
        i = tl.load(rows + place, mask=place < stop, other=n)  # no pair has i = n
        j = tl.load(columns + place, mask=place < stop, other=n)
        _, slope = _gradient_tile(
            current, previous, table, codes, seed, gradient, i, j, k, n, size, dropout, has_dropout
        )
        slopes += slope
    tl.store(of_chunks + chunk.to(tl.int64) * size + k, tl.sum(slopes, 0), mask=k < size)
