"""Rewards of all single-link changes at once: what would the score be if mention i chose j instead?

Clark & Manning score a document anew for each of its n² / 2 possible changes. Changing the link of mention i
moves one block of mentions, those below i in the tree of links, from its cluster to another. B³ and LEA are
sums over clusters of squares of gold counts, MUC counts the gold entities that a cluster has mentions of, so
that all changes come from two matrix products. (The metrics are those of `metrics/`, taken apart by clusters;
tests hold the table to scoring each change anew.)
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from corelax.core.checks import check_choice
from corelax.document.clustering import SINGLETONS
from corelax.metrics.counts import Counts
from corelax.relax.gold import Gold
from corelax.relax.triangular import solve_transposed

# LEA is B³ without the pair of a mention with itself, so both are Σ y (y − self) / (size − self).
SELF_PAIR = {"b_cubed": 0, "lea": 1}
REWARDS = (*SELF_PAIR, "muc")


class _Parts(NamedTuple):
    """What clusters add to recall numerator, precision numerator and precision denominator."""

    recall: Tensor
    precision: Tensor
    size: Tensor


class _Rule(Protocol):
    """A metric as a sum over clusters."""

    def sums(self, counts: Tensor) -> tuple[Tensor, Tensor]:
        """[..., cluster, entity] mentions → [..., cluster] what recall and precision are made of."""

    def shared(self, below: Tensor, clusters: Tensor) -> tuple[Tensor, Tensor]:
        """[..., block, cluster] by how much the sums of a block and a cluster grow when they join."""

    def parts(self, recall_sum: Tensor, precision_sum: Tensor, size: Tensor) -> _Parts:
        """Of clusters of two mentions and more, or of none."""

    def parts_of(self, counts: Tensor, size: Tensor) -> _Parts:
        """Of any clusters."""

    def gold_total(self, gold: Gold) -> Tensor:
        """[...] the denominator of recall."""


class _Pairs(NamedTuple):
    """B³ and LEA: each cluster is given by its pairs and its size."""

    self_pair: int
    weights: Tensor  # [..., 1, entity] 1 / (|G| − self)
    single: Tensor  # [..., 1, entity] whether it is a gold singleton
    keep_singletons: bool

    @classmethod
    def of(cls, self_pair: int, gold: Gold, *, keep_singletons: bool) -> _Pairs:
        sizes = gold.sizes[..., None, :]
        weights = torch.where(sizes > self_pair, 1 / (sizes - self_pair).clamp(min=1), 0.0)
        return cls(self_pair, weights, (sizes == 1).double(), keep_singletons)

    def sums(self, counts: Tensor) -> tuple[Tensor, Tensor]:
        """Pairs of mentions of one entity, weighted for recall and plain."""
        pairs = counts * (counts - self.self_pair)
        return (pairs * self.weights).sum(-1), pairs.sum(-1)

    def shared(self, below: Tensor, clusters: Tensor) -> tuple[Tensor, Tensor]:
        """Squares of sums of counts have twice the products."""
        return 2 * (below * self.weights) @ clusters.mT, 2 * below @ clusters.mT

    def parts(self, recall_sum: Tensor, precision_sum: Tensor, size: Tensor) -> _Parts:
        return _Parts(recall_sum, precision_sum / (size - self.self_pair).clamp(min=1), size)

    def parts_of(self, counts: Tensor, size: Tensor) -> _Parts:
        right = (counts * (self.single if self.self_pair else 1.0)).sum(-1)
        recall = right if self.self_pair else (counts * self.weights).sum(-1)
        singleton = _Parts(recall, right, size)
        return _Parts(
            *(
                torch.where(size == 1, self.keep_singletons * alone, together)
                for alone, together in zip(
                    singleton, self.parts(*self.sums(counts), size), strict=True
                )
            )
        )

    def gold_total(self, gold: Gold) -> Tensor:
        return gold.sizes.sum(-1)


class _Links:
    """MUC: a cluster has as many right links as gold mentions, less one for each entity that they are of."""

    def sums(self, counts: Tensor) -> tuple[Tensor, Tensor]:
        """Right links; the same for recall and precision."""
        links = (counts - (counts > 0).double()).sum(-1)
        return links, links

    def shared(self, below: Tensor, clusters: Tensor) -> tuple[Tensor, Tensor]:
        """A link more for each entity that both have mentions of."""
        links = (below > 0).double() @ (clusters > 0).double().mT
        return links, links

    def parts(self, recall_sum: Tensor, precision_sum: Tensor, size: Tensor) -> _Parts:
        return _Parts(recall_sum, precision_sum, (size - 1).clamp(min=0))

    def parts_of(self, counts: Tensor, size: Tensor) -> _Parts:
        return self.parts(*self.sums(counts), size)

    def gold_total(self, gold: Gold) -> Tensor:
        return (gold.sizes - 1).clamp(min=0).sum(-1)


def single_link_rewards(
    actions: Tensor,
    gold: Gold,
    *,
    metric: str = "b_cubed",
    singletons: str = "drop",
    real_mentions: Tensor | None = None,
) -> Tensor:
    """R[i, j]: F1 of the document if all actions stay as they are, except that a_i = j.

    Args:
        actions: [..., mention] a_i ≤ i, the antecedent of each mention; itself for "new".
        gold: The gold entities; `gold.without_singletons()` where singletons are dropped from both sides.
        metric: "b_cubed", "lea" or "muc".
        singletons: Whether system entities of one mention are written ("keep") or not ("drop").
        real_mentions: [..., mention] False for padding.

    Returns:
        [..., mention, antecedent] in float64; only j ≤ i mean anything.

    >>> gold = Gold(torch.tensor([0, 0, 0]), torch.tensor([3]))
    >>> single_link_rewards(torch.tensor([0, 0, 2]), gold).tril()  # linking mention 2 is perfect
    tensor([[0.6154, 0.0000, 0.0000],
            [0.6154, 0.0000, 0.0000],
            [1.0000, 1.0000, 0.6154]], dtype=torch.float64)
    """
    check_choice("metric", metric, REWARDS)
    check_choice("singletons", singletons, SINGLETONS)
    rule: _Rule = _Links()
    if metric in SELF_PAIR:
        rule = _Pairs.of(SELF_PAIR[metric], gold, keep_singletons=singletons == "keep")
    if real_mentions is None:
        real_mentions = torch.ones_like(actions, dtype=torch.bool)
    root = _roots(actions)  # [..., mention] also the number of its cluster
    below, below_size, clusters, cluster_size = _blocks(actions, root, gold, real_mentions)
    whole = rule.parts_of(clusters, cluster_size)  # [..., cluster], nothing where none is started
    moved = rule.parts_of(below, below_size)  # [..., mention]
    own = clusters.gather(-2, root[..., None].expand_as(below))
    rest = rule.parts_of(own - below, cluster_size.gather(-1, root) - below_size)

    # The block of i joins cluster k. [..., mention, cluster]
    sums = [
        of_block[..., :, None] + of_cluster[..., None, :] + of_both
        for of_block, of_cluster, of_both in zip(
            rule.sums(below), rule.sums(clusters), rule.shared(below, clusters), strict=True
        )
    ]
    joined_size = below_size[..., :, None] + cluster_size[..., None, :]
    joined = rule.parts(sums[0], sums[1], joined_size)

    # Three cases: j = i detaches the block, a j in i's own cluster changes nothing, others join.
    itself = torch.eye(actions.shape[-1], dtype=torch.bool, device=actions.device)
    own_cluster = root[..., :, None] == root[..., None, :]
    after = []
    for of_whole, of_moved, of_rest, of_joined in zip(whole, moved, rest, joined, strict=True):
        total = of_whole.sum(-1, keepdim=True)  # [..., 1]
        without = total - of_whole.gather(-1, root) + of_rest  # [..., mention] all but the block
        elsewhere = without[..., None] - of_whole[..., None, :] + of_joined
        elsewhere = elsewhere.gather(-1, root[..., None, :].expand_as(elsewhere))
        others = torch.where(own_cluster, total[..., None], elsewhere)
        after.append(torch.where(itself, (without + of_moved)[..., None], others))
    recall, precision, size = after
    total = rule.gold_total(gold)[..., None, None]
    return torch.as_tensor(Counts(recall, total, precision, size).scores().f1)


def _roots(actions: Tensor) -> Tensor:
    """[..., mention] the first mention of each mention's cluster, by jumping ever further back."""
    root = actions
    for _ in range(math.ceil(math.log2(max(actions.shape[-1], 2)))):
        root = root.gather(-1, root)
    return root


def _blocks(
    actions: Tensor, root: Tensor, gold: Gold, real_mentions: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Counts by gold entity and sizes of what hangs below each mention, and of each cluster.

    With T the links as a strictly lower 0/1 matrix, (I − T)⁻ᵀ adds up each mention's descendants.
    """
    counted = torch.cat([gold.members.mT, real_mentions.double()[..., None]], dim=-1)
    mentions = torch.arange(actions.shape[-1], device=actions.device)
    tree = (actions[..., :, None] == mentions).double()
    below = solve_transposed(tree, counted)
    index = root[..., None].expand_as(counted)
    clusters = torch.zeros_like(counted).scatter_add(-2, index, counted)
    return below[..., :-1], below[..., -1], clusters[..., :-1], clusters[..., -1]
