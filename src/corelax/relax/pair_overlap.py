"""The pairwise overlap: metrics from exact pair probabilities, one cell for each mention.

Mention i has o_i = Σ K[i, j] expected mates of its own gold entity and t_i = Σ K[i, j] mates in all (j ≠ i).
Each mention stands for its own system entity, weighted by the chance q_i that it is written; sizes are those
to expect *given* that it is. Recall of B³ and LEA and the coreference links of BLANC are then exact
expectations under the ranker's model (its other links too, where singletons are kept); precision is a ratio
of expectations for each mention.
"""

from __future__ import annotations

from functools import cached_property

import torch
from torch import Tensor

from corelax.metrics.overlap import Side
from corelax.relax.gold import Gold, same_entity
from corelax.relax.overlap import RelaxedOverlap, share, written_apart, written_pairs
from corelax.relax.written import Appearance


class PairSide(Side):
    """The system's entities, one for each mention. [..., mention]"""

    def __init__(self, mates: Tensor, appears: Appearance) -> None:
        written = appears.written
        self.size: Tensor = 1 + share(mates, written)
        self.links = mates / 2
        self.linked_size = appears.linked
        self.mentions = written.sum(-1)
        self.between = written_pairs(appears, coreferring=self.links.sum(-1))


class PairOverlap(RelaxedOverlap):
    """Gold × mentions of a document, or of each document of a batch.

    Args:
        coreference_probs: [..., mention, mention] K.
        gold: The gold entities.
        appears: Whether mentions are written, from the `appearance` of the same link probabilities.

    >>> from corelax.metrics.lea import lea
    >>> from corelax.relax import coreference_probs
    >>> from corelax.relax.written import appearance
    >>> links = torch.tensor([[1.0, 0.0], [0.25, 0.75]])
    >>> gold = Gold(torch.tensor([0, 0]), torch.tensor([2.0]))
    >>> overlap = PairOverlap(coreference_probs(links), gold, appearance(links, 0.0))
    >>> lea(overlap).scores().recall  # the chance that the two corefer
    tensor(0.2500, dtype=torch.float64)
    """

    system: PairSide

    def __init__(self, coreference_probs: Tensor, gold: Gold, appears: Appearance) -> None:
        super().__init__(gold, appears)
        n = coreference_probs.shape[-1]
        itself = torch.eye(n, dtype=torch.bool, device=coreference_probs.device)
        self._pairs = coreference_probs.masked_fill(itself, 0.0)
        of_gold = self._pairs * same_entity(gold.entity)
        self._gold_mates = of_gold.sum(-1, dtype=torch.float64)  # o_i
        self.system = PairSide(self._pairs.sum(-1, dtype=torch.float64), appears)

    @cached_property
    def shared(self) -> Tensor:
        """[..., mention] mentions of its gold entity to expect in its own, given that it is written."""
        return 1 + share(self._gold_mates, self._appears.written)

    @cached_property
    def written(self) -> Tensor:
        return self._gold.is_member * self._appears.written

    @cached_property
    def links(self) -> Tensor:
        """[..., mention] half of its links to gold mates: each is seen from both ends."""
        return self._gold_mates / 2

    @cached_property
    def between(self) -> Tensor:
        gold = self._gold.is_member.to(self._pairs.dtype)[..., None]
        in_gold = (gold * self._pairs * gold.mT).sum((-2, -1), dtype=torch.float64) / 2
        apart = written_apart(self._gold, self._appears, coreferring=in_gold - self.links.sum(-1))
        return apart.minimum(self.system.between)  # no more than there are, after all that clamping

    @property
    def gold_size(self) -> Tensor:
        return self._gold.size_of_mention

    @property
    def system_size(self) -> Tensor:
        return self.system.size

    def by_gold(self, cells: Tensor) -> Tensor:
        return self._gold.sums(cells[..., None])[..., 0]

    def by_system(self, cells: Tensor) -> Tensor:
        """[..., mention] as it is: each stands for its own entity."""
        return cells

    def best_alignment(self, similarity: Tensor) -> Tensor:
        raise NotImplementedError("CEAF has no pairwise form")
