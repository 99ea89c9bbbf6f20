"""The entities that the authors' program compared: a hard filter, for reproduction.

Their code has no chance of appearance. It gives each mention to its most probable entity, keeps the
columns that got two mentions or more, and forgets the probability that lies elsewhere. Gold entities are
those with two *found* mentions. The filter itself has no gradient.
"""

from __future__ import annotations

from functools import cached_property

import torch
from torch import Tensor

from corelax.relax.gold import Gold, same_entity
from corelax.relax.soft_overlap import SoftOverlap, SoftSide
from corelax.relax.written import Appearance

ORIGINAL_METRICS = ("b_cubed", "lea")  # those that the authors' code has

# A document with a numerator or denominator no larger than this gave no gradient.
SKIPPED_COUNT = 0.1


def original_overlap(entity_probs: Tensor, gold: Gold) -> SoftOverlap:
    """Gold × kept entities, all mentions written.

    If no kept entity is started by a mention that starts a gold entity (early in training), entities that
    gold mentions start are kept as well.

    >>> probs = torch.tensor([[1.0, 0.0, 0.0], [0.6, 0.4, 0.0], [0.1, 0.2, 0.7]])
    >>> gold = Gold(torch.tensor([0, 0, -1]), torch.tensor([2.0]))
    >>> original_overlap(probs, gold).system.size.float()  # E_2 has one mention
    tensor([1.7000, 0.0000, 0.0000])
    """
    gold = gold.of_found_mentions().without_singletons()
    kept = _kept(entity_probs.detach(), gold)
    always = always_written(entity_probs)
    overlap = SoftOverlap(entity_probs * kept[..., None, :], gold, always)
    overlap.system = _KeptSide(overlap, always)
    return overlap


def always_written(entity_probs: Tensor, real: Tensor | None = None) -> Appearance:
    """Every mention counts with all of its probability, as in the formulas of the paper; padding does not."""
    ones = entity_probs.new_ones(entity_probs.shape[:-1], dtype=torch.float64)
    if real is not None:
        ones = ones * real
    return Appearance(joined=ones, linked=ones, written=ones, written_alone=0 * ones)


class _KeptSide(SoftSide):
    """Kept entities: what is left of the mentions counts, no more."""

    @cached_property
    def mentions(self) -> Tensor:
        return self.size.sum(-1)


def _kept(entity_probs: Tensor, gold: Gold) -> Tensor:
    """[..., entity] True for the columns that are compared."""
    n = entity_probs.shape[-1]
    best = entity_probs.argmax(-1) if n else gold.entity
    counts = torch.zeros_like(best).scatter_add(-1, best, torch.ones_like(best))
    kept = counts >= 2
    starts_gold = (gold.entity >= 0) & ~same_entity(gold.entity).tril(-1).any(-1)
    agree = (kept & starts_gold).any(-1, keepdim=True)
    return kept | (starts_gold & ~agree)
