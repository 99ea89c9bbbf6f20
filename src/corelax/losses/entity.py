"""Entity-centric cross entropy L_ec (section 4.1 of Le & Titov)."""

from __future__ import annotations

import torch
from torch import Tensor

from corelax.losses.actions import check_costs, check_factor, document_mean
from corelax.relax.advice import advise_scores
from corelax.relax.entities import entity_probs
from corelax.relax.gold import check_gold, same_entity
from corelax.relax.links import masked_scores
from corelax.relax.precision import full_precision


@full_precision
def entity_loss(
    antecedent_scores: Tensor,
    gold: Tensor,
    *,
    costs: tuple[float, float, float] = (0.1, 3.0, 1.0),
    cost_same_cluster: float | None = None,
    lengths: Tensor | None = None,
) -> Tensor:
    """Cross entropy of the right entity, wrong ones made likelier by e^Γ.

        −Σ_i log [ P[i, e(i)] / Σ_{u ≤ i} P[i, u] e^Γiu ],        e(i) = first mention of i's gold entity

    Γ is γ1 for joining an entity when e(i) = i, γ2 for starting one when e(i) ≠ i, γ3 for joining a wrong
    one. In the paper that includes entities that other mentions of the right gold entity start; the authors'
    code gives those no cost (`cost_same_cluster=0`).

    Args:
        antecedent_scores: [..., mention, antecedent], lower triangle; the diagonal is "new entity".
        gold: [..., mention] entity numbers, −1 for a mention in no gold entity.
        costs: γ1, γ2, γ3.
        cost_same_cluster: Cost of an entity started by another mention of the right gold entity; γ3 if None.
        lengths: [...] mentions of each document of a padded batch.

    Returns:
        The sum over mentions (batches: its mean over documents). A mention that cannot come to its entity,
        because antecedents were pruned, is left out.

    >>> scores = torch.tensor([[0.0, 0], [0, 0]])
    >>> entity_loss(scores, torch.tensor([0, 0]), costs=(0, 0, 0))
    tensor(0.6931)
    """
    scores = masked_scores(antecedent_scores, lengths=lengths)
    advise_scores(scores, lengths)
    gold = check_gold(gold, scores, lengths)
    # In float64, where a probability has to be below e^-700 to underflow: its logarithm is what counts.
    links = torch.log_softmax(scores.double(), dim=-1)
    probs = entity_probs(links.exp())  # [..., mention, entity]
    itself = torch.eye(scores.shape[-1], dtype=torch.bool, device=scores.device)
    same = same_entity(gold).tril() | itself
    first = same & (same.cumsum(-1) == 1)  # [..., mention, entity] True at e(i)
    gamma = _costs(first, same & ~first, itself, costs, cost_same_cluster)

    log_probs = _log(probs, links, itself)
    log_right = _pick(log_probs, first)
    reached = log_right > -torch.inf
    losses = torch.where(reached, torch.logsumexp(log_probs + gamma, dim=-1) - log_right, 0.0)
    return document_mean(losses.sum(-1), scores.dtype)


def _log(probs: Tensor, links: Tensor, itself: Tensor) -> Tensor:
    """[..., mention, entity] log P; where P underflows, the logarithm of the path of one link."""
    starts = links.diagonal(dim1=-2, dim2=-1)[..., None, :]  # log p(a_u = u)
    direct = torch.where(itself, links, links + starts)
    is_normal = probs > torch.finfo(probs.dtype).tiny
    return torch.where(is_normal, torch.where(is_normal, probs, 1.0).log(), direct)


def _costs(
    first: Tensor,
    same_cluster: Tensor,
    itself: Tensor,
    costs: tuple[float, float, float],
    cost_same_cluster: float | None,
) -> Tensor:
    false_anaphor, false_new, wrong_entity = check_costs(costs)
    if cost_same_cluster is None:
        cost_same_cluster = wrong_entity
    check_factor("cost_same_cluster", cost_same_cluster)
    anaphoric = ~(first & itself).any(-1, keepdim=True)
    gamma = anaphoric.double() * (wrong_entity - false_anaphor) + false_anaphor
    gamma = gamma.expand_as(first).masked_fill(same_cluster, cost_same_cluster)
    gamma = gamma.masked_fill(itself & anaphoric, false_new)
    return gamma.masked_fill(first, 0.0)


def _pick(values: Tensor, one: Tensor) -> Tensor:
    """[..., mention] the value of each row where `one` is True."""
    return values.masked_fill(~one, 0.0).sum(-1)
