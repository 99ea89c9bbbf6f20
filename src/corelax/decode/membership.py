"""Entity probabilities of pruned antecedents: P(m_i ∈ E_u) block by block, of the decoded entities alone.

P = (I − L)⁻¹ D as in `relax/entities.py`, but L has a few candidates in each row, none of them further back
than a few thousand mentions, and of the column of an entity only the rows from its first to its last mention
are needed. So a document of any length is solved in blocks, with a column for each entity that is open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Floats, Ints
from corelax.decode.scored import Scored

BLOCK = 64  # mentions that are solved for at once
MOST_CANDIDATES = 1 << 14  # of a block


@dataclass(frozen=True, slots=True, eq=False)  # arrays cannot be compared or hashed
class EntityProbabilities:
    """The entity probabilities of a document's mentions, when it is called: nothing is decided by them.

    Attributes:
        scored: All spans.
        entity: [span] numbers of entities by their first spans, without links beyond reach.
        written: [mention] its span.
    """

    scored: Scored
    entity: Ints
    written: Ints

    def __call__(self) -> Floats:
        """[mention] the probability that it belongs to its entity."""
        scored, calibration = self.scored, self.scored.calibration
        is_wanted = np.zeros(len(self.entity), bool)
        is_wanted[self.entity[self.written]] = True
        number = np.cumsum(is_wanted) - 1
        entity = np.where(is_wanted, number, -1)[self.entity]
        probs = candidate_probs(scored.scores / calibration.link_temperature)
        block = max(1, min(BLOCK, MOST_CANDIDATES // probs.shape[1]))
        belongs = membership(probs, scored.antecedents, entity, scored.reach, block)
        return calibration.entity.of_probs(belongs[self.written])


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
    probs: Floats,
    antecedents: NDArray[np.integer],
    entity: Ints,
    reach: int,
    block: int = BLOCK,
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
    first, last = _lifetimes(entity)
    column = np.array(list(_columns(first // block, last // block)), np.int64)  # [entity]
    if not len(column):
        return result
    columns = int(column.max()) + 1
    # P of the last mentions, from number `base` on.
    begins, ends = int(first[0]) // block * block, int(last.max()) + 1
    rows, base = np.zeros((min(ends - begins + block, 2 * reach + block), columns)), begins
    opening = np.searchsorted(
        first, np.arange(begins, ends + block, block)
    )  # [block] its first entity
    for number, start in enumerate(range(begins, ends, block)):
        end = min(start + block, size)
        if end - base > len(rows):  # what is out of reach gives way
            kept = start - max(base, start - reach)
            rows[:kept] = rows[start - base - kept : start - base].copy()
            base = start - kept
        new = slice(opening[number], opening[number + 1])  # entities that begin here
        rows[:, column[new]] = 0.0
        chances, targets = probs[start:end, 1:], antecedents[start:end]
        is_inner = targets >= start
        outer = np.where(
            is_inner | (targets < base), 0.0, chances
        )  # before `begins` nothing is open
        before = rows.take((targets - base).clip(min=0, max=len(rows) - 1), axis=0)
        right = np.matmul(outer[:, None], before)[:, 0]  # [mention, column]
        right[first[new] - start, column[new]] += probs[first[new], 0]
        inner = np.eye(end - start) - _links(np.where(is_inner, chances, 0.0), targets - start)
        # Lower triangular with ones on the diagonal: nothing is exchanged.
        solved = np.linalg.solve(inner, right)
        rows[start - base : end - base] = solved
        own = entity[start:end]
        placed = np.flatnonzero(own >= 0)
        result[start + placed] = solved[placed, column[own[placed]]]
    return result


def _lifetimes(entity: Ints) -> tuple[Ints, Ints]:
    """[entity] the first and the last mention of entities 0, 1, ...

    >>> _lifetimes(np.array([-1, 0, 1, 0]))
    (array([1, 2]), array([3, 2]))
    """
    first = np.full(int(entity.max(initial=-1)) + 1, -1)
    last = first.copy()
    placed = np.flatnonzero(entity >= 0)
    last[entity[placed]] = placed
    first[entity[placed[::-1]]] = placed[::-1]
    return first, last


def _columns(first: Ints, last: Ints) -> Iterator[int]:
    """A column for each entity, given the first and the last block of each; a free one is used again.

    >>> list(_columns(np.array([0, 0, 1, 2]), np.array([0, 5, 2, 2])))
    [0, 1, 0, 2]
    """
    free: list[int] = []
    open_until: list[tuple[int, int]] = []
    count = 0
    for begins, ends in zip(first.tolist(), last.tolist(), strict=True):
        while open_until and open_until[0][0] < begins:
            heappush(free, heappop(open_until)[1])
        if not free:
            heappush(free, count)
            count += 1
        column = heappop(free)
        heappush(open_until, (ends, column))
        yield column


def _links(probs: Floats, targets: NDArray[np.integer]) -> Floats:
    """[mention, target] the probabilities of candidates in the columns of their targets, in one block."""
    size = len(probs)
    flat = np.arange(size)[:, None] * size + targets.clip(min=0)
    table = np.bincount(flat.ravel(), probs.ravel(), size * size)
    return np.asarray(table, np.float64).reshape(size, size)
