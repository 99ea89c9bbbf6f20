"""All pairs of a document as one list, for layers whose products take most of the time on a GPU.

A square of pairs, or a few large blocks of it, would compute many pairs above the diagonal. Rows are taken in
narrow blocks instead, which add up the parts of single mentions, A_i + B_j; all that comes after them is one
product over the whole list. Which pairs a list has depends on the (padded) number of mentions alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

BLOCKS, FEWEST_ROWS = 12, 16


class Block(NamedTuple):
    """Rows and columns next to each other: which mentions i and j, and where their pairs are in the list."""

    rows: slice
    columns: slice
    pairs: slice


class PairList(NamedTuple):
    """The pairs of a document; each has i > j, or is among the few next to the diagonal that mean nothing.

    Attributes:
        current: [pair] i.
        previous: [pair] j.
        blocks: The list in pieces.
        table: [block, 4] its first row, first column, number of columns and first place, for kernels.
    """

    current: Tensor
    previous: Tensor
    blocks: tuple[Block, ...]
    table: Tensor

    @classmethod
    def of(cls, mentions: int, window: int = 0) -> PairList:
        """The pairs of so many mentions.

        Args:
            mentions: At least one.
            window: How far back antecedents are looked at, at least; 0 for all the way.

        >>> pairs = PairList.of(3)
        >>> list(zip(pairs.current.tolist(), pairs.previous.tolist()))[-3:]
        [(2, 0), (2, 1), (2, 2)]
        """
        height = max(FEWEST_ROWS, -(-mentions // BLOCKS))
        blocks: list[Block] = []
        current, previous, end = [], [], 0
        for first in range(0, mentions, height):
            last, low = min(first + height, mentions), max(first - window, 0) if window else 0
            i, j = torch.arange(first, last), torch.arange(low, last)
            current.append(i.repeat_interleave(len(j)))
            previous.append(j.repeat(len(i)))
            begin, end = end, end + len(i) * len(j)
            blocks.append(Block(slice(first, last), slice(low, last), slice(begin, end)))
        table = [
            (rows.start, columns.start, columns.stop - columns.start, pairs.start)
            for rows, columns, pairs in blocks
        ]
        lists = torch.cat(current), torch.cat(previous)
        return cls(*lists, tuple(blocks), torch.tensor(table, dtype=torch.int32))

    def to(self, device: torch.device) -> PairList:
        """The same on another device."""
        moved = [tensor.to(device) for tensor in (self.current, self.previous, self.table)]
        return PairList(moved[0], moved[1], self.blocks, moved[2])

    def square(self, values: Tensor, mentions: int) -> Tensor:
        """[mention, antecedent] the values of pairs, 0 where there are none."""
        places = self.current * mentions + self.previous
        flat = values.new_zeros(mentions * mentions).index_copy(0, places, values)
        return flat.view(mentions, mentions)


class ListedSums(torch.autograd.Function):
    """[pair, hidden] A_i + B_j + C φ(i,j), the sums of the first layer."""

    @staticmethod
    def forward(
        ctx: Any,
        current: Tensor,
        previous: Tensor | None,
        weights: Tensor,
        features: Tensor,
        blocks: Sequence[Block],
    ) -> Tensor:
        """Sums.

        Args:
            ctx: Autograd's context.
            current: [mention, hidden] A_i, with the bias.
            previous: [mention, hidden] B_j, if there is such a part.
            weights: [feature, hidden] C.
            features: [pair, feature] φ, or a layer before this one.
            blocks: Of the list of pairs.
        """
        sums = current.new_empty(len(features), current.shape[1])
        for rows, columns, pairs in blocks:
            block = sums[pairs].view(rows.stop - rows.start, -1, sums.shape[1])
            if previous is None:
                block.copy_(current[rows, None])
            else:
                torch.add(current[rows, None], previous[columns], out=block)
        ctx.save_for_backward(current, features, weights)
        ctx.blocks, ctx.of_both = blocks, previous is not None
        return sums.addmm_(features, weights)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Sums over pairs, block by block; of the weights as one product."""
        current, features, weights = ctx.saved_tensors
        of_current = torch.empty_like(current)
        of_previous = torch.zeros_like(current) if ctx.of_both else None
        size, gradient = current.shape[1], gradient.contiguous()
        for rows, columns, pairs in ctx.blocks:
            block = gradient[pairs].view(rows.stop - rows.start, -1, size)
            torch.sum(block, 1, out=of_current[rows])
            if of_previous is not None:
                of_previous[columns] += block.sum(0)
        of_features = gradient @ weights.T if ctx.needs_input_grad[3] else None
        return of_current, of_previous, features.T @ gradient, of_features, None
