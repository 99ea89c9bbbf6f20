"""The soft overlap of the paper: gold × soft entities, as sums of entity probabilities.

Cells are a dense table [..., gold entity, system entity]; system entity u is the one that mention u starts.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from corelax.core.errors import CorelaxError
from corelax.metrics.overlap import Side
from corelax.relax.entities import entity_probs, entity_sums
from corelax.relax.gold import Gold
from corelax.relax.moments import Moments, moments
from corelax.relax.overlap import RelaxedOverlap, products, written_apart, written_pairs
from corelax.relax.precision import is_plain_cpu
from corelax.relax.written import Appearance, log_complement


class SoftSide(Side):
    """The system's entities: E_u has s_u = Σ_i P[i, u] mentions."""

    def __init__(self, overlap: SoftOverlap, appears: Appearance) -> None:
        self._overlap, self._appears = overlap, appears

    @cached_property
    def size(self) -> Tensor:
        return self._overlap.sizes

    @cached_property
    def links(self) -> Tensor:
        if (known := self._overlap.moments) is not None:
            return known.links
        return products(self.size, self._overlap.squares.sum(-2))

    @cached_property
    def linked_size(self) -> Tensor:
        return self._overlap.linked_sizes

    @cached_property
    def mentions(self) -> Tensor:
        return self._appears.written.sum(-1)

    @cached_property
    def entities(self) -> Tensor:
        """Entities of two mentions and more, and singletons that are written."""
        return (self._appears.joined + self._appears.written_alone).sum(-1)

    @cached_property
    def between(self) -> Tensor:
        return written_pairs(self._appears, coreferring=self.links.sum(-1))


class SoftOverlap(RelaxedOverlap):
    """Gold × soft entities.

    Args:
        entity_probs: [..., mention, entity] P. Any model that has such probabilities can give them here.
        gold: The gold entities.
        appears: Whether mentions are written, from `appearance`.

    >>> from corelax.metrics.b_cubed import b_cubed
    >>> from corelax.relax.written import appearance
    >>> probs = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
    >>> gold = Gold(torch.tensor([0, 0]), torch.tensor([2.0]))
    >>> b_cubed(SoftOverlap(probs, gold, appearance(probs, 1.0))).recall_num  # (1.5² + 0.5²) / 2
    tensor(1.2500, dtype=torch.float64)
    """

    system: SoftSide
    _known: Moments | None = None

    def __init__(self, entity_probs: Tensor, gold: Gold, appears: Appearance) -> None:
        super().__init__(gold, appears)
        self._entity_probs = entity_probs
        self.system = SoftSide(self, appears)

    @cached_property
    def probs(self) -> Tensor:
        return self._entity_probs.double()

    @cached_property
    def squares(self) -> Tensor:
        return self.probs**2

    @cached_property
    def moments(self) -> Moments | None:
        """All sums that links need at once, on a CPU; what follows takes them from here if they exist."""
        if is_plain_cpu(self._entity_probs) and self._entity_probs.numel():
            self._known = moments(self._entity_probs, self._appears.linked, self._gold)
        return self._known

    @cached_property
    def sizes(self) -> Tensor:
        return self.probs.sum(-2) if self._known is None else self._known.sizes

    @cached_property
    def linked_sizes(self) -> Tensor:
        """[..., system entity] sizes, mentions weighted by the chance to have company."""
        if self._known is not None:
            return self._known.weighted
        return (self._appears.linked[..., None, :] @ self.probs)[..., 0, :]

    @cached_property
    def shared(self) -> Tensor:
        """[..., cell] C_vu = Σ_{i ∈ G_v} P[i, u]."""
        return self._gold.sums(self.probs) if self._known is None else self._known.shared

    @cached_property
    def written(self) -> Tensor:
        return self._gold.sums(self._appears.written[..., None] * self.probs)

    @cached_property
    def nonempty(self) -> Tensor:
        """[..., cell] 1 − Π_{i ∈ G_v} (1 − P[i, u])."""
        return -torch.expm1(self._gold.sums(log_complement(self.probs)))

    @cached_property
    def links(self) -> Tensor:
        if self.moments is not None:
            return self.moments.shared_links
        return products(self.shared, self._gold.sums(self.squares))

    @cached_property
    def between(self) -> Tensor:
        corefer = self.total(products(self.shared.sum(-2), (self.shared**2).sum(-2)))
        apart = written_apart(self._gold, self._appears, coreferring=corefer)
        return apart.minimum(self.system.between)  # no more than there are, after all that clamping

    @property
    def gold_size(self) -> Tensor:
        return self._gold.sizes[..., :, None]

    @property
    def system_size(self) -> Tensor:
        return self.system.size[..., None, :]

    def by_gold(self, cells: Tensor) -> Tensor:
        return cells.sum(-1)

    def by_system(self, cells: Tensor) -> Tensor:
        return cells.sum(-2)

    def best_alignment(self, similarity: Tensor) -> Tensor:
        """The largest sum of `similarity` over one-to-one pairings of entities.

        A maximum of linear functions: its gradient is that of the cells of the best pairing, which is found
        on plain numbers.
        """
        from scipy.optimize import linear_sum_assignment

        if similarity.is_cuda and torch.cuda.is_current_stream_capturing():
            raise CorelaxError("CEAF pairs entities on the CPU and cannot be part of a CUDA graph")
        tables = similarity.detach().cpu().numpy()  # [..., cell]
        chosen = np.zeros_like(tables)
        for document in np.ndindex(tables.shape[:-2]):
            rows, columns = linear_sum_assignment(tables[document], maximize=True)
            chosen[document][rows, columns] = 1
        return self.total(similarity * torch.from_numpy(chosen).to(similarity.device))


class LinkOverlap(SoftOverlap):
    """The same without P: what is linear in P comes from one solve with a few right-hand sides.

    B³, CEAF and mention detection ask for no more than that. What needs P itself forms it.
    """

    def __init__(self, link_probs: Tensor, gold: Gold, appears: Appearance) -> None:
        RelaxedOverlap.__init__(self, gold, appears)
        self._link_probs = link_probs
        self.system = SoftSide(self, appears)

    @cached_property
    def _entity_probs(self) -> Tensor:  # type: ignore[override]
        return entity_probs(self._link_probs)

    @cached_property
    def _sums(self) -> tuple[Tensor, ...]:
        """W P. Rows of W: all mentions, linked ones; those of each gold entity, and written ones of each."""
        members, linked = self._gold.members, self._appears.linked[..., None, :]
        written = members * self._appears.written[..., None, :]
        weights = torch.cat([torch.ones_like(linked), linked, members, written], dim=-2)
        sums = entity_sums(self._link_probs, weights).double()  # [..., row, system entity]
        entities = members.shape[-2]
        return torch.split(sums, [1, 1, entities, entities], dim=-2)

    @cached_property
    def sizes(self) -> Tensor:
        return self._sums[0][..., 0, :]

    @cached_property
    def linked_sizes(self) -> Tensor:
        """[..., system entity] sizes, mentions weighted by the chance to have company."""
        return self._sums[1][..., 0, :]

    @cached_property
    def shared(self) -> Tensor:
        """[..., cell] C_vu."""
        return self._sums[2]

    @cached_property
    def written(self) -> Tensor:
        return self._sums[3]
