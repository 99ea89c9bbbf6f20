"""Scores of all pairs of a document, block by block: the first layer is A_i + B_j + C[code_ij].

The hidden layer of a document with n mentions has n²/2 · 700 numbers: 170 MB at n = 350, 110 GB at 9,000.
Rows i are taken in blocks that stay in the cache of a processor. For the backward pass hidden values are kept
if they are few enough, else computed again.

`PairScores` is u · tanh of the first layer, with gradients as matrix products. With h' = 1 − h² and
g = ∂loss/∂s,

    ∂A_i = u ∘ Σ_j g_ij h'_ij          ∂C = u ∘ Σ_ij g_ij M[code_ij]ᵀ h'_ij
    ∂B_j = u ∘ Σ_i g_ij h'_ij          ∂u = Σ_ij g_ij h_ij

where M has a row of zeros and ones for each code, and C = M · slots. Nothing is added up in scattered order,
hence the same result every time. `scores_in_blocks` takes any layers above the first as a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import embedding, pad
from torch.utils.checkpoint import checkpoint

from corelax.core.errors import CorelaxError


class Limits(NamedTuple):
    """How many hidden values a block may have, and how many may be kept for the backward pass."""

    block: int
    kept: int


ON_CPU = Limits(1 << 21, 1 << 27)
ELSEWHERE = Limits(1 << 24, 1 << 32)


def limits_on(device: torch.device) -> Limits:
    return ELSEWHERE if device.type == "cuda" else ON_CPU


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
        limits = limits_on(current.device)
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
        if ctx.dropout and ctx.seed is None and not ctx.kept:
            raise RuntimeError("the hidden values of a step with dropout are gone: backward once")
        current, previous, table, output, code_slots, codes = ctx.saved_tensors
        n, size = current.shape
        limits = limits_on(current.device)
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


class FirstLayer(NamedTuple):
    """What the first layer adds up for a pair.

    Attributes:
        current: [mention, hidden] A_i, with the bias.
        previous: [mention, hidden] B_j.
        weights: [feature, hidden] weights of the features of pairs.
        features: From rows and columns to [row, column, feature], the features of these pairs.
    """

    current: Tensor
    previous: Tensor
    weights: Tensor
    features: Callable[[slice, slice], Tensor]


def scores_in_blocks(
    first: FirstLayer,
    above: Callable[[Tensor, slice], Tensor],
    *,
    window: int = 0,
    width: int = 0,
) -> Tensor:
    """[mention, antecedent] scores; what is not below the diagonal means nothing.

    Args:
        first: The parts of the first layer.
        above: From [row, column, hidden] sums of the first layer, and which rows they are, to [row, column].
        window: How far back antecedents are looked at, at least; 0 for all the way.
        width: How many values of a pair the backward pass needs, if more than the first layer has.

    >>> ones = torch.ones(2, 1)
    >>> first = FirstLayer(ones, 2 * ones, ones[:1], lambda rows, columns: torch.ones(2, 2, 1))
    >>> scores_in_blocks(first, lambda hidden, rows: hidden.sum(-1))
    tensor([[4., 4.],
            [4., 4.]])
    """
    n, size = first.current.shape
    limits = limits_on(first.current.device)
    again = torch.is_grad_enabled() and n * n * max(size, width) > limits.kept
    pieces = []
    for rows, columns in blocks(n, size, limits.block, window):

        def score(
            current: Tensor,
            previous: Tensor,
            weights: Tensor,
            rows: slice = rows,
            columns: slice = columns,
        ) -> Tensor:
            # As a product, since the gradient of an index would be added up in any order.
            hidden = first.features(rows, columns) @ weights
            hidden = hidden + current[rows, None] + previous[columns]
            return above(hidden, rows)

        parts = (first.current, first.previous, first.weights)
        piece = checkpoint(score, *parts, use_reentrant=False) if again else score(*parts)
        pieces.append(pad(piece, (columns.start, n - columns.stop)))
    return torch.cat(pieces) if pieces else first.current.new_zeros(0, 0)
