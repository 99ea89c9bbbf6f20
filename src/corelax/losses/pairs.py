"""Pairs as a yes-or-no question: what Clark & Manning (2016) begin with, before mentions are ranked."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, softplus

from corelax.losses.actions import document_mean
from corelax.relax.advice import advise_scores
from corelax.relax.gold import check_gold, same_entity
from corelax.relax.links import masked_scores, real_mentions
from corelax.relax.precision import full_precision


@full_precision
def pair_loss(
    antecedent_scores: Tensor,
    gold: Tensor,
    *,
    top: bool = False,
    lengths: Tensor | None = None,
) -> Tensor:
    """Cross entropy of "these two mentions corefer", of all pairs or of the two that matter most.

        all    −Σ_{j<i} y_ij log σ(s_ij) + (1 − y_ij) log (1 − σ(s_ij))
        top    −Σ_i max_{j ∈ T(i)} log σ(s_ij) + min_{j ∈ F(i)} log (1 − σ(s_ij))

    T(i) are the gold antecedents of mention i and F(i) the mentions before it that are none; a mention
    without either has no such term.

    Args:
        antecedent_scores: [..., mention, antecedent], lower triangle; the diagonal is not read.
        gold: [..., mention] entity numbers, −1 for a mention in no gold entity.
        top: Whether only the best true and the best false antecedent of each mention count.
        lengths: [...] mentions of each document of a padded batch.

    Returns:
        The sum over pairs (batches: its mean over documents).

    >>> pair_loss(torch.zeros(3, 3), torch.tensor([0, 1, 0]))  # three pairs
    tensor(2.0794)
    """
    scores = masked_scores(antecedent_scores, lengths=lengths)
    advise_scores(scores, lengths)
    gold = check_gold(gold, scores, lengths)
    itself = torch.eye(scores.shape[-1], dtype=torch.bool, device=scores.device)
    possible = (scores > -torch.inf) & ~itself
    same = same_entity(gold)
    if not top:
        asked = torch.where(possible, scores, 0.0)
        each = binary_cross_entropy_with_logits(asked, same.to(scores.dtype), reduction="none")
        return document_mean((each * possible).sum((-2, -1)))
    if not scores.shape[-1]:
        return scores.sum()
    losses = scores.new_zeros(scores.shape[:-1])
    for right, sign in ((possible & same, -1.0), (possible & ~same, 1.0)):
        there = right.any(-1)
        best = scores.masked_fill(~right, -torch.inf).amax(-1)
        losses = losses + torch.where(there, softplus(sign * torch.where(there, best, 0.0)), 0.0)
    return document_mean(losses.sum(-1))


@full_precision
def anaphoricity_cross_entropy(
    scores: Tensor, gold: Tensor, *, lengths: Tensor | None = None
) -> Tensor:
    """Cross entropy of "this mention has an antecedent".

    >>> anaphoricity_cross_entropy(torch.zeros(2), torch.tensor([0, 0]))
    tensor(1.3863)
    """
    square = scores[:, None].expand(len(scores), len(scores))
    gold = check_gold(gold, square, lengths)
    is_anaphoric = same_entity(gold).tril(-1).any(-1).to(scores.dtype)
    if lengths is not None:
        weight = real_mentions(lengths, square).to(scores.dtype)
        return binary_cross_entropy_with_logits(scores, is_anaphoric, weight, reduction="sum")
    return binary_cross_entropy_with_logits(scores, is_anaphoric, reduction="sum")
