"""Scores of all pairs by any layers above the first, block by block.

The first layer is A_i + B_j + C[code_ij], as in `pair_scores.py`; what comes after it is a function. Where
the hidden values of a document are too many to be kept for the backward pass, they are computed again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad
from torch.utils.checkpoint import checkpoint

from corelax.rankers.sparse.pair_scores import ELSEWHERE, ON_CPU, Limits, blocks


class FirstLayer(NamedTuple):
    """What the first layer adds up for a pair.

    Attributes:
        current: [mention, hidden] A_i, with the bias.
        previous: [mention, hidden] B_j.
        weights: [feature, hidden] weights of the features of pairs.
        features: From rows and columns to [row, column, feature], the features of these pairs.
    """

    current: Tensor
    previous: Tensor
    weights: Tensor
    features: Callable[[slice, slice], Tensor]


def scores_in_blocks(
    first: FirstLayer,
    above: Callable[[Tensor, slice], Tensor],
    *,
    window: int = 0,
    width: int = 0,
) -> Tensor:
    """[mention, antecedent] scores; what is not below the diagonal means nothing.

    Args:
        first: The parts of the first layer.
        above: From [row, column, hidden] sums of the first layer, and which rows they are, to [row, column].
        window: How far back antecedents are looked at, at least; 0 for all the way.
        width: How many values of a pair the backward pass needs, if more than the first layer has.

    >>> ones = torch.ones(2, 1)
    >>> first = FirstLayer(ones, 2 * ones, ones[:1], lambda rows, columns: torch.ones(2, 2, 1))
    >>> scores_in_blocks(first, lambda hidden, rows: hidden.sum(-1))
    tensor([[4., 4.],
            [4., 4.]])
    """
    n, size = first.current.shape
    device = first.current.device
    again = torch.is_grad_enabled() and not are_kept(n, max(size, width), device)
    limits = _limits(device)
    pieces = []
    for rows, columns in blocks(n, size, limits.block, window):

        def score(
            current: Tensor,
            previous: Tensor,
            weights: Tensor,
            rows: slice = rows,
            columns: slice = columns,
        ) -> Tensor:
            # As a product, since the gradient of an index would be added up in any order.
            hidden = first.features(rows, columns) @ weights
            hidden = hidden + current[rows, None] + previous[columns]
            return above(hidden, rows)

        parts = (first.current, first.previous, first.weights)
        piece = checkpoint(score, *parts, use_reentrant=False) if again else score(*parts)
        pieces.append(pad(piece, (columns.start, n - columns.stop)))
    return torch.cat(pieces) if pieces else first.current.new_zeros(0, 0)


def are_kept(mentions: int, width: int, device: torch.device) -> bool:
    """Whether the hidden values of a document, `width` a pair, are few enough for the backward pass.

    >>> are_kept(100, 700, torch.device("cpu")), are_kept(1000, 700, torch.device("cpu"))
    (True, False)
    """
    return mentions * mentions * width <= _limits(device).kept


def _limits(device: torch.device) -> Limits:
    return ELSEWHERE if device.type == "cuda" else ON_CPU
