"""The Triton kernels of `fused_pairs.py`: scores of pairs, and sums of their gradients, tile by tile.

Arguments are those of `PairInputs`. A tile is [row, column, unit]: some mentions i, some mentions j, some
hidden units. What is loaded for a row or a column serves all pairs of a tile; only C differs from pair to
pair. A pair of which one mention does not exist counts as 0.
"""

# mypy: disable-error-code="import-not-found, no-untyped-def, untyped-decorator"
from __future__ import annotations

import triton
import triton.language as tl

SCALE = tl.constexpr(2.8853900817779268)  # 2 / ln 2
DRAWN_STEP = tl.constexpr(2.0**-24)  # between the shares that can be drawn


@triton.jit
def _tanh(x):
    """1 − 2 / (e^2x + 1), by the fast units of the GPU: right to some 2 · 10⁻⁷ on a scale of 1."""
    power = tl.inline_asm_elementwise(
        "ex2.approx.ftz.f32 $0, $1;", "=r,r", [x * SCALE], tl.float32, is_pure=True, pack=1
    )
    part = tl.inline_asm_elementwise(
        "rcp.approx.ftz.f32 $0, $1;", "=r,r", [power + 1.0], tl.float32, is_pure=True, pack=1
    )
    return 1.0 - 2.0 * part


@triton.jit
def _rows(values, which, k, n, size):
    """[mention, unit] values of some mentions."""
    known = (which < n)[:, None] & (k < size)[None, :]
    return tl.load(values + which[:, None] * size + k[None, :], mask=known, other=0.0)


@triton.jit
def _hidden(of_rows, of_columns, table, code, k, size):
    """[row, column, unit] tanh(A_i + B_j + C[code_ij])."""
    place = code[:, :, None] * size + k[None, None, :]
    of_pairs = tl.load(table + place, mask=(k < size)[None, None, :], other=0.0)
    return _tanh(of_rows[:, None, :] + of_columns[None, :, :] + of_pairs)


@triton.jit
def kept(seed, place, dropout):
    """1 for values that are used, 0 for those that are left out, by the places of the values.

    Each by a hash of its place and the seed (Wellons' lowbias32), a fifth of the work of Triton's own draws.
    """
    drawn = place.to(tl.uint32) ^ tl.load(seed).to(tl.uint32)
    drawn = (drawn ^ (drawn >> 16)) * 0x7FEB352D
    drawn = (drawn ^ (drawn >> 15)) * 0x846CA68B
    drawn = drawn ^ (drawn >> 16)
    return ((drawn >> 8).to(tl.float32) * DRAWN_STEP >= dropout).to(tl.float32)


@triton.jit
def scores(
    current, previous, table, codes, seed, output, values, reach, n, size, dropout,
    has_dropout: tl.constexpr, rows: tl.constexpr, columns: tl.constexpr, units: tl.constexpr,
):  # fmt: skip
    """The scores of a tile of pairs, whatever the hidden unit."""
    first, low = tl.program_id(0) * rows, tl.program_id(1) * columns
    if (low < first + rows) & (low + columns + reach > first):
        i, j = first + tl.arange(0, rows), low + tl.arange(0, columns)
        is_pair = (i < n)[:, None] & (j < n)[None, :]
        pair = i[:, None] * n + j[None, :]
        code = tl.load(codes + pair, mask=is_pair, other=0)
        total = tl.zeros([rows, columns, units], tl.float32)
        for start in range(0, size, units):
            k = start + tl.arange(0, units)
            of_rows, of_columns = _rows(current, i, k, n, size), _rows(previous, j, k, n, size)
            hidden = _hidden(of_rows, of_columns, table, code, k, size)
            if has_dropout:
                hidden *= kept(seed, pair[:, :, None] * size + k[None, None, :], dropout)
            total += hidden * tl.load(output + k, mask=k < size, other=0.0)[None, None, :]
        tl.store(values + pair, tl.sum(total, 2), mask=is_pair)


