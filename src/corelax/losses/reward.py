"""Reward-based objectives of Clark & Manning (2016): REINFORCE and reward rescaling."""

from __future__ import annotations

import torch
from torch import Tensor

from corelax.core.checks import check_choice
from corelax.document.clustering import SINGLETONS
from corelax.losses.actions import document_mean
from corelax.losses.ranking import slack_rescaled
from corelax.losses.single_links import single_link_rewards
from corelax.relax.advice import advise_scores
from corelax.relax.gold import Gold
from corelax.relax.links import masked_scores, real_mentions
from corelax.relax.precision import full_precision

# Differences of rewards below this are rounding.
NO_COST = 1e-6
ACTIONS = ("sampled", "greedy")


@full_precision
def reinforce_loss(
    antecedent_scores: Tensor,
    gold: Tensor,
    *,
    metric: str = "b_cubed",
    gold_sizes: Tensor | None = None,
    lengths: Tensor | None = None,
    singletons: str = "drop",
    actions: str = "sampled",
    generator: torch.Generator | None = None,
) -> Tensor:
    """Expected cost of each mention's action, the actions of all others being fixed.

        Σ_i Σ_j p_ij c_ij,        c_ij = w (max_k R_ik − R_ij)

    R_ij is the F1 of the document when mention i chooses j, w a tenth of the number of gold and predicted
    mentions. Since the sum runs over all actions, no baseline is needed: it would change nothing.

    Args:
        antecedent_scores: [..., mention, antecedent], lower triangle; the diagonal is "new entity".
        gold: [..., mention] entity numbers, −1 for a mention in no gold entity.
        metric: "b_cubed" as in the paper, "lea" or "muc".
        gold_sizes: [..., entity] full sizes, counting gold mentions that the ranker does not have.
        lengths: [...] mentions of each document of a padded batch.
        singletons: "drop" or "keep", for both sides.
        actions: The other actions are "sampled" from the policy as in the paper, or "greedy" as in the
            authors' code.
        generator: Where samples come from.

    Returns:
        The sum over mentions (batches: its mean over documents).

    >>> scores = torch.tensor([[0.0, 0.0], [0.0, 0.0]])
    >>> reinforce_loss(scores, torch.tensor([0, 0]), actions="greedy")  # ½ · ((2 + 2) / 10) · (1 − 0)
    tensor(0.2000)
    """
    scores = masked_scores(antecedent_scores, lengths=lengths)
    advise_scores(scores, lengths)
    probs = torch.softmax(scores, dim=-1)
    chosen = _choose(probs.detach(), actions, generator)
    costs = _costs(scores, chosen, gold, gold_sizes, lengths, metric, singletons)
    return document_mean((probs * costs).sum((-2, -1)))


@full_precision
def rescale_loss(
    antecedent_scores: Tensor,
    gold: Tensor,
    *,
    metric: str = "b_cubed",
    margin: float = 3.0,
    gold_sizes: Tensor | None = None,
    lengths: Tensor | None = None,
    singletons: str = "drop",
    actions: str = "greedy",
    generator: torch.Generator | None = None,
) -> Tensor:
    """Max margin, each wrong action costing what it takes from the document's reward.

        Σ_i max_j c_ij (m + s_ij − max_{k: c_ik = 0} s_ik)

    The costs are those of `reinforce_loss`; every action that reaches the highest reward is correct.

    Args:
        antecedent_scores: [..., mention, antecedent], lower triangle; the diagonal is "new entity".
        gold: [..., mention] entity numbers, −1 for a mention in no gold entity.
        metric: "b_cubed" as in the paper, "lea" or "muc".
        margin: m, 3 in the authors' code and 1 in the paper.
        gold_sizes, lengths, singletons, actions, generator: See `reinforce_loss`.

    Returns:
        The sum over mentions (batches: its mean over documents).

    >>> scores = torch.tensor([[0.0, 0.0], [1.0, 0.0]])
    >>> rescale_loss(scores, torch.tensor([0, 0]))  # 0.4 · (3 + 0 − 1)
    tensor(0.8000)
    """
    scores = masked_scores(antecedent_scores, lengths=lengths)
    advise_scores(scores, lengths)
    chosen = _choose(torch.softmax(scores.detach(), dim=-1), actions, generator)
    costs = _costs(scores, chosen, gold, gold_sizes, lengths, metric, singletons)
    return slack_rescaled(scores, costs, costs == 0, margin)


def _choose(probs: Tensor, actions: str, generator: torch.Generator | None) -> Tensor:
    """[..., mention] an action for each mention."""
    check_choice("actions", actions, ACTIONS)
    if not probs.shape[-1]:
        return probs.new_zeros(probs.shape[:-1], dtype=torch.long)
    if actions == "greedy":
        return probs.argmax(-1)
    # The first of exponential clocks, running at the rate of the probabilities, to ring. (torch.multinomial
    # does the same, but asks the GPU first whether these are probabilities, and cannot be recorded.)
    clocks = torch.empty_like(probs).exponential_(generator=generator)
    return (probs / clocks).argmax(-1)


def _costs(
    scores: Tensor,
    chosen: Tensor,
    gold: Tensor,
    gold_sizes: Tensor | None,
    lengths: Tensor | None,
    metric: str,
    singletons: str,
) -> Tensor:
    """[..., mention, antecedent] c_ij ≥ 0, with a 0 in every row."""
    entities = Gold.of(gold, gold_sizes, scores, lengths)
    check_choice("singletons", singletons, SINGLETONS)
    if singletons == "drop":
        entities = entities.without_singletons()
    real = None if lengths is None else real_mentions(lengths, scores)
    rewards = single_link_rewards(
        chosen, entities, metric=metric, singletons=singletons, real_mentions=real
    )
    possible = scores > -torch.inf
    if not rewards.shape[-1]:
        return scores.detach()
    best = rewards.masked_fill(~possible, -torch.inf).amax(-1, keepdim=True)
    predicted = scores.shape[-1] if lengths is None else lengths.to(scores.device)
    weight = (entities.sizes.sum(-1) + predicted) / 10
    costs = torch.where(possible, weight[..., None, None] * (best - rewards), 0.0)
    return torch.where(costs < NO_COST, 0.0, costs).to(scores.dtype)
