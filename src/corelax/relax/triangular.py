"""P = (I − L)⁻¹ D by panels: a few products of large blocks that are not zero.

A library solve with a diagonal right-hand side takes n³ / 2 products, two thirds of them with zeros, and its
gradient three times as many. Here the forward pass forms the inverse X = (I − L)⁻¹, each panel of rows from
those above it, by adding numbers that are not negative: X[i, u] is the chance that the links of mention i
lead through mention u. The backward pass then needs no solve. With Ḡ the gradient of P = X D, and Z = Xᵀ Ḡ,

    ∂L = strictly lower part of Z Pᵀ,        ∂D = diagonal of Z.

All these matrices are lower triangular or count only there, and each product leaves out the panels of zeros.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

# Wider panels multiply more zeros, narrower ones take more calls, each of which costs microseconds on a GPU.
WIDEST = {"cpu": 128}
WIDEST_ELSEWHERE = 1024


def solve_diagonal(links: Tensor) -> Tensor:
    """(I − L)⁻¹ D of a matrix L + D [..., n, n]; what is above its diagonal is ignored.

    >>> solve_diagonal(torch.tensor([[1.0, 0.0], [0.5, 0.5]]))
    tensor([[1.0000, 0.0000],
            [0.5000, 0.5000]])
    """
    if torch.compiler.is_compiling():  # which does not know writing into views
        return _solve(-links, torch.diag_embed(links.diagonal(dim1=-2, dim2=-1)), upper=False)
    probs: Tensor = PanelSolve.apply(links)  # type: ignore[no-untyped-call]
    return probs


def solve_transposed(links: Tensor, right: Tensor) -> Tensor:
    """(I − L)⁻ᵀ times a matrix, L being what lies strictly below the diagonal of `links`."""
    return _solve(-links.mT, right, upper=True)


def _solve(matrix: Tensor, right: Tensor, *, upper: bool) -> Tensor:
    """X of A X = B. On a CPU of Xᵀ Aᵀ = Bᵀ, whose sides have the layout that the library works in."""
    solution: Tensor
    if right.device.type == "cpu":
        solution = torch.linalg.solve_triangular(
            matrix.mT, right.mT, upper=not upper, left=False, unitriangular=True
        ).mT
    else:
        solution = torch.linalg.solve_triangular(matrix, right, upper=upper, unitriangular=True)
    return solution


def panels(n: int, widest: int = WIDEST["cpu"]) -> list[tuple[int, int]]:
    """Start and end of each panel, all of about the same width.

    >>> panels(200)
    [(0, 100), (100, 200)]
    """
    count = -(-n // widest)
    return [(n * i // count, n * (i + 1) // count) for i in range(count)]


class PanelSolve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, links: Tensor) -> Tensor:
        n = links.shape[-1]
        ctx.panels = panels(n, WIDEST.get(links.device.type, WIDEST_ELSEWHERE))
        x = torch.eye(n, dtype=links.dtype, device=links.device).expand(links.shape).clone()
        for start, end in ctx.panels:
            panel = x[..., start:end, :end]
            if start:
                above = x[..., :start, :start]
                torch.matmul(links[..., start:end, :start], above, out=panel[..., :start])
            panel.copy_(_solve(-links[..., start:end, start:end], panel, upper=False))
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
        for start, end in ctx.panels:
            rows = x[..., start:, start:end].mT
            torch.matmul(rows, gradient[..., start:, :end], out=through[..., start:end, :end])
        for start, end in ctx.panels:
            columns = probs[..., start:end, :end].mT
            torch.matmul(through[..., start:, :end], columns, out=into[..., start:, start:end])
        into.tril_(-1).diagonal(dim1=-2, dim2=-1).copy_(through.diagonal(dim1=-2, dim2=-1))
        return into
