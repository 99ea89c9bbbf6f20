"""Sums of P and links over mentions, all at once: what LEA and BLANC ask of soft entities.

Autograd would go over the table of P for each sum, and back. On a CPU that is most of the time of LEA and
BLANC, so here the gradient is written out, in one table. Links are l_u = (s_u² − Σ_i P[i, u]²) / 2, in a cell
likewise, and v is the gold entity of i:

    ∂P[i, u] = ∂s_u + w_i ∂t_u + (s_u − P[i, u]) ∂l_u + ∂C_vu + (C_vu − P[i, u]) ∂l_vu.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from corelax.relax.gold import Gold


class Moments(NamedTuple):
    """Sums in float64, in which the difference of squares is exact enough.

    Attributes:
        sizes: [..., system entity] s_u = Σ_i P[i, u].
        links: [..., system entity] l_u = Σ_{j<i} P[i, u] P[j, u].
        weighted: [..., system entity] t_u = Σ_i w_i P[i, u].
        shared: [..., cell] C_vu = Σ_{i ∈ G_v} P[i, u].
        shared_links: [..., cell] l_vu = Σ_{j<i, both in G_v} P[i, u] P[j, u].
    """

    sizes: Tensor
    links: Tensor
    weighted: Tensor
    shared: Tensor
    shared_links: Tensor


def moments(probs: Tensor, weights: Tensor, gold: Gold) -> Moments:
    """All sums of a table of probabilities.

    >>> gold = Gold(torch.tensor([0, 0]), torch.tensor([2.0]))
    >>> moments(torch.tensor([[1.0, 0.0], [0.5, 0.5]]), torch.ones(2).double(), gold).shared_links
    tensor([[0.5000, 0.0000]], dtype=torch.float64)
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
        sizes = table.sum(-2)
        links = _links(sizes, (table * table).sum(-2))
        shared_links = _links(shared, shared_squares)
        ctx.save_for_backward(table, weights, rows, cells, own, sizes, links, shared, shared_links)
        ctx.set_materialize_grads(False)  # metrics do not ask for every sum
        ctx.dtype = probs.dtype
        shape = (*batch, entities, columns)
        return (
            sizes,
            links.clamp(min=0),
            (weights[..., None, :] @ table)[..., 0, :],
            shared.view(shape),
            shared_links.clamp(min=0).view(shape),
        )

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor, Tensor | None, None, None]:
        table, weights, rows, cells, own, *entities, shared, shared_links = ctx.saved_tensors
        of_sizes, of_links, of_weighted, of_shared, of_shared_links = gradients
        columns = table.shape[-1]
        level, slope = _of_table(of_sizes, of_links, *entities)
        into = torch.addcmul(level[..., None, :], table, slope[..., None, :], value=-1)
        of_weights = None
        if of_weighted is not None:
            into.addcmul_(weights[..., None], of_weighted[..., None, :])
            of_weights = (table @ of_weighted[..., None])[..., 0]
        if of_shared is not None or of_shared_links is not None:
            by_cell = _of_table(of_shared, of_shared_links, shared, shared_links)
            level, slope = (values.index_select(0, cells) for values in by_cell)
            into.view(-1, columns).index_add_(0, rows, level.addcmul_(own, slope, value=-1))
        return into.to(ctx.dtype), of_weights, None, None


def _links(total: Tensor, squares: Tensor) -> Tensor:
    return (total * total).sub_(squares).div_(2)


def _of_table(
    of_total: Tensor | None, of_links: Tensor | None, total: Tensor, links: Tensor
) -> tuple[Tensor, Tensor]:
    """a and b of the gradient a − b x of each x that Σ x and Σ_{j<i} x_i x_j are made of."""
    of_total = None if of_total is None else of_total.reshape(total.shape)
    if of_links is None:
        slope = torch.zeros_like(total)
        return slope if of_total is None else of_total, slope
    slope = of_links.reshape(total.shape) * (links >= 0)
    level = slope * total
    return level if of_total is None else level.add_(of_total), slope
