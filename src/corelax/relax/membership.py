"""How sure a resolution is: link probabilities, and P(mention i is in the entity that mention u starts).

P = (I − L)⁻¹ D as everywhere (section 3.1 of Le & Titov), but only the columns of entities that were
decoded, and block by block: a span has antecedents among the last few thousand only, so a block needs the
rows of those.
"""

from __future__ import annotations

import torch
from torch import Tensor

BLOCK = 1024


def candidate_probs(scores: Tensor) -> Tensor:
    """[span, 1 + candidate] link probabilities from scores, "new entity" first.

    >>> candidate_probs(torch.tensor([[0.0, -torch.inf], [0.0, 0.0]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    return scores.double().softmax(-1)


def membership(
    probs: Tensor, antecedents: Tensor, entity: Tensor, reach: int, block: int = BLOCK
) -> Tensor:
    """[span] the probability that a span belongs to the entity that it was given to.

    Args:
        probs: [span, 1 + candidate] from `candidate_probs`.
        antecedents: [span, candidate].
        entity: [span] numbers of entities 0, 1, ... by their first span; −1 for spans in none.
        reach: How far back antecedents lie at most.
        block: How many spans are solved for at once.

    Returns:
        P[i, u], where u is the first span of i's entity; 0 for spans in none.

    >>> probs = torch.tensor([[1.0, 0.0], [0.25, 0.75]]).double()
    >>> membership(probs, torch.tensor([[0], [0]]), torch.tensor([0, 0]), reach=10)
    tensor([1.0000, 0.7500], dtype=torch.float64)
    """
    size = len(probs)
    result = probs.new_zeros(size)
    is_first = torch.zeros(size, dtype=torch.bool)
    known = entity.clamp(min=0)
    firsts = torch.full((int(known.max()) + 1 if size else 1,), size)
    firsts = firsts.scatter_reduce(0, known[entity >= 0], torch.arange(size)[entity >= 0], "amin")
    is_first[firsts[firsts < size]] = True
    rows, columns = probs.new_zeros(0, 0), torch.zeros(0, dtype=torch.long)  # of the spans before
    for at in range(0, size, block):
        end, begin = min(at + block, size), max(0, at - reach)
        active = entity[begin:end]
        active = torch.unique(active[active >= 0])
        before = probs.new_zeros(at - begin, len(active))
        kept = torch.isin(columns, active)
        before[:, torch.searchsorted(active, columns[kept])] = rows[
            len(rows) - (at - begin) :, kept
        ]
        links = probs.new_zeros(end - at, end - begin)
        where = (antecedents[at:end] - begin).clamp(min=0)
        links.scatter_add_(1, where, probs[at:end, 1:])
        right = links[:, : at - begin] @ before
        mine = entity[at:end]
        starts = is_first[at:end].nonzero().squeeze(1)
        right[starts, torch.searchsorted(active, mine[starts])] += probs[at:end][starts, 0]
        inner = torch.eye(end - at, dtype=probs.dtype) - links[:, at - begin :]
        found = torch.linalg.solve_triangular(inner, right, upper=False, unitriangular=True)
        placed = (mine >= 0).nonzero().squeeze(1)
        result[at + placed] = found[placed, torch.searchsorted(active, mine[placed])]
        rows, columns = torch.cat([before, found])[-reach:], active
    return result
