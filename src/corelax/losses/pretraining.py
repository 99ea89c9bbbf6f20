"""Two sub-tasks that the first layers of a ranker are pretrained on: is a mention anaphoric, and which
antecedent does it have if it is (Wiseman et al. 2015; Le & Titov's versions of both)."""

from __future__ import annotations

import torch
from torch import Tensor

from corelax.core.errors import CorelaxError
from corelax.losses.actions import check_factor, document_mean
from corelax.losses.ranking import slack_rescaled
from corelax.relax.advice import advise_scores
from corelax.relax.gold import check_gold, same_entity
from corelax.relax.links import masked_scores, real_mentions
from corelax.relax.precision import full_precision

HINGE = 1.0


@full_precision
def anaphoricity_loss(
    scores: Tensor,
    gold: Tensor,
    *,
    weight: float = 1.35,
    lengths: Tensor | None = None,
) -> Tensor:
    """Hinge loss of "this mention has an antecedent", those that have one weighing more.

        Σ_i c_i max(0, 1 − y_i x_i),        y_i = 1 if mention i is anaphoric, else −1

    Args:
        scores: [..., mention] x_i, above 0 for anaphoric.
        gold: [..., mention] entity numbers, −1 for a mention in no gold entity.
        weight: c of anaphoric mentions; that of the others is 1.
        lengths: [...] mentions of each document of a padded batch.

    Returns:
        The sum over mentions (batches: its mean over documents).

    >>> anaphoricity_loss(torch.tensor([-2.0, 0.0]), torch.tensor([0, 0]))  # the first costs nothing
    tensor(1.3500)
    """
    if not isinstance(scores, Tensor) or not scores.is_floating_point() or not scores.ndim:
        raise CorelaxError(
            "scores must be a tensor of floating-point numbers, one for each mention"
        )
    check_factor("weight", weight)
    square = scores[..., None].expand(*scores.shape, scores.shape[-1])
    gold = check_gold(gold, square, lengths)
    anaphoric = same_entity(gold).tril(-1).any(-1)
    slack = torch.where(anaphoric, weight * (HINGE - scores), HINGE + scores).clamp(min=0)
    if lengths is not None:
        slack = slack * real_mentions(lengths, square)
    return document_mean(slack.sum(-1))


@full_precision
def antecedent_loss(
    antecedent_scores: Tensor,
    gold: Tensor,
    *,
    margin: float | None = None,
    lengths: Tensor | None = None,
) -> Tensor:
    """Ranking of antecedents for mentions that have one; "new entity" is no choice.

        −Σ_i log Σ_{j ∈ C(i)} softmax_{j < i}(s_ij),    or with a margin   Σ_i max_{j wrong} (m + s_ij − s_iℓ)

    Args:
        antecedent_scores: [..., mention, antecedent], lower triangle; the diagonal is not read.
        gold: [..., mention] entity numbers, −1 for a mention in no gold entity.
        margin: m of the max-margin version of Wiseman et al.; None for likelihood.
        lengths: [...] mentions of each document of a padded batch.

    Returns:
        The sum over anaphoric mentions (batches: its mean over documents).

    >>> antecedent_loss(torch.zeros(3, 3), torch.tensor([0, 1, 0]))  # one of two
    tensor(0.6931)
    """
    scores = masked_scores(antecedent_scores, lengths=lengths)
    advise_scores(scores, lengths)
    gold = check_gold(gold, scores, lengths)
    itself = torch.eye(scores.shape[-1], dtype=torch.bool, device=scores.device)
    correct = same_entity(gold).tril(-1) & (scores > -torch.inf)
    anaphoric = correct.any(-1, keepdim=True)
    # Mentions without antecedent get scores of 0, which nothing comes of.
    scores = torch.where(anaphoric, scores.masked_fill(itself, -torch.inf), 0.0)
    if margin is not None:
        costs = (anaphoric & ~correct).to(scores.dtype)
        return slack_rescaled(scores, costs, correct | ~anaphoric, margin)
    right = torch.where(anaphoric, scores.masked_fill(~correct, -torch.inf), 0.0)
    return document_mean((torch.logsumexp(scores, -1) - torch.logsumexp(right, -1)).sum(-1))
