"""What relaxed overlaps have in common: gold as plain counts, and how sums of probabilities are shared out.

Probabilities come in float32; what is summed from them is float64, because links are small differences of
large sums (an entity of one mention has none, and s² − Σp² must say so).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from corelax.metrics.overlap import Overlap, Side
from corelax.relax.gold import Gold
from corelax.relax.lazy import lazy
from corelax.relax.precision import is_plain_cpu
from corelax.relax.written import Appearance

# A quotient of two numbers much smaller than this, in mentions or in links, would be noise. It fades out:
# by half at this size, by 1e-16 at 1e-8, which is nothing in float64.
NOTHING = 1e-12
TINY = 1e-30  # keeps what is divided by finite


class GoldSide(Side):
    """The gold entities: plain counts, sizes including mentions that were not found."""

    def __init__(self, sizes: Tensor) -> None:
        self.size: Tensor = sizes  # [..., entity]

    @lazy
    def links(self) -> Tensor:
        """[..., entity] g (g − 1) / 2."""
        return pairs(self.size)

    @lazy
    def linked_size(self) -> Tensor:
        """[..., entity] 0 for singletons."""
        return self.size * (self.size > 1)

    @lazy
    def entities(self) -> Tensor:
        """Those that are not padding."""
        return (self.size > 0).sum(-1)

    @lazy
    def mentions(self) -> Tensor:
        """Found or not."""
        return self.size.sum(-1)

    @lazy
    def between(self) -> Tensor:
        """Pairs of mentions of different entities."""
        return pairs(self.mentions) - self.links.sum(-1)


class RelaxedOverlap(Overlap):
    """Gold × system, of one document or of each document of a batch."""

    def __init__(self, gold: Gold, appears: Appearance) -> None:
        self._gold, self._appears = gold, appears
        self.gold = GoldSide(gold.sizes)

    @lazy
    def matched(self) -> Tensor:
        """Σ of q_i over gold mentions."""
        return (self._gold.is_member * self._appears.written).sum(-1)

    @lazy
    def alone_on_both(self) -> Tensor:
        """Gold singletons that are written as singletons."""
        return ((self._gold.size_of_mention == 1) * self._appears.written_alone).sum(-1)

    def total(self, values: Tensor) -> Tensor:
        """The sum over cells or entities of each document."""
        return values.flatten(self._gold.entity.ndim - 1).sum(-1)

    def share(self, part: Tensor, whole: Tensor) -> Tensor:
        """Elementwise part / whole, 0 where there is nothing."""
        return share(part, whole)


def share(part: Tensor, whole: Tensor) -> Tensor:
    """Elementwise part / whole, faded out where there is next to nothing to share.

        part / whole · 1 / (1 + (ε / whole)⁴),        ε = 1e-12

    >>> import torch
    >>> share(torch.tensor([0.0, 5e-13, 1.0]).double(), torch.tensor([0.0, 1e-12, 2.0]).double())
    tensor([0.0000, 0.2500, 0.5000], dtype=torch.float64)
    """
    if is_plain_cpu(whole):
        shared: Tensor = _Share.apply(part, whole)  # type: ignore[no-untyped-call]
        return shared
    return part / (whole + NOTHING * (NOTHING / (whole + TINY)) ** 3)


class _Share(torch.autograd.Function):
    """The quotient as one operation: a dozen small ones would take longer than the sums they divide."""

    @staticmethod
    def forward(ctx: Any, part: Tensor, whole: Tensor) -> Tensor:
        safe = whole + TINY
        fading = NOTHING * (NOTHING / safe) ** 3
        divisor = whole + fading
        quotient = part / divisor
        ctx.save_for_backward(quotient, divisor, safe, fading)
        ctx.shapes = part.shape, whole.shape
        return quotient

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        quotient, divisor, safe, fading = ctx.saved_tensors
        of_part = of_whole = None
        if ctx.needs_input_grad[0]:
            of_part = (gradient / divisor).sum_to_size(ctx.shapes[0])
        if ctx.needs_input_grad[1]:
            slope = (1 - 3 * fading / safe) / divisor
            of_whole = (-gradient * quotient * slope).sum_to_size(ctx.shapes[1])
        return of_part, of_whole


def pairs(count: Tensor) -> Tensor:
    """Pairs among n mentions: n (n − 1) / 2."""
    return count * (count - 1) / 2


def products(total: Tensor, squares: Tensor) -> Tensor:
    """Σ_{j<i} x_i x_j from Σ x and Σ x², which in float64 is exact enough down to `NOTHING`."""
    if is_plain_cpu(total):
        pairs_of_two: Tensor = _Products.apply(total, squares)  # type: ignore[no-untyped-call]
        return pairs_of_two
    return ((total**2 - squares) / 2).clamp(min=0)


class _Products(torch.autograd.Function):
    """(x² − y) / 2, cut off at 0, as one operation."""

    @staticmethod
    def forward(ctx: Any, total: Tensor, squares: Tensor) -> Tensor:
        difference = (total * total - squares) / 2
        ctx.save_for_backward(total, difference)
        return difference.clamp(min=0)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        total, difference = ctx.saved_tensors
        inside = gradient * (difference >= 0)
        return inside * total, inside / -2


def written_pairs(appears: Appearance, *, coreferring: Tensor) -> Tensor:
    """Expected pairs of written mentions, less those that corefer.

    q_i q_j takes the two appearances for independent. Mentions that often corefer appear together, so the
    difference can fall below 0, and then counts as 0.
    """
    q = appears.written
    return (products(q.sum(-1), (q**2).sum(-1)) - coreferring).clamp(min=0)


def written_apart(gold: Gold, appears: Appearance, *, coreferring: Tensor) -> Tensor:
    """Expected pairs of written mentions of different gold entities, less those that corefer."""
    q = gold.is_member * appears.written  # [..., mention]
    by_entity = gold.sums(q[..., None])[..., 0]
    return (products(q.sum(-1), (by_entity**2).sum(-1)) - coreferring).clamp(min=0)
