"""Scores and chains of links as arrays: what the decoders compute with, with PyTorch or without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corelax.core.errors import CorelaxError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def as_array(values: Any) -> NDArray[Any]:
    """An array, or a tensor on any device and of any type as one.

    >>> as_array([[1, 2]]).shape
    (1, 2)
    """
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        return np.asarray(values.double() if values.is_floating_point() else values)
    return np.asarray(values)


def dense_scores(scores: NDArray[np.floating], antecedents: Ints) -> Floats:
    """[mention, antecedent] scores of all pairs from those of candidates; −inf where there is none.

    Args:
        scores: [mention, 1 + candidate], "new entity" first; −inf where there is no candidate.
        antecedents: [mention, candidate] earlier mentions.

    >>> dense_scores(np.array([[0.0, -np.inf], [0.5, 2.0]]), np.array([[0], [0]])).tolist()
    [[0.0, -inf], [2.0, 0.5]]
    """
    size = len(scores)
    table = np.full((size, size), -np.inf)
    row, column = np.nonzero(scores[:, 1:] > -np.inf)
    table[row, antecedents[row, column]] = scores[row, column + 1]
    np.fill_diagonal(table, scores[:, 0])
    return table


def candidate_scores(table: NDArray[np.floating]) -> tuple[NDArray[np.floating], Ints]:
    """All mentions as candidates, the inverse of `dense_scores`: scores and antecedents.

    Args:
        table: [mention, antecedent] lower triangle, the diagonal is "new entity".
    """
    size = len(table)
    is_earlier = np.tri(size, k=-1, dtype=bool)
    earlier = np.where(is_earlier, table, -np.inf)
    antecedents = np.where(is_earlier, np.arange(size), 0)
    return np.concatenate([table.diagonal()[:, None], earlier], -1), antecedents


def first_mentions(links: Sequence[int] | Ints) -> Ints:
    """[mention] the first mention of its entity, from the earlier mention that each is linked to or itself.

    Each round doubles how far all mentions have come along their chains.

    >>> first_mentions([0, 1, 0, 2, 1]).tolist()
    [0, 1, 0, 0, 1]
    """
    first: Ints = np.array(links, np.int64)
    if len(first) and not (first.min() >= 0 and (first <= np.arange(len(first))).all()):
        raise CorelaxError("a mention must be linked to an earlier one, or to itself")
    starts = first == np.arange(len(first))
    while not starts[first].all():
        first = first[first]
    return first


def entity_numbers(links: Sequence[int] | Ints) -> Ints:
    """[mention] the number of its entity, counted by first mentions; links as for `first_mentions`.

    >>> entity_numbers([0, 1, 0, 1]).tolist()
    [0, 1, 0, 1]
    """
    first = first_mentions(links)
    starts = first == np.arange(len(first))
    numbers: Ints = (starts.cumsum() - 1)[first]
    return numbers
