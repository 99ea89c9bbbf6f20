"""Link probabilities: from the scores of a mention ranker to p(a_i = j)."""

from __future__ import annotations

import torch
from torch import Tensor

from corelax.core.checks import check_temperature
from corelax.core.errors import CorelaxError
from corelax.relax.precision import can_check, full_precision


@full_precision
def link_probs(
    antecedent_scores: Tensor, *, temperature: float = 1.0, lengths: Tensor | None = None
) -> Tensor:
    """p(a_i = j) = softmax over j ≤ i of s_ij / T. The diagonal is "mention i starts a new entity".

    Args:
        antecedent_scores: [..., mention, antecedent] s_ij. What is above the diagonal is ignored; −inf below
            it marks antecedents that were pruned.
        temperature: T. Below 1 the probabilities move towards the best link.
        lengths: [...] number of mentions of each document, where documents were padded to one size.
            Padding mentions start entities of their own.

    Returns:
        [..., mention, antecedent] probabilities; rows sum to 1, zeros above the diagonal.

    >>> link_probs(torch.tensor([[0.0, 9.0], [1.0, 1.0]]))
    tensor([[1.0000, 0.0000],
            [0.5000, 0.5000]])
    """
    scores = masked_scores(antecedent_scores, lengths=lengths)
    if check_temperature(temperature) != 1:
        scores = divided(scores, temperature)
    return torch.softmax(scores, dim=-1)


def divided(logits: Tensor, temperature: float) -> Tensor:
    """[..., row, choice] logits / T for a softmax: relative to the best of a row, which nothing overflows by.

    >>> divided(torch.tensor([[1e30, 2e30]]), 1e-30)
    tensor([[-inf, 0.]])
    """
    if not logits.shape[-1]:
        return logits
    return (logits - logits.detach().amax(-1, keepdim=True)) / temperature


def masked_scores(antecedent_scores: Tensor, *, lengths: Tensor | None = None) -> Tensor:
    """The scores with −inf wherever there is no action to take; an error if they are no such scores."""
    check_square(antecedent_scores, "antecedent_scores")
    n = antecedent_scores.shape[-1]
    mention = torch.arange(n, device=antecedent_scores.device)
    action = mention <= mention[:, None]
    no_score: Tensor | float = -torch.inf
    if lengths is not None:  # padding has one action, to start an entity
        action = action & real_mentions(lengths, antecedent_scores)[..., None]
        no_score = antecedent_scores.new_zeros(n, n).masked_fill(
            mention != mention[:, None], no_score
        )
    scores = torch.where(action, antecedent_scores, no_score)
    if n and can_check(scores):
        best = scores.detach().amax(-1)  # NaN where any score of the row is
        if not bool(best.isfinite().all()):
            where = (~best.isfinite()).nonzero()[0].tolist()
            raise CorelaxError(f"antecedent_scores: {_what_is_wrong(best, where)}")
    return scores


def check_square(matrix: Tensor, name: str) -> None:
    """An error unless this is a floating-point [..., mention, mention]."""
    if not isinstance(matrix, Tensor) or not matrix.is_floating_point():
        raise CorelaxError(f"{name} must be a tensor of floating-point numbers")
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise CorelaxError(f"{name} must be [..., mention, mention], not {list(matrix.shape)}")


def check_links(link_probs: Tensor) -> None:
    """An error unless these can be link probabilities. One row is looked at: scores do not add up to 1."""
    check_square(link_probs, "link_probs")
    if link_probs.numel() and can_check(link_probs):
        total = link_probs[..., -1, :].detach().sum(-1)
        if bool(((total - 1).abs() > 0.01).any()):
            raise CorelaxError(
                "link_probs must have rows that sum to 1; make them with link_probs(scores)"
            )


def real_mentions(lengths: Tensor, scores: Tensor) -> Tensor:
    """[..., mention] True for mentions, False for padding."""
    n = scores.shape[-1]
    if not isinstance(lengths, Tensor) or lengths.is_floating_point():
        raise CorelaxError("lengths must be a tensor of integers, one for each document")
    if lengths.shape != scores.shape[:-2]:
        shape, expected = list(lengths.shape), list(scores.shape[:-2])
        raise CorelaxError(f"lengths must be {expected}, one for each document, not {shape}")
    if can_check(lengths) and bool(((lengths < 0) | (lengths > n)).any()):
        raise CorelaxError(f"lengths must lie between 0 and {n}, the number of rows")
    return torch.arange(n, device=scores.device) < lengths.to(scores.device)[..., None]


def _what_is_wrong(best: Tensor, where: list[int]) -> str:
    value = float(best[tuple(where)])
    *document, mention = where
    row = f"row {mention}" + (f" of document {document}" if document else "")
    if value == -float("inf"):
        return f"{row} has no action: all its scores are -inf"
    return f"{row} has a score that is {'NaN' if value != value else 'inf'}"
