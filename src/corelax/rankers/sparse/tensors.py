"""A document's table as tensors on the ranker's device, and the rows of weight tables that it uses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from corelax.rankers.sparse.features.pair import BITS, LARGEST_DISTANCE, SENTENCE_DISTANCES
from corelax.rankers.sparse.features.table import DocumentTable

SLOTS = LARGEST_DISTANCE + SENTENCE_DISTANCES + 2 * len(BITS)


class DocumentTensors(NamedTuple):
    """What the ranker and the losses read of one document.

    Features are matrices of zeros and ones, to be multiplied with rows of weights.

    Attributes:
        rows: [row] the rows of φ_a that the document has, each once.
        features: [mention, row] φ_a, by these rows.
        paired: [mention, row] the part of it that the pair network sees.
        current: [mention, pair feature] the pair features of mention i alone.
        previous: [mention, pair feature] those of mention j alone.
        codes: [code, slot] what each distinct pair code is made of.
        code_of_pair: [mention, antecedent] which of them each pair has.
        gold: [mention] entity numbers, −1 for none.
        gold_sizes: [entity] all mentions of each gold entity.
    """

    rows: Tensor
    features: Tensor
    paired: Tensor
    current: Tensor
    previous: Tensor
    codes: Tensor
    code_of_pair: Tensor
    gold: Tensor
    gold_sizes: Tensor

    @classmethod
    def of(
        cls, table: DocumentTable, weights: Tensor, paired: list[int] | None = None
    ) -> DocumentTensors:
        """The tensors of a table.

        Args:
            table: The features of a document.
            weights: [pair feature + 1, hidden] the weights of pair features: tensors are where they are.
            paired: The templates of φ_a that the pair network sees; all if None.
        """
        device, dtype, pair_features = weights.device, weights.dtype, len(weights) - 1
        rows, numbers = distinct_rows(table.features)

        def matrix(numbers: NDArray[Any], size: int) -> Tensor:
            known = np.where(numbers < 0, size, numbers)
            return many_hot(to_device(known, device), size, dtype)

        features = matrix(numbers, len(rows))
        return cls(
            rows=to_device(rows, device),
            features=features,
            paired=features if paired is None else matrix(numbers[:, paired], len(rows)),
            current=matrix(table.current, pair_features),
            previous=matrix(table.previous, pair_features),
            codes=code_slots(to_device(known_codes(table), device), dtype),
            code_of_pair=square_codes(table).to(device),
            gold=to_device(table.gold, device),
            gold_sizes=to_device(table.gold_sizes, device),
        )

    @property
    def size(self) -> int:
        """The number of mentions."""
        return len(self.features)


def to_device(numbers: NDArray[Any], device: torch.device) -> Tensor:
    return torch.from_numpy(np.asarray(numbers, dtype=np.int64)).to(device)


def distinct_rows(numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The rows that occur, each once, and where each number is among them; past the last for −1."""
    rows, local = np.unique(numbers, return_inverse=True)
    local = local.reshape(numbers.shape)
    if len(rows) and rows[0] < 0:
        rows, local = rows[1:], np.where(local == 0, len(rows) - 1, local - 1)
    return rows, local


def known_codes(table: DocumentTable) -> NDArray[Any]:
    """[code] the distinct pair codes; one that no pair has where there are no pairs."""
    return table.codes if len(table.codes) else np.zeros(1, dtype=np.int32)


def square_codes(table: DocumentTable) -> Tensor:
    """[mention, antecedent] which code each pair has."""
    square = np.zeros((table.size, table.size), dtype=np.int32)  # by far the largest
    square[np.tri(table.size, k=-1, dtype=bool)] = table.code_of_pair
    return torch.from_numpy(square)


def code_slots(codes: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """[code, slot] 1 where a code has a feature: ten distances, eleven distances of sentences, ten bits.

    >>> code_slots(torch.tensor([0]))[0].nonzero().squeeze().tolist()  # first of each, all bits false
    [0, 10, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39]
    """
    bit, first = torch.arange(len(BITS), device=codes.device), LARGEST_DISTANCE + SENTENCE_DISTANCES
    bits = (codes[:, None] >> (len(BITS) - 1 - bit)) & 1  # the last one is the lowest
    distances = codes[:, None] >> len(BITS)
    parts = [
        bits + (first + 2 * bit),
        distances % SENTENCE_DISTANCES + LARGEST_DISTANCE,
        distances // SENTENCE_DISTANCES,
    ]
    return many_hot(torch.cat(parts, dim=1), SLOTS, dtype)


def many_hot(numbers: Tensor, size: int, dtype: torch.dtype | None = None) -> Tensor:
    """[row, size] how often each number below `size` is in a row; others are left out.

    >>> many_hot(torch.tensor([[0, 2], [3, 3]]), 3).tolist()
    [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    counts = torch.zeros(len(numbers), size + 1, dtype=dtype, device=numbers.device)
    counts.scatter_add_(1, numbers, torch.ones_like(numbers, dtype=counts.dtype))
    return counts[:, :size]


def without_far(scores: Tensor, max_antecedents: int) -> Tensor:
    """[mention, antecedent] scores with −inf beyond the limit of antecedents; 0 for no limit."""
    if not 0 < max_antecedents < len(scores):
        return scores
    too_far = torch.ones_like(scores, dtype=torch.bool).tril(-max_antecedents - 1)
    return scores.masked_fill(too_far, -torch.inf)


class TableRows(torch.autograd.Function):
    """[row, hidden] the given rows of a table, each given once.

    A document has a few hundred of the features of a corpus. The gradient of the table is sparse: an
    optimiser that knows (`corelax.train.AdaGrad`) leaves the other rows alone.
    """

    @staticmethod
    def forward(ctx: Any, table: Tensor, rows: Tensor) -> Tensor:
        ctx.save_for_backward(rows)
        ctx.shape = table.shape
        return table.index_select(0, rows)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (rows,) = ctx.saved_tensors
        # Said to be coalesced, so that nobody sorts the rows.
        with torch.sparse.check_sparse_tensor_invariants(enable=False):  # type: ignore[no-untyped-call]
            sparse = torch.sparse_coo_tensor(rows[None], gradient, ctx.shape, is_coalesced=True)
        return sparse, None
