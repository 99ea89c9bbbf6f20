"""The layers of the deep network over a list of pairs, with no more in memory than the backward pass needs.

    h_1 = drop(ReLU(A_i + B_j + C φ(i,j)))     h_2 = drop(ReLU(W_2 h_1 + b_2))     h_3 alike     w · h_3

A hidden value that dropout or ReLU has made 0 has no gradient, all others have the same factor: neither masks
nor sums are kept. Hidden values and gradients of weights may have two bytes each (bfloat16); the sums inside
products and the scores have as many as the weights. Layers are then filled up with units that are always 0,
since products are fast for rows of whole memory lines only. Where a GPU has Triton, kernels do in one pass
what takes several (`layer_kernels.py`).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from corelax.rankers.sparse.fused_pairs import can_be_fused, drawn_seed, parts_of
from corelax.rankers.sparse.pair_lists import PairList

LINE = 64  # two-byte values of a memory line
PAIRS, UNITS, VALUES = 16, 128, 2048  # what a kernel takes at a time


class ListedLayers(torch.autograd.Function):
    """[pair] w · h_3 of each pair."""

    @staticmethod
    def forward(
        ctx: Any,
        current: Tensor,
        previous: Tensor,
        of_features: Tensor,
        second: Tensor,
        second_bias: Tensor,
        third: Tensor,
        third_bias: Tensor,
        output: Tensor,
        features: Tensor,
        pairs: PairList,
        dropout: float,
        dtype: torch.dtype,
    ) -> Tensor:
        """Scores.

        Args:
            ctx: Autograd's context.
            current: [mention, first] A_i, with the bias.
            previous: [mention, first] B_j.
            of_features: [feature, first] C.
            second: [second, first] W_2.
            second_bias: [second] b_2.
            third: [third, second] W_3.
            third_bias: [third] b_3.
            output: [third] w.
            features: [pair, feature] φ.
            pairs: The list of pairs.
            dropout: The chance of a hidden value to be left out.
            dtype: Of hidden values.
        """
        more = [-layer.shape[0] % LINE if dtype.itemsize == 2 else 0 for layer in (second, third)]
        second, second_bias = pad(second, (0, 0, 0, more[0])), pad(second_bias, (0, more[0]))
        third, third_bias = pad(third, (0, more[0], 0, more[1])), pad(third_bias, (0, more[1]))
        weights = [weight.to(dtype) for weight in (second, third, pad(output, (0, more[1])))]
        features, of_features = features.to(dtype), of_features.to(dtype)
        fused = dtype.itemsize == 2 and can_be_fused(current)
        if fused:
            first = _first_layer(current, previous, features @ of_features, pairs, dropout)
        else:
            first = features.new_empty(len(features), current.shape[1])
            of_current, of_previous = current.to(dtype), previous.to(dtype)
            for rows, columns, places in pairs.blocks:
                block = first[places].view(rows.stop - rows.start, -1, first.shape[1])
                torch.add(of_current[rows, None], of_previous[columns], out=block)
            first = _kept(first.addmm_(features, of_features), dropout)
        kept = _kept_at_once if fused else _kept
        above = kept(torch.addmm(second_bias.to(dtype), first, weights[0].T), dropout)
        top = kept(torch.addmm(third_bias.to(dtype), above, weights[1].T), dropout)
        ctx.save_for_backward(first, above, top, features, *weights)
        ctx.pairs, ctx.mentions, ctx.fused = pairs, len(current), fused
        ctx.scale = 1 / (1 - dropout)
        ctx.sizes = [
            len(weight) - added for weight, added in zip((second, third), more, strict=True)
        ]
        return top.to(current.dtype) @ pad(output, (0, more[1]))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """From the scores back to A and B, and to the weights of each layer."""
        first, above, top, features, second, third, output = ctx.saved_tensors
        dtype, (size, last) = gradient.dtype, ctx.sizes
        of_scores = gradient.to(first.dtype)
        of_output = of_scores @ top
        of_top = _where_kept(of_scores[:, None] * (output * ctx.scale), top)
        of_third = of_top.T @ above
        of_above = _where_kept(of_top @ (third * ctx.scale), above)
        of_second = of_above.T @ first
        of_first = _where_kept(of_above @ (second * ctx.scale), first)
        sums = _sums_at_once if ctx.fused else _sums
        of_current, of_previous = sums(of_first, ctx.pairs, ctx.mentions, dtype)
        one = first.new_ones(len(first))
        return (
            of_current, of_previous, (features.T @ of_first).to(dtype),
            of_second[:size].to(dtype), (one @ of_above)[:size].to(dtype),
            of_third[:last, :size].to(dtype), (one @ of_top)[:last].to(dtype),
            of_output[:last].to(dtype), None, None, None, None,
        )  # fmt: skip


def _kept(sums: Tensor, dropout: float) -> Tensor:
    """ReLU and dropout of sums, which may be changed."""
    rectified = sums.relu_()
    return torch.native_dropout(rectified, dropout, train=True)[0] if dropout else rectified


def _where_kept(gradient: Tensor, hidden: Tensor) -> Tensor:
    """The gradient of hidden values that are not 0."""
    kept: Tensor = torch.ops.aten.threshold_backward(gradient, hidden, 0)
    return kept


def _sums(
    values: Tensor, pairs: PairList, mentions: int, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """[mention, value] sums of [pair, value] over the pairs with the same i, and with the same j."""
    size = values.shape[1]
    of_rows, of_columns = (values.new_zeros(mentions, size, dtype=dtype) for _ in range(2))
    for rows, columns, places in pairs.blocks:
        block = values[places].view(rows.stop - rows.start, -1, size)
        of_rows[rows] = block.sum(1, dtype=dtype)
        of_columns[columns] += block.sum(0, dtype=dtype)
    return of_rows, of_columns


def _first_layer(
    current: Tensor, previous: Tensor, hidden: Tensor, pairs: PairList, dropout: float
) -> Tensor:
    """[pair, first] h_1 from C φ, in place, by one kernel."""
    from corelax.rankers.sparse.deep import layer_kernels

    number, size = hidden.shape
    with torch.cuda.device_of(hidden):  # type: ignore[no-untyped-call]
        layer_kernels.first_layer[(parts_of(number, PAIRS), parts_of(size, UNITS))](
            current.contiguous(), previous.contiguous(), pairs.current, pairs.previous,
            drawn_seed(current, dropout), hidden, number, size, dropout, 1 / (1 - dropout),
            has_dropout=dropout > 0, pairs=PAIRS, units=UNITS,
        )  # fmt: skip
    return hidden


def _kept_at_once(sums: Tensor, dropout: float) -> Tensor:
    """ReLU and dropout of sums, in place, by one kernel."""
    from corelax.rankers.sparse.deep import layer_kernels

    number = sums.numel()
    with torch.cuda.device_of(sums):  # type: ignore[no-untyped-call]
        layer_kernels.rectify[(parts_of(number, VALUES),)](
            sums, drawn_seed(sums, dropout), number, dropout, 1 / (1 - dropout),
            has_dropout=dropout > 0, block=VALUES,
        )  # fmt: skip
    return sums


def _sums_at_once(
    values: Tensor, pairs: PairList, mentions: int, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """As `_sums`, by two kernels."""
    from corelax.rankers.sparse.deep import layer_kernels

    size, height = values.shape[1], pairs.blocks[0].rows.stop
    of_rows, of_columns = (values.new_empty(mentions, size, dtype=dtype) for _ in range(2))
    grid, tile = (mentions, parts_of(size, UNITS)), {"pairs": PAIRS, "units": UNITS}
    with torch.cuda.device_of(values):  # type: ignore[no-untyped-call]
        layer_kernels.row_sums[grid](values, pairs.table, of_rows, height, size, **tile)
        layer_kernels.column_sums[grid](
            values, pairs.table, of_columns, len(pairs.blocks), height, mentions, size, **tile
        )
    return of_rows, of_columns