@triton.jit
def gradients(
    current, previous, table, codes, seed, gradient, code_bits, of_current, of_output, of_slots, of_columns,
    start, reach, segment, n, size, slots, dropout,
    has_dropout: tl.constexpr, rows: tl.constexpr, columns: tl.constexpr, units: tl.constexpr,
    most_slots: tl.constexpr,
):  # fmt: skip
    """Of a group of rows i, a segment of columns j and some hidden units: what they add to all gradients.

    `code_bits` has a bit for each slot of a code. Their sums are products of matrices of two-byte numbers,
    of what g (1 − h²) is rounded to and of the rest: 16 bits are right.
    """
    group = tl.num_programs(0) - 1 - tl.program_id(0)  # those with the most pairs begin first
    part = tl.program_id(1)
    k = tl.program_id(2) * units + tl.arange(0, units)
    first = start + group * rows
    i, slot = first + tl.arange(0, rows), tl.arange(0, most_slots)
    of_rows = _rows(current, i, k, n, size)
    by_row = tl.zeros([rows, units], tl.float32)
    by_unit = tl.zeros([rows, units], tl.float32)
    by_slot = tl.zeros([most_slots, units], tl.float32)
    begin = tl.maximum(first - reach, 0) // columns * columns + part * segment
    end = tl.minimum(tl.minimum(first + rows, n), begin + segment)
    j = begin + tl.arange(0, columns)
    pair = i[:, None] * n + j[None, :]
    is_pair = (i < n)[:, None] & (j < end)[None, :]
    code = tl.load(codes + pair, mask=is_pair, other=0)
    g = tl.load(gradient + pair, mask=is_pair, other=0.0)
    for _ in range(begin, end, columns):
        # What the next tile needs first is on its way while this one is computed.
        following = pair + columns
        is_pair = (i < n)[:, None] & (j + columns < end)[None, :]
        next_code = tl.load(codes + following, mask=is_pair, other=0)
        next_g = tl.load(gradient + following, mask=is_pair, other=0.0)
        bits = tl.load(code_bits + tl.reshape(code, [rows * columns]))
        hidden = _hidden(of_rows, _rows(previous, j, k, n, size), table, code, k, size)
        shown = g[:, :, None]
        if has_dropout:
            shown = shown * kept(seed, pair[:, :, None] * size + k[None, None, :], dropout)
        slope = shown * (1 - hidden * hidden)
        by_row += tl.sum(slope, 1)
        by_unit += tl.sum(shown * hidden, 1)
        tl.store(
            of_columns + (group * n + j)[:, None] * size + k[None, :],
            tl.sum(slope, 0),
            mask=(j < n)[:, None] & (k < size)[None, :],
        )
        has_slot = ((bits[None, :] >> slot[:, None]) & 1).to(tl.bfloat16)  # [slot, pair]
        slope = tl.reshape(slope, [rows * columns, units])
        rounded = slope.to(tl.bfloat16)
        by_slot = tl.dot(has_slot, rounded, by_slot)
        by_slot = tl.dot(has_slot, (slope - rounded.to(tl.float32)).to(tl.bfloat16), by_slot)
        code, g, pair, j = next_code, next_g, following, j + columns
    known = (i < n)[:, None] & (k < size)[None, :]
    place = (part * n + i)[:, None] * size + k[None, :]
    tl.store(of_current + place, by_row, mask=known)
    number = ((first // rows) * tl.num_programs(1) + part).to(tl.int64)
    tl.store(of_output + number * size + k, tl.sum(by_unit, 0), mask=k < size)
    place = (number * slots + slot)[:, None] * size + k[None, :]
    tl.store(of_slots + place, by_slot, mask=(slot < slots)[:, None] & (k < size)[None, :])


@triton.jit
def column_sums(
    of_columns, of_previous, start, groups, reach, n, size,
    rows: tl.constexpr, columns: tl.constexpr, units: tl.constexpr,
):  # fmt: skip
    """Adds what the groups of rows have left for some columns j and hidden units to ∂B_j."""
    low = tl.program_id(0) * columns
    j = low + tl.arange(0, columns)
    k = tl.program_id(1) * units + tl.arange(0, units)
    known = (j < n)[:, None] & (k < size)[None, :]
    place = j[:, None] * size + k[None, :]
    total = tl.load(of_previous + place, mask=known, other=0.0)
    for group in range(tl.maximum(low - start, 0) // rows, groups):
        begin = tl.maximum(start + group * rows - reach, 0) // columns * columns
        of_group = of_columns + group * n * size + place
        total += tl.load(of_group, mask=known & (low >= begin), other=0.0)
    tl.store(of_previous + place, total, mask=known)
