"""Appearance: the chance that a mention is written out at all, and that it has company."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from corelax.relax.precision import full_precision, is_plain_cpu

IMPOSSIBLE = -1e4  # the logarithm of what is 0 in any precision


class Appearance(NamedTuple):
    """[..., mention] probabilities, in float64.

    Attributes:
        joined: The mention starts an entity that others join.
        linked: It is not alone: it joins an entity or is joined.
        written: q, it appears in the output: linked, or alone and written as a singleton.
        written_alone: It appears in the output as a singleton.
    """

    joined: Tensor
    linked: Tensor
    written: Tensor
    written_alone: Tensor


@full_precision
def appearance(probs: Tensor, singleton_probs: Tensor | float) -> Appearance:
    """alone_i = p_ii · Π_{k > i} (1 − p_ki): the mention starts an entity and nobody joins it.

    From *link* probabilities this is exact, since nobody is in an entity that nobody links to. From *entity*
    probabilities it treats mentions as independent.

    Args:
        probs: [..., mention, antecedent or entity] with rows that sum to 1 and zeros above the diagonal.
        singleton_probs: μ, the chance that a mention that stays alone is written as a singleton: 0 where
            singletons are dropped, 1 where they are kept, or [..., mention] a mention probability.

    >>> links = torch.tensor([[1.0, 0.0], [0.25, 0.75]])
    >>> appearance(links, 0.0).linked
    tensor([0.2500, 0.2500], dtype=torch.float64)
    """
    starts = probs.diagonal(dim1=-2, dim2=-1).double()
    if is_plain_cpu(probs):
        joins, log_unjoined = _Company.apply(probs)  # type: ignore[no-untyped-call]
    else:
        itself = torch.eye(probs.shape[-1], dtype=torch.bool, device=probs.device)
        others = probs.masked_fill(itself, 0.0)
        joins = others.sum(-1, dtype=torch.float64)
        log_unjoined = log_complement(others).sum(-2, dtype=torch.float64)
    joined = -starts * torch.expm1(log_unjoined)
    # Not 1 − alone, which has no digits left where `alone` is close to 1.
    linked = joins + joined
    written_alone = singleton_probs * starts * log_unjoined.exp()
    return Appearance(joined, linked, linked + written_alone, written_alone)


class _Company(torch.autograd.Function):
    """Σ_{j ≠ i} p_ij and Σ_{k ≠ i} log(1 − p_ki), as `log_complement` has it, in few passes."""

    @staticmethod
    def forward(ctx: Any, probs: Tensor) -> tuple[Tensor, Tensor]:
        logs = probs.neg()
        logs.diagonal(dim1=-2, dim2=-1).zero_()
        joins = -logs.sum(-1, dtype=torch.float64)
        ctx.certain = None
        if logs.numel() and float(logs.amin()) < (limit := torch.finfo(probs.dtype).eps - 1):
            ctx.certain = logs < limit
            logs.masked_fill_(ctx.certain, 0.0).log1p_().masked_fill_(ctx.certain, IMPOSSIBLE)
        else:
            logs.log1p_()
        ctx.save_for_backward(probs)
        return joins, logs.sum(-2, dtype=torch.float64)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_joins: Tensor, of_logs: Tensor) -> Tensor:
        (probs,) = ctx.saved_tensors
        into: Tensor = of_logs.to(probs.dtype)[..., None, :] / (probs - 1)
        if ctx.certain is not None:
            into.masked_fill_(ctx.certain, 0.0)
        into += of_joins.to(probs.dtype)[..., None]
        into.diagonal(dim1=-2, dim2=-1).zero_()
        return into


def log_complement(probs: Tensor) -> Tensor:
    """log(1 − p); at p = 1 a finite number whose exponential is 0, and no gradient."""
    certain = probs > 1 - torch.finfo(probs.dtype).eps
    return torch.log1p(-probs.masked_fill(certain, 0.0)).masked_fill(certain, IMPOSSIBLE)
