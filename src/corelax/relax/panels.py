"""P = (I − L)⁻¹ D on a CPU, by panels: a few products of large blocks that are not zero.

The forward pass forms the inverse X = (I − L)⁻¹, each panel of rows from those above it, by adding numbers
that are not negative: X[i, u] is the chance that the links of mention i lead through mention u. The backward
pass then needs no solve. With Ḡ the gradient of P = X D, and Z = Xᵀ Ḡ,

    ∂L = strictly lower part of Z Pᵀ,        ∂D = diagonal of Z.

All these matrices are lower triangular or count only there, and each product leaves out the panels of zeros.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from corelax.relax.precision import is_plain_cpu
from corelax.relax.triangular import TriangularSolve, solve

WIDEST = 128  # wider panels multiply more zeros, narrower ones take more calls


def solve_diagonal(links: Tensor) -> Tensor:
    """(I − L)⁻¹ D of a matrix L + D: by panels where that pays, by halves elsewhere.

    >>> solve_diagonal(torch.tensor([[1.0, 0.0], [0.5, 0.5]]))
    tensor([[1.0000, 0.0000],
            [0.5000, 0.5000]])
    """
    function = PanelSolve if is_plain_cpu(links) else TriangularSolve
    probs: Tensor = function.apply(links)  # type: ignore[no-untyped-call]
    return probs


def panels(n: int) -> list[tuple[int, int]]:
    """Start and end of each panel, all of about the same width.

    >>> panels(200)
    [(0, 100), (100, 200)]
    """
    count = -(-n // WIDEST)
    return [(n * i // count, n * (i + 1) // count) for i in range(count)]


def inverse(links: Tensor) -> Tensor:
    """[..., n, n] X = (I − L)⁻¹, with zeros above the diagonal."""
    x = torch.eye(links.shape[-1], dtype=links.dtype).expand(links.shape).clone()
    for start, end in panels(links.shape[-1]):
        panel = x[..., start:end, :end]
        if start:
            above = x[..., :start, :start]
            torch.matmul(links[..., start:end, :start], above, out=panel[..., :start])
        panel.copy_(solve(links[..., start:end, start:end], panel))
    return x


class PanelSolve(torch.autograd.Function):
    """(I − L)⁻¹ D of a matrix L + D [..., n, n]; what is above its diagonal is ignored."""

    @staticmethod
    def forward(ctx: Any, links: Tensor) -> Tensor:
        """[..., n, n] P, with zeros above the diagonal."""
        x = inverse(links)
        probs = x * links.diagonal(dim1=-2, dim2=-1)[..., None, :]
        ctx.save_for_backward(x, probs)
        return probs

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        """The gradient of L + D."""
        x, probs = ctx.saved_tensors
        gradient = gradient.tril()
        through, into = torch.empty_like(x), torch.empty_like(x)  # Z, and the gradient
        for start, end in panels(x.shape[-1]):
            rows = x[..., start:, start:end].mT
            torch.matmul(rows, gradient[..., start:, :end], out=through[..., start:end, :end])
        for start, end in panels(x.shape[-1]):
            columns = probs[..., start:end, :end].mT
            torch.matmul(through[..., start:, :end], columns, out=into[..., start:, start:end])
        into.tril_(-1).diagonal(dim1=-2, dim2=-1).copy_(through.diagonal(dim1=-2, dim2=-1))
        return into
