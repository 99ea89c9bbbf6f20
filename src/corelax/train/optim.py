"""AdaGrad with L1 as an option, and RMSprop: both as the published systems used them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

import torch
from torch import Tensor
from torch.optim import Optimizer

from corelax.core.checks import check_number

TINY = 1e-10  # keeps weights without gradient where they are, if G starts at 0


Group = dict[str, Any]
Tensors = list[Tensor]


class RowWise(Optimizer):
    """An optimiser that keeps one number for each weight, and changes the rows of a sparse gradient only.

    On a GPU one kernel serves all parameters of a group, most of which are small; on a CPU each parameter
    takes its step by itself, while it is in the cache.
    """

    STATE = "sum"

    def start(self, weight: Tensor, group: Group) -> Tensor:
        """What it keeps, before the first step."""
        raise NotImplementedError

    def descend(self, weights: Tensors, totals: Tensors, gradients: Tensors, group: Group) -> None:
        """One step of several parameters, or of rows of them, in place."""
        raise NotImplementedError

    def gradient_of(self, weight: Tensor, gradient: Tensor, group: Group) -> Tensor:  # noqa: ARG002
        """The gradient, with that of penalties."""
        return gradient

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update."""
        loss = None if closure is None else torch.enable_grad()(closure)()
        for group in self.param_groups:
            weights = [weight for weight in group["params"] if weight.grad is not None]
            if weights and weights[0].is_cuda:
                self._update(weights, group)
            else:
                for weight in weights:
                    self._update([weight], group)
        return loss

    def copies(self) -> list[tuple[Tensor, Tensor, Tensor]]:
        """Each weight, a copy of it, and a copy of what is kept for it, for `restore`.

        What is kept for a weight that had no step yet is what it starts with.
        """
        copies = []
        for group in self.param_groups:
            for weight in group["params"]:
                total = self.state.get(weight, {}).get(self.STATE)
                total = self.start(weight, group) if total is None else total.clone()
                copies.append((weight, weight.detach().clone(), total))
        return copies

    @torch.no_grad()
    def restore(self, copies: Iterable[tuple[Tensor, Tensor, Tensor]]) -> None:
        """Weights and what is kept for them as they were, in the same memory."""
        for weight, before, total in copies:
            weight.copy_(before)
            if (now := self.state.get(weight, {}).get(self.STATE)) is not None:
                now.copy_(total)

    def _update(self, weights: Tensors, group: Group) -> None:
        values: Tensors = []
        totals: Tensors = []
        gradients: Tensors = []
        looked_up: list[tuple[Tensor, Tensor, Tensor, int]] = []
        for place, weight in enumerate(weights):
            state = self.state[weight]
            if not state:
                state[self.STATE] = self.start(weight, group)
            total = state[self.STATE]
            gradient = self.gradient_of(weight, cast(Tensor, weight.grad), group)
            if gradient.is_sparse:
                (rows,), gradient = _parts(gradient)
                looked_up.append((weight, total, rows, place))
                weight, total = weight.index_select(0, rows), total.index_select(0, rows)
            elif gradient.is_cuda:
                gradient = gradient.contiguous()  # else there would be a kernel for each
            values.append(weight)
            totals.append(total)
            gradients.append(gradient)
        self.descend(values, totals, gradients, group)
        for weight, total, rows, place in looked_up:
            weight.index_copy_(0, rows, values[place])
            total.index_copy_(0, rows, totals[place])


class AdaGrad(RowWise):
    """w ← w − η g / √G, where G starts at 0.1 and adds up g².

    The start matters: metric losses have tiny gradients, and with G = 0 the first step of every weight would
    be η whatever its gradient, which destroys a pretrained model.

    L1 is not added to the loss (weights would never be exactly 0) but taken off after the step: weights that
    had a gradient move towards 0 by λ η / √G, and stop there.

    Wiseman et al. (2015) divide by 1 + √G in both, which damps the first steps (`damping=1`).

    A sparse gradient changes its rows only, as if the others had none: the same result, without touching a
    large table for the few features of a document.

    Args:
        params: Parameters or groups of them; a group may set `lr` and `l1`.
        lr: η.
        accumulator: Where G starts.
        l1: λ.
        damping: What is added to √G.

    >>> weight = torch.nn.Parameter(torch.tensor([1.0, 0.01]))
    >>> optimizer = AdaGrad([weight], lr=0.1, l1=1.0)
    >>> weight.grad = torch.tensor([0.3, 1e-6])
    >>> optimizer.step()
    >>> weight.data  # 1 − 0.1 · 0.3 / √0.19 − 0.1 / √0.19; and 0, which it would have crossed
    tensor([0.7018, 0.0000])
    """

    def __init__(
        self,
        params: Any,
        lr: float = 0.05,
        *,
        accumulator: float = 0.1,
        l1: float = 0.0,
        damping: float = 0.0,
    ) -> None:
        check_number("lr", lr)
        check_number("accumulator", accumulator)
        check_number("l1", l1)
        check_number("damping", damping)
        defaults = {"lr": lr, "accumulator": accumulator, "l1": l1, "damping": damping}
        super().__init__(params, defaults)

    def start(self, weight: Tensor, group: Group) -> Tensor:
        """G at the beginning."""
        return torch.full_like(weight, group["accumulator"])

    def descend(self, weights: Tensors, totals: Tensors, gradients: Tensors, group: Group) -> None:
        """One step, in place."""
        torch._foreach_addcmul_(totals, gradients, gradients)  # G
        roots = torch._foreach_sqrt(totals)
        torch._foreach_add_(roots, TINY + group["damping"])
        torch._foreach_addcdiv_(weights, gradients, roots, value=-group["lr"])
        if group["l1"]:
            torch._foreach_reciprocal_(roots)
            torch._foreach_mul_(roots, group["l1"] * group["lr"])
            _shrink(weights, list(roots), gradients)


