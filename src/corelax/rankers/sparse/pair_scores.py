"""u · tanh(A_i + B_j + C[code_ij]) for all pairs of a document, block by block.

The hidden layer of a document with n mentions has n²/2 · 700 numbers: 170 MB at n = 350, 110 GB at 9,000.
Rows i are taken in blocks that stay in the cache of a processor. For the backward pass hidden values are kept
if they are few enough, else computed again.

Gradients are matrix products. With h' = 1 − h² and g = ∂loss/∂s,

    ∂A_i = u ∘ Σ_j g_ij h'_ij          ∂C = u ∘ Σ_ij g_ij M[code_ij]ᵀ h'_ij
    ∂B_j = u ∘ Σ_i g_ij h'_ij          ∂u = Σ_ij g_ij h_ij

where M has a row of zeros and ones for each code, and C = M · slots. Nothing is added up in scattered order,
hence the same result every time. Where a GPU has Triton, `fused_pairs.py` does the same without hidden
values in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import embedding

from corelax.core.errors import CorelaxError


class Limits(NamedTuple):
    """How many hidden values a block may have, and how many may be kept for the backward pass."""

    block: int
    kept: int


ON_CPU = Limits(1 << 21, 1 << 27)
ELSEWHERE = Limits(1 << 24, 1 << 32)


class PairScores(torch.autograd.Function):
    """[mention, antecedent] the scores of all pairs; what is not below the diagonal means nothing."""

    @staticmethod
    def forward(
        ctx: Any,
        current: Tensor,
        previous: Tensor,
        slots: Tensor,
        output: Tensor,
        code_slots: Tensor,
        codes: Tensor,
        dropout: float,
        window: int,
    ) -> Tensor:
        """Scores.

        Args:
            ctx: Autograd's context.
            current: [mention, hidden] A_i, with the bias.
            previous: [mention, hidden] B_j.
            slots: [slot, hidden] weights of the features that codes are made of.
            output: [hidden] u.
            code_slots: [code, slot] M, 1 where a code has a feature.
            codes: [mention, antecedent] the code of each pair.
            dropout: The chance of a hidden value to be left out.
            window: How far back antecedents are looked at, at least; 0 for all the way.
        """
        n, size = current.shape
        limits = ELSEWHERE if current.is_cuda else ON_CPU
        keep = ctx.needs_input_grad[0] and n * n * size <= limits.kept
        if dropout and current.is_cuda and not keep:
            raise CorelaxError(
                f"a document of {n} mentions is too long for dropout; set max_mentions"
            )
        ctx.seed = int(torch.randint(1 << 62, [])) if dropout and not current.is_cuda else None
        table = code_slots @ slots  # C [code, hidden]
        scores = current.new_zeros(n, n)
        ctx.kept = []
        for block in blocks(n, size, limits.block, window):
            rows, columns = block
            hidden = _hidden(current, previous, table, codes, block)
            mask = _mask(hidden, dropout, ctx.seed, rows.start)
            used = hidden if mask is None else hidden * mask
            scores[rows, columns] = used @ (output / (1 - dropout))
            if keep:
                ctx.kept.append((hidden, mask))
        ctx.save_for_backward(current, previous, table, output, code_slots, codes)
        ctx.dropout, ctx.window = dropout, window
        return scores

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Sums over pairs, block by block."""
        if ctx.dropout and ctx.seed is None and not ctx.kept:
            raise RuntimeError("the hidden values of a step with dropout are gone: backward once")
        current, previous, table, output, code_slots, codes = ctx.saved_tensors
        n, size = current.shape
        limits = ELSEWHERE if current.is_cuda else ON_CPU
        of_current, of_previous = torch.empty_like(current), torch.zeros_like(previous)
        of_slots, of_output = current.new_zeros(code_slots.shape[1], size), torch.zeros_like(output)
        ones = current.new_ones([])
        for number, block in enumerate(blocks(n, size, limits.block, ctx.window)):
            rows, columns = block
            if ctx.kept:
                hidden, mask = ctx.kept[number]
            else:
                hidden = _hidden(current, previous, table, codes, block)
                mask = _mask(hidden, ctx.dropout, ctx.seed, rows.start)
            g = gradient[rows, columns].contiguous()
            slope = torch.addcmul(ones, hidden, hidden, value=-1)  # 1 − h²
            if mask is not None:
                slope *= mask
                hidden = hidden * mask
            of_output += g.view(-1) @ hidden.view(-1, size)
            of_current[rows] = torch.bmm(g[:, None], slope)[:, 0]
            by_column = g.t().contiguous()[:, None]
            of_previous[columns] += torch.bmm(by_column, slope.transpose(0, 1))[:, 0]
            features = code_slots.index_select(0, codes[rows, columns].reshape(-1))
            of_slots += (features * g.view(-1, 1)).t() @ slope.view(-1, size)
        ctx.kept = []
        scale = 1 / (1 - ctx.dropout)
        weight = output * scale
        of_input = (of_current * weight, of_previous * weight, of_slots * weight)
        return *of_input, of_output * scale, None, None, None, None


def blocks(n: int, size: int, limit: int, window: int) -> Iterator[tuple[slice, slice]]:
    """(rows, columns) of blocks with at most `limit` hidden values, but one row at least.

    >>> [(rows.start, rows.stop, columns.start) for rows, columns in blocks(4, 1, 6, 1)]
    [(0, 2, 0), (2, 4, 1)]
    """
    first = 0
    while first < n:
        low = max(first - window, 0) if window else 0
        last = first + 1
        while last < n and (last + 1 - first) * (last + 1 - low) * size <= limit:
            last += 1
        yield slice(first, last), slice(low, last)
        first = last


def _mask(hidden: Tensor, dropout: float, seed: int | None, first: int) -> Tensor | None:
    """Which hidden values of a block are used. With a seed the same ones can be drawn again."""
    if not dropout:
        return None
    if seed is None:
        return torch.rand_like(hidden) >= dropout
    # Four numbers of 16 bits from each random number: drawing is what takes the time.
    generator = torch.Generator().manual_seed(seed + first)
    numbers = torch.empty(-(-hidden.numel() // 4), dtype=torch.int64)
    bits = numbers.random_(-(2**63), None, generator=generator).view(torch.int16)
    return bits[: hidden.numel()].view(hidden.shape) >= round(dropout * 2**16) - 2**15


def _hidden(
    current: Tensor, previous: Tensor, table: Tensor, codes: Tensor, block: tuple[slice, slice]
) -> Tensor:
    """[row, column, hidden] tanh(A_i + B_j + C[code_ij]) of a block."""
    rows, columns = block
    hidden = embedding(codes[rows, columns], table)
    hidden += current[rows, None]
    hidden += previous[columns]
    return hidden.tanh_()
