"""Sums of P and of P² over mentions, all at once: what links of soft entities are made of.

Autograd would go over the table of P for each sum, and back. On a CPU that is most of the time of LEA and
BLANC, so here the gradient is written out, in one table:

    ∂P[i, u] = ∂s_u + w_i ∂t_u + 2 P[i, u] ∂s²_u + ∂C_vu + 2 P[i, u] ∂C²_vu,        v the gold entity of i.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from corelax.relax.gold import Gold


class Moments(NamedTuple):
    """Sums in float64.

    Attributes:
        sizes: [..., system entity] s_u = Σ_i P[i, u].
        squares: [..., system entity] s²_u = Σ_i P[i, u]².
        weighted: [..., system entity] t_u = Σ_i w_i P[i, u].
        shared: [..., cell] C_vu = Σ_{i ∈ G_v} P[i, u].
        shared_squares: [..., cell] C²_vu = Σ_{i ∈ G_v} P[i, u]².
    """

    sizes: Tensor
    squares: Tensor
    weighted: Tensor
    shared: Tensor
    shared_squares: Tensor


def moments(probs: Tensor, weights: Tensor, gold: Gold) -> Moments:
    """All sums of a table of probabilities.

    Args:
        probs: [..., mention, system entity] P, of one mention at least.
        weights: [..., mention] w, in float64.
        gold: The gold entities.

    >>> gold = Gold(torch.tensor([0, 0]), torch.tensor([2.0]))
    >>> moments(torch.tensor([[1.0, 0.0], [0.5, 0.5]]), torch.ones(2).double(), gold).shared_squares
    tensor([[1.2500, 0.2500]], dtype=torch.float64)
    """
    entities = gold.sizes.shape[-1]
    return Moments(*_Sums.apply(probs, weights, gold.entity, entities))  # type: ignore[no-untyped-call]


class _Sums(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, probs: Tensor, weights: Tensor, entity: Tensor, entities: int
    ) -> tuple[Tensor, ...]:
        *batch, n, columns = probs.shape
        table = probs.double().contiguous()
        numbers = entity.reshape(-1)
        rows = (numbers >= 0).nonzero().squeeze(1)  # gold mentions of all documents
        cells = numbers[rows] + entities * rows.div(n, rounding_mode="floor")
        own = table.view(-1, columns).index_select(0, rows)
        documents = entity.numel() // n
        shared, shared_squares = (
            table.new_zeros(documents * entities, columns).index_add_(0, cells, values)
            for values in (own, own * own)
        )
        ctx.save_for_backward(table, weights, rows, cells, own)
        ctx.dtype = probs.dtype
        shape = (*batch, entities, columns)
        return (
            table.sum(-2),
            (table * table).sum(-2),
            (weights[..., None, :] @ table)[..., 0, :],
            shared.view(shape),
            shared_squares.view(shape),
        )

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:
        table, weights, rows, cells, own = ctx.saved_tensors
        of_sizes, of_squares, of_weighted, of_shared, of_shared_squares = gradients
        columns = table.shape[-1]
        into = torch.addcmul(of_sizes[..., None, :], table, 2 * of_squares[..., None, :])
        into.addcmul_(weights[..., None], of_weighted[..., None, :])
        of_cells, twice = (g.reshape(-1, columns) for g in (of_shared, 2 * of_shared_squares))
        of_own = torch.addcmul(of_cells.index_select(0, cells), own, twice.index_select(0, cells))
        into.view(-1, columns).index_add_(0, rows, of_own)
        of_weights = (table @ of_weighted[..., None])[..., 0]
        return into.to(ctx.dtype), of_weights, None, None
