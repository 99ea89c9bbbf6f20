"""What relaxed overlaps have in common: gold as plain counts, and how sums of probabilities are shared out.

Probabilities come in float32; what is summed from them is float64, because links are small differences of
large sums (an entity of one mention has none, and s² − Σp² must say so).
"""

from __future__ import annotations

from functools import cached_property

from torch import Tensor

from corelax.metrics.overlap import Overlap, Side
from corelax.relax.gold import Gold
from corelax.relax.written import Appearance

# A quotient of two numbers much smaller than this, in mentions or in links, would be noise. It fades out:
# by half at this size, by 1e-16 at 1e-8, which is nothing in float64.
NOTHING = 1e-12
TINY = 1e-30  # keeps what is divided by finite


def share(part: Tensor, whole: Tensor) -> Tensor:
    """Elementwise part / whole, faded out where there is next to nothing to share.

        part / whole · 1 / (1 + (ε / whole)⁴),        ε = 1e-12

    >>> import torch
    >>> share(torch.tensor([0.0, 5e-13, 1.0]).double(), torch.tensor([0.0, 1e-12, 2.0]).double())
    tensor([0.0000, 0.2500, 0.5000], dtype=torch.float64)
    """
    return part / (whole + NOTHING * (NOTHING / (whole + TINY)) ** 3)


class GoldSide(Side):
    """The gold entities: plain counts, sizes including mentions that were not found."""

    def __init__(self, sizes: Tensor) -> None:
        self.size: Tensor = sizes  # [..., entity]

    @cached_property
    def links(self) -> Tensor:
        return pairs(self.size)

    @cached_property
    def linked_size(self) -> Tensor:
        return self.size * (self.size > 1)

    @cached_property
    def entities(self) -> Tensor:
        return (self.size > 0).sum(-1)

    @cached_property
    def mentions(self) -> Tensor:
        return self.size.sum(-1)

    @cached_property
    def between(self) -> Tensor:
        return pairs(self.mentions) - self.links.sum(-1)


class RelaxedOverlap(Overlap):
    """Gold × system, of one document or of each document of a batch."""

    def __init__(self, gold: Gold, appears: Appearance) -> None:
        self._gold, self._appears = gold, appears
        self.gold = GoldSide(gold.sizes)

    @cached_property
    def matched(self) -> Tensor:
        return (self._gold.is_member * self._appears.written).sum(-1)

    @cached_property
    def alone_on_both(self) -> Tensor:
        return ((self._gold.size_of_mention == 1) * self._appears.written_alone).sum(-1)

    def total(self, values: Tensor) -> Tensor:
        return values.flatten(self._gold.entity.ndim - 1).sum(-1)

    share = staticmethod(share)


def pairs(count: Tensor) -> Tensor:
    """Pairs among n mentions: n (n − 1) / 2."""
    return count * (count - 1) / 2


def products(total: Tensor, squares: Tensor) -> Tensor:
    """Σ_{j<i} x_i x_j from Σ x and Σ x², which in float64 is exact enough down to `NOTHING`."""
    return ((total**2 - squares) / 2).clamp(min=0)


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
