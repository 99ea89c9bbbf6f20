"""Entity probabilities of pruned antecedents: P(m_i ∈ E_u) block by block, of the decoded entities alone.

P = (I − L)⁻¹ D as in `entities.py`, but L has a few candidates in each row, none of them further back than a
few thousand mentions. So a document of any length is solved in blocks: a block needs the rows of P within
reach before it, and the columns of the entities that have mentions there.
"""

from __future__ import annotations

import torch
from torch import Tensor

BLOCK = 1024  # mentions


def candidate_probs(scores: Tensor) -> Tensor:
    """p(a_i = j) of candidates: [mention, 1 + candidate] from scores, "new entity" first.

    >>> candidate_probs(torch.tensor([[0.0, -torch.inf], [0.0, 0.0]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    return scores.double().softmax(-1)


def membership(
    probs: Tensor, antecedents: Tensor, entity: Tensor, reach: int, block: int = BLOCK
) -> Tensor:
    """[mention] the probability that a mention belongs to the entity that it was given to.

    Args:
        probs: [mention, 1 + candidate] from `candidate_probs`.
        antecedents: [mention, candidate] which earlier mention each candidate is.
        entity: [mention] numbers of entities 0, 1, ... by their first mention; −1 for mentions in none.
        reach: How far back antecedents lie at most, in mentions.
        block: How many mentions are solved for at once.

    Returns:
        P[i, u], where u is the first mention of i's entity; 0 for mentions in none.

    >>> probs = torch.tensor([[1.0, 0.0], [0.25, 0.75]]).double()
    >>> membership(probs, torch.tensor([[0], [0]]), torch.tensor([0, 0]), reach=10)
    tensor([1.0000, 0.7500], dtype=torch.float64)
    """
    size = len(probs)
    result = probs.new_zeros(size)
    is_first = _first_mentions(entity)
    rows, columns = probs.new_zeros(0, 0), torch.zeros(0, dtype=torch.long)  # P before the block
    for start in range(0, size, block):
        end, begin = min(start + block, size), max(0, start - reach)
        active = entity[begin:end]
        active = torch.unique(active[active >= 0])  # entities, the columns of this block
        before = probs.new_zeros(start - begin, len(active))
        still_active = torch.isin(columns, active)
        before[:, torch.searchsorted(active, columns[still_active])] = rows[
            len(rows) - (start - begin) :, still_active
        ]
        links = probs.new_zeros(end - start, end - begin)
        targets = (antecedents[start:end] - begin).clamp(min=0)
        links.scatter_add_(1, targets, probs[start:end, 1:])
        right = links[:, : start - begin] @ before
        own = entity[start:end]
        first = is_first[start:end].nonzero().squeeze(1)
        right[first, torch.searchsorted(active, own[first])] += probs[start:end][first, 0]
        inner = torch.eye(end - start, dtype=probs.dtype) - links[:, start - begin :]
        solved = torch.linalg.solve_triangular(inner, right, upper=False, unitriangular=True)
        placed = (own >= 0).nonzero().squeeze(1)
        result[start + placed] = solved[placed, torch.searchsorted(active, own[placed])]
        rows, columns = torch.cat([before, solved])[-reach:], active
    return result


def _first_mentions(entity: Tensor) -> Tensor:
    """[mention] whether it is the first mention of its entity.

    >>> _first_mentions(torch.tensor([-1, 0, 1, 0]))
    tensor([False,  True,  True, False])
    """
    size = len(entity)
    placed = entity >= 0
    entities = int(entity.max()) + 1 if size else 0
    firsts = torch.full((max(entities, 0),), size)
    firsts = firsts.scatter_reduce(0, entity[placed], torch.arange(size)[placed], "amin")
    is_first = torch.zeros(size, dtype=torch.bool)
    is_first[firsts[firsts < size]] = True
    return is_first
