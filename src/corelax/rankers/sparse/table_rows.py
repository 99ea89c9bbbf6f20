"""Rows of a large weight table, with a gradient for those rows only."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


class TableRows(torch.autograd.Function):
    """[row, hidden] the given rows of a table.

    A document has a few hundred of the features of a corpus. The gradient of the table is sparse: an
    optimiser that knows (`corelax.train.AdaGrad`) leaves the other rows alone. Rows must not be given twice,
    but for one that is padding.
    """

    @staticmethod
    def forward(ctx: Any, table: Tensor, rows: Tensor) -> Tensor:
        """Looks them up."""
        ctx.save_for_backward(rows)
        ctx.shape = table.shape
        return table.index_select(0, rows)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        """The gradient of these rows."""
        (rows,) = ctx.saved_tensors
        # Said to be coalesced, so that nobody sorts the rows.
        with torch.sparse.check_sparse_tensor_invariants(enable=False):  # type: ignore[no-untyped-call]
            sparse = torch.sparse_coo_tensor(rows[None], gradient, ctx.shape, is_coalesced=True)
        return sparse, None
