"""Softmax-margin ranking: the heuristic baseline of Le & Titov."""

from __future__ import annotations

import torch
from torch import Tensor

from corelax.losses.actions import Actions, document_mean
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