class RMSprop(RowWise):
    """w ← w − η g / √(r + ε), where r is a running mean of g²: r ← ρ r + (1 − ρ) g².

    Clark & Manning's: ε is inside the root. L2 is part of the gradient, of matrices only: g + 2 λ w.
    A sparse gradient changes its rows only; r of the others stays as it is.

    Args:
        params: Parameters or groups of them; a group may set `lr` and `l2`.
        lr: η.
        decay: ρ.
        epsilon: ε.
        l2: λ.

    >>> weight = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = RMSprop([weight], lr=0.1, epsilon=0.05)
    >>> weight.grad = torch.tensor([0.5])
    >>> optimizer.step()
    >>> weight.data  # 1 − 0.1 · 0.5 / √(0.1 · 0.25 + 0.05)
    tensor([0.8174])
    """

    STATE = "mean_square"

    def __init__(
        self,
        params: Any,
        lr: float = 0.002,
        *,
        decay: float = 0.9,
        epsilon: float = 1e-5,
        l2: float = 0.0,
    ) -> None:
        check_number("lr", lr)
        check_number("l2", l2)
        super().__init__(params, {"lr": lr, "decay": decay, "epsilon": epsilon, "l2": l2})

    def start(self, weight: Tensor, group: Group) -> Tensor:  # noqa: ARG002
        """r at the beginning."""
        return torch.zeros_like(weight)

    def descend(self, weights: Tensors, means: Tensors, gradients: Tensors, group: Group) -> None:
        """One step, in place."""
        torch._foreach_mul_(means, group["decay"])
        torch._foreach_addcmul_(means, gradients, gradients, value=1 - group["decay"])
        roots = torch._foreach_add(means, group["epsilon"])
        torch._foreach_sqrt_(roots)
        torch._foreach_addcdiv_(weights, gradients, roots, value=-group["lr"])

    def gradient_of(self, weight: Tensor, gradient: Tensor, group: Group) -> Tensor:
        """With that of the penalty."""
        if group["l2"] and weight.ndim > 1 and not gradient.is_sparse:
            return gradient.add(weight, alpha=2 * group["l2"])
        return gradient


def _shrink(weights: Tensors, thresholds: Tensors, gradients: Tensors) -> None:
    """Moves weights that had a gradient towards 0, in place: w ← sign(w) max(|w| − threshold, 0)."""
    had_gradient = torch._foreach_sign(gradients)
    torch._foreach_abs_(had_gradient)
    torch._foreach_mul_(thresholds, had_gradient)
    sizes = torch._foreach_abs(weights)
    torch._foreach_sub_(sizes, thresholds)
    torch._foreach_clamp_min_(sizes, 0.0)
    signs = torch._foreach_sign(weights)
    torch._foreach_mul_(sizes, signs)
    torch._foreach_copy_(weights, sizes)


def _parts(gradient: Tensor) -> tuple[Tensor, Tensor]:
    """Indices and values of a sparse gradient, each row once."""
    gradient = gradient.coalesce()  # does nothing if that is known
    return gradient.indices(), gradient.values()


def clip_gradients(parameters: Iterable[Tensor], largest: float) -> None:
    """Scales all gradients together so that their norm is at most `largest`.

    Sparse ones may be among them, if they are coalesced.

    >>> weight = torch.nn.Parameter(torch.zeros(2))
    >>> weight.grad = torch.tensor([3.0, 4.0])
    >>> clip_gradients([weight], 1.0)
    >>> weight.grad
    tensor([0.6000, 0.8000])
    """
    gradients = [p.grad for p in parameters if p.grad is not None]
    values = [_parts(g)[1] if g.is_sparse else g for g in gradients]
    if values:
        norm = torch.stack([value.square().sum() for value in values]).sum().sqrt()
        scale = (largest / (norm + TINY)).clamp(max=1.0)
        for value in values:
            value.mul_(scale)


def clamp_gradients(parameters: Iterable[Tensor], largest: float) -> None:
    """Clamps every value of the gradients to [−largest, largest]; sparse ones may be among them.

    >>> weight = torch.nn.Parameter(torch.zeros(2))
    >>> weight.grad = torch.tensor([-30.0, 4.0])
    >>> clamp_gradients([weight], 10.0)
    >>> weight.grad
    tensor([-10.,   4.])
    """
    for parameter in parameters:
        if (gradient := parameter.grad) is not None:
            values = _parts(gradient)[1] if gradient.is_sparse else gradient
            values.clamp_(-largest, largest)
