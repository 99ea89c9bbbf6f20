"""Ranking losses with a cost for each kind of error, as a softmax and as a margin.

`ranking_loss` is the softmax-margin baseline of Le & Titov, `margin_loss` the slack-rescaled max margin of
Wiseman et al. (2015) and Clark & Manning (2016).
"""

from __future__ import annotations

import torch
from torch import Tensor

from corelax.losses.actions import Actions, check_factor, document_mean
from corelax.relax.precision import full_precision


@full_precision
def ranking_loss(
    antecedent_scores: Tensor,
    gold: Tensor,
    *,
    costs: tuple[float, float, float] = (0.1, 3.0, 1.0),
    lengths: Tensor | None = None,
) -> Tensor:
    """Cross entropy of the gold antecedents, wrong actions made likelier by e^Δ.

        −Σ_i log [ Σ_{j ∈ C(i)} p_ij e^Δij / Σ_{j ≤ i} p_ij e^Δij ]

    C(i) are the gold antecedents of mention i, or i itself if it has none, or none that was not pruned. With
    costs of 0 this is the marginal likelihood that most neural rankers are trained with.

    Args:
        antecedent_scores: [..., mention, antecedent], lower triangle; the diagonal is "new entity".
        gold: [..., mention] entity numbers, −1 for a mention in no gold entity.
        costs: α of false anaphor, false new, wrong link.
        lengths: [...] mentions of each document of a padded batch.

    Returns:
        The sum over mentions (batches: its mean over documents).

    >>> ranking_loss(torch.zeros(2, 2), torch.tensor([0, 0]), costs=(0, 0, 0))  # one choice of two
    tensor(0.6931)
    """
    actions = Actions.of(antecedent_scores, gold, lengths)
    every = torch.logsumexp(actions.scores + actions.costs(costs), dim=-1)
    right = torch.logsumexp(actions.scores.masked_fill(~actions.correct, -torch.inf), dim=-1)
    return document_mean((every - right).sum(-1))


@full_precision
def margin_loss(
    antecedent_scores: Tensor,
    gold: Tensor,
    *,
    costs: tuple[float, float, float] = (0.5, 1.2, 1.0),
    margin: float = 1.0,
    lengths: Tensor | None = None,
) -> Tensor:
    """The worst violation of each mention, its slack multiplied by its cost.

        Σ_i max_j Δ_ij (m + s_ij − s_iℓ),        ℓ = the correct action with the highest score

    The defaults are those of Wiseman et al.; the heuristic loss of Clark & Manning is
    `costs=(0.4, 0.8, 1.0), margin=3`.

    Args:
        antecedent_scores: [..., mention, antecedent], lower triangle; the diagonal is "new entity".
        gold: [..., mention] entity numbers, −1 for a mention in no gold entity.
        costs: Δ of false anaphor, false new, wrong link.
        margin: m.
        lengths: [...] mentions of each document of a padded batch.

    Returns:
        The sum over mentions (batches: its mean over documents).

    >>> margin_loss(torch.tensor([[0.0, 0.0], [2.0, 2.5]]), torch.tensor([0, 0]))  # 1.2 · (1 + 2.5 − 2)
    tensor(1.8000)
    """
    actions = Actions.of(antecedent_scores, gold, lengths)
    return slack_rescaled(actions.scores, actions.costs(costs), actions.correct, margin)


def slack_rescaled(scores: Tensor, costs: Tensor, correct: Tensor, margin: float) -> Tensor:
    """Σ_i max_j c_ij (m + s_ij − max_{k correct} s_ik), the mean over documents."""
    check_factor("margin", margin)
    if not scores.shape[-1]:
        return scores.sum()
    latent = scores.masked_fill(~correct, -torch.inf).amax(-1, keepdim=True)
    possible = scores > -torch.inf
    slack = torch.where(possible, margin + scores - latent, 0.0)  # 0 · −inf would be NaN
    return document_mean((costs * slack).amax(-1).sum(-1))
