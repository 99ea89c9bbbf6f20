"""A document's table as tensors on the ranker's device, and the rows of weight tables that it uses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from corelax.rankers.sparse.features.pair import BITS, LARGEST_DISTANCE, SENTENCE_DISTANCES
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.histories import History
from corelax.rankers.sparse.pair_lists import PairList

SLOTS = LARGEST_DISTANCE + SENTENCE_DISTANCES + 2 * len(BITS)


class FeatureMatrices(NamedTuple):
    """The features of a document as matrices of numbers, mostly 0 and 1, for products with tables of weights.

    Attributes:
        features: [mention, row] φ_a, by the rows that the document has.
        paired: [mention, row] the part of it that the pair network sees.
        current: [mention, pair feature] those of mention i alone.
        previous: [mention, pair feature] those of mention j alone.
        codes: [code, slot] what each pair code is made of.
    """

    features: Tensor
    paired: Tensor
    current: Tensor
    previous: Tensor
    codes: Tensor


class DocumentTensors(NamedTuple):
    """What the ranker and the losses read of one document.

    Attributes:
        rows: [row] the rows of φ_a that the document has, each once.
        features: [mention, template] which of them each mention has; one past the last for none.
        current: [mention, 2] rows of the pair features of mention i alone; one past the last for none.
        previous: [mention, 1] rows of those of mention j alone.
        codes: [code] the distinct pair codes.
        code_of_pair: [mention, antecedent] which of them each pair has.
        gold: [mention] entity numbers, −1 for none.
        gold_sizes: [entity] all mentions of each gold entity.
        length: [] the number of mentions that are not padding.
        clusters: The gold clusters as a global ranker sees them, where a document is padded.
        pairs: All its pairs, where a document is padded and the ranker has two hidden layers.
        matrices: Its features as matrices, where they are known; else the ranker makes them.
    """

    rows: Tensor
    features: Tensor
    current: Tensor
    previous: Tensor
    codes: Tensor
    code_of_pair: Tensor
    gold: Tensor
    gold_sizes: Tensor
    length: Tensor
    clusters: History | None = None
    pairs: PairList | None = None
    matrices: FeatureMatrices | None = None

    @classmethod
    def of(cls, table: DocumentTable, pair_features: int) -> DocumentTensors:
        """The tensors of a table; `pair_features` is the size of the vocabulary of pairs."""
        n = table.size
        rows, local = np.unique(table.features, return_inverse=True)
        local = local.reshape(table.features.shape)
        if len(rows) and rows[0] < 0:  # "no feature" goes to the end
            rows, local = rows[1:], np.where(local == 0, len(rows) - 1, local - 1)
        square = np.zeros((n, n), dtype=np.int32)  # by far the largest
        square[np.tri(n, k=-1, dtype=bool)] = table.code_of_pair
        arrays: dict[str, Any] = {
            "rows": rows,
            "features": local,
            "current": np.where(table.current < 0, pair_features, table.current),
            "previous": np.where(table.previous < 0, pair_features, table.previous),
            "codes": table.codes if len(table.codes) else [0],  # one that no pair has
            "gold": table.gold,
            "gold_sizes": table.gold_sizes,
            "length": np.array(n),
        }
        tensors: dict[str, Any] = {
            name: torch.from_numpy(np.asarray(a, np.int64)) for name, a in arrays.items()
        }
        return cls(**tensors, code_of_pair=torch.from_numpy(square))

    def to(self, device: torch.device | str) -> DocumentTensors:
        """The same on another device."""
        moved: dict[str, Any] = {
            name: value.to(device)
            for name, value in self._asdict().items()
            if isinstance(value, Tensor)
        }
        return self._replace(**moved)

    def with_room(self, rows: int) -> DocumentTensors:
        """The same with "no feature" at `rows`, where more rows are to follow as padding."""
        features = self.features.masked_fill(self.features == len(self.rows), rows)
        return self._replace(features=features)

    @property
    def size(self) -> int:
        """The number of mentions, padding included."""
        return len(self.features)


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
    """[mention, antecedent] scores with −inf beyond the limit of antecedents; 0 for no limit.

    >>> without_far(torch.zeros(3, 3), 1)[2].tolist()
    [-inf, 0.0, 0.0]
    """
    if not 0 < max_antecedents < len(scores):
        return scores
    too_far = torch.ones_like(scores, dtype=torch.bool).tril(-max_antecedents - 1)
    return scores.masked_fill(too_far, -torch.inf)


class TableRows(torch.autograd.Function):
    """[row, hidden] the given rows of a table.

    A document has a few hundred of the features of a corpus. The gradient of the table is sparse: an
    optimiser that knows (`corelax.train.AdaGrad`) leaves the other rows alone. Rows must not be given twice,
    but for one that is padding and no feature's, or for those that `source` names.
    """

    @staticmethod
    def forward(ctx: Any, table: Tensor, rows: Tensor, source: Tensor | None = None) -> Tensor:
        """Looks them up.

        Args:
            ctx: Autograd's context.
            table: [every row, hidden].
            rows: [row] which ones.
            source: [row] the first place that has the same row, if padding repeats one: all of its places
                get the gradient of the first, so that an optimiser writes the same to it each time.
        """
        ctx.save_for_backward(rows, source)
        ctx.shape = table.shape
        return table.index_select(0, rows)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        """The gradient of these rows."""
        rows, source = ctx.saved_tensors
        if source is not None:
            gradient = gradient.index_select(0, source)
        # Said to be coalesced, so that nobody sorts the rows.
        with torch.sparse.check_sparse_tensor_invariants(enable=False):  # type: ignore[no-untyped-call]
            sparse = torch.sparse_coo_tensor(rows[None], gradient, ctx.shape, is_coalesced=True)
        return sparse, None, None
