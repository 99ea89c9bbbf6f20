"""Scores as arrays: what the decoders compute with, whether they come from PyTorch or not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
