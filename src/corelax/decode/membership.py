"""Entity probabilities of pruned antecedents: P(m_i ∈ E_u) block by block, of the decoded entities alone.

P = (I − L)⁻¹ D as in `relax/entities.py`, but L has a few candidates in each row, none of them further back
than a few thousand mentions. So a document of any length is solved in blocks: a block needs the rows of P
within reach before it, and the columns of the entities that have mentions there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Floats, Ints

BLOCK = 256  # mentions


def candidate_probs(scores: NDArray[np.floating]) -> Floats:
    """p(a_i = j) of candidates: [mention, 1 + candidate] from scores, "new entity" first.

    >>> candidate_probs(np.array([[0.0, -np.inf], [0.0, 0.0]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    scores = scores.astype(np.float64)
    largest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(largest > -np.inf, largest, 0.0))
    total = weights.sum(-1, keepdims=True)
    probs: Floats = weights / np.where(total > 0, total, 1.0)  # without any candidate all are 0
    return probs


def membership(
    probs: Floats, antecedents: Ints, entity: Ints, reach: int, block: int = BLOCK
) -> Floats:
    """[mention] the probability that a mention belongs to the entity that it was given to.

    Args:
        probs: [mention, 1 + candidate] from `candidate_probs`.
        antecedents: [mention, candidate] which earlier mention each candidate is.
        entity: [mention] numbers of entities 0, 1, ... by their first mention; −1 for mentions in none.
        reach: How far back antecedents lie at most, in mentions.
        block: How many mentions are solved for at once.

    Returns:
        P[i, u], where u is the first mention of i's entity; 0 for mentions in none.

    >>> probs = np.array([[1.0, 0.0], [0.25, 0.75]])
    >>> membership(probs, np.array([[0], [0]]), np.array([0, 0]), reach=10).tolist()
    [1.0, 0.75]
    """
    size = len(probs)
    result = np.zeros(size)
    is_first = _first_mentions(entity)
    rows, columns = np.zeros((0, 0)), np.zeros(0, np.int64)  # P before the block
    for start in range(0, size, block):
        end, begin = min(start + block, size), max(0, start - reach)
        active = entity[begin:end]
        active = np.unique(active[active >= 0])  # entities, the columns of this block
        before = np.zeros((start - begin, len(active)))
        still_active = np.isin(columns, active)
        before[:, np.searchsorted(active, columns[still_active])] = rows[
            len(rows) - (start - begin) :, still_active
        ]
        links = _links(probs[start:end, 1:], antecedents[start:end] - begin, end - begin)
        right = links[:, : start - begin] @ before
        own = entity[start:end]
        first = np.flatnonzero(is_first[start:end])
        right[first, np.searchsorted(active, own[first])] += probs[start:end][first, 0]
        inner = np.eye(end - start) - links[:, start - begin :]
        solved = np.linalg.solve(inner, right)  # lower triangular with ones: nothing is exchanged
        placed = np.flatnonzero(own >= 0)
        result[start + placed] = solved[placed, np.searchsorted(active, own[placed])]
        rows, columns = np.concatenate([before, solved])[-reach:], active
    return result


def _links(probs: Floats, targets: Ints, width: int) -> Floats:
    """[mention, target] the probabilities of candidates in the columns of their targets."""
    rows = np.arange(len(probs))[:, None] * width
    flat = (rows + targets.clip(min=0)).ravel()
    table = np.zeros(len(probs) * width)
    np.add.at(table, flat, probs.ravel())
    return table.reshape(len(probs), width)


def _first_mentions(entity: Ints) -> NDArray[np.bool_]:
    """[mention] whether it is the first mention of its entity.

    >>> _first_mentions(np.array([-1, 0, 1, 0])).tolist()
    [False, True, True, False]
    """
    is_first = np.zeros(len(entity), bool)
    is_first[np.unique(entity, return_index=True)[1]] = True
    return is_first & (entity >= 0)
