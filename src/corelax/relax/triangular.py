"""P = (I − L)⁻¹ D by halves: a solve that knows that its solution is triangular too.

A library solve with a diagonal right-hand side takes n³ / 2 products, two thirds of them with zeros, and
its gradient three times as many. By halves,

    P₁₁ = (I − L₁₁)⁻¹ D₁,        P₂₂ = (I − L₂₂)⁻¹ D₂,        P₂₁ = (I − L₂₂)⁻¹ L₂₁ P₁₁,

only the blocks on or below the diagonal are touched. With Ḡ the gradient of P, and Z = (I − L)⁻ᵀ Ḡ,

    ∂L = strictly lower part of Z Pᵀ,        ∂D = diagonal of Z,

of which again only lower blocks count. (On a CPU products of panels are faster: `panels.py`.)
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

# Blocks of this size go to the library at once; halving them further would cost more than it saves.
SMALL = {"cpu": 256}
SMALL_ELSEWHERE = 1024  # on GPUs, where each call costs microseconds


def solve(links: Tensor, right: Tensor) -> Tensor:
    """(I − L)⁻¹ times a matrix, L being what lies strictly below the diagonal of `links`."""
    return _solve(-links, right, upper=False)


def solve_transposed(links: Tensor, right: Tensor) -> Tensor:
    """(I − L)⁻ᵀ times a matrix."""
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


class TriangularSolve(torch.autograd.Function):
    """(I − L)⁻¹ D of a matrix L + D [..., n, n]; what is above its diagonal is ignored."""

    @staticmethod
    def forward(ctx: Any, links: Tensor) -> Tensor:
        """[..., n, n] P, with zeros above the diagonal."""
        probs = _lower(links)
        ctx.save_for_backward(links, probs)
        return probs

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        """The gradient of L + D."""
        links, probs = ctx.saved_tensors
        through = _lower_transposed(links, gradient)  # Z
        into = _multiply(through, probs)
        return into + torch.diag_embed(through.diagonal(dim1=-2, dim2=-1))


def _is_small(matrix: Tensor) -> bool:
    return matrix.shape[-1] <= SMALL.get(matrix.device.type, SMALL_ELSEWHERE)


def _blocks(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The blocks 11, 21 and 22."""
    h = matrix.shape[-1] // 2
    return matrix[..., :h, :h], matrix[..., h:, :h], matrix[..., h:, h:]


def _join(m11: Tensor, m21: Tensor, m22: Tensor) -> Tensor:
    """The matrix of these blocks, with zeros in block 12."""
    above = m21.new_zeros(*m21.shape[:-2], m21.shape[-1], m21.shape[-2])
    return torch.cat([torch.cat([m11, above], -1), torch.cat([m21, m22], -1)], -2)


def _lower(links: Tensor) -> Tensor:
    """P = (I − L)⁻¹ D."""
    if _is_small(links):
        return solve(links, torch.diag_embed(links.diagonal(dim1=-2, dim2=-1)))
    l11, l21, l22 = _blocks(links)
    p11, p22 = _lower(l11), _lower(l22)
    return _join(p11, solve(l22, l21 @ p11), p22)


def _lower_transposed(links: Tensor, gradient: Tensor) -> Tensor:
    """Z = (I − L)⁻ᵀ Ḡ, as far as it lies below the diagonal or on it."""
    if _is_small(links):
        return solve_transposed(links, gradient.tril())
    (l11, l21, l22), (g11, g21, g22) = _blocks(links), _blocks(gradient)
    z21 = solve_transposed(l22, g21)
    z11 = _lower_transposed(l11, g11 + l21.mT @ z21)
    return _join(z11, z21, _lower_transposed(l22, g22))


def _multiply(through: Tensor, probs: Tensor) -> Tensor:
    """The strictly lower part of Z Pᵀ, of whose factors only the lower parts count."""
    if _is_small(probs):
        return (through.tril() @ probs.mT).tril(-1)
    (z11, z21, z22), (p11, p21, p22) = _blocks(through), _blocks(probs)
    t22 = (z21 @ p21.mT).tril(-1) + _multiply(z22, p22)
    return _join(_multiply(z11, p11), z21 @ p11.mT, t22)
