"""AdaGrad with L1 as an option, and RMSprop: both as the published systems used them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from corelax.core.checks import check_number

TINY = 1e-10  # keeps weights without gradient where they are, if G starts at 0
Group = dict[str, Any]


class RowWise(Optimizer):
    """An optimiser that keeps one number for each weight, and changes the rows of a sparse gradient only."""

    STATE = "sum"

    def start(self, weight: Tensor, group: Group) -> Tensor:
        raise NotImplementedError

    def penalised(self, weight: Tensor, group: Group) -> Any:  # noqa: ARG002
        """A dense gradient, with that of penalties."""
        return weight.grad

    def descend(self, weight: Tensor, kept: Tensor, gradient: Tensor, group: Group) -> None:
        raise NotImplementedError

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None if closure is None else torch.enable_grad()(closure)()
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                state = self.state[weight]
                if not state:
                    state[self.STATE] = self.start(weight, group)
                kept = state[self.STATE]
                if not weight.grad.is_sparse:
                    self.descend(weight, kept, self.penalised(weight, group), group)
                    continue
                (rows,), gradient = _parts(weight.grad)
                some_weights, some_kept = weight.index_select(0, rows), kept.index_select(0, rows)
                self.descend(some_weights, some_kept, gradient, group)
                weight.index_copy_(0, rows, some_weights)
                kept.index_copy_(0, rows, some_kept)
        return loss


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
        defaults = {"lr": lr, "accumulator": accumulator, "l1": l1, "damping": damping}
        for name, value in defaults.items():
            check_number(name, value)
        super().__init__(params, defaults)

    def start(self, weight: Tensor, group: Group) -> Tensor:
        return torch.full_like(weight, group["accumulator"])

    def descend(self, weight: Tensor, kept: Tensor, gradient: Tensor, group: Group) -> None:
        kept.addcmul_(gradient, gradient)  # G
        roots = kept.sqrt().add_(TINY + group["damping"])
        weight.addcdiv_(gradient, roots, value=-group["lr"])
        if group["l1"]:
            thresholds = roots.reciprocal_().mul_(group["l1"] * group["lr"]).mul_(gradient != 0)
            weight.copy_((weight.abs() - thresholds).clamp_(min=0).mul_(weight.sign()))


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
        return torch.zeros_like(weight)

    def descend(self, weight: Tensor, kept: Tensor, gradient: Tensor, group: Group) -> None:
        kept.mul_(group["decay"]).addcmul_(gradient, gradient, value=1 - group["decay"])
        weight.addcdiv_(gradient, kept.add(group["epsilon"]).sqrt_(), value=-group["lr"])

    def penalised(self, weight: Tensor, group: Group) -> Any:
        if group["l2"] and weight.grad is not None and weight.ndim > 1:
            return weight.grad.add(weight, alpha=2 * group["l2"])
        return weight.grad


def _parts(gradient: Tensor) -> tuple[Tensor, Tensor]:
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
    values = _values(parameters)
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
    for value in _values(parameters):
        value.clamp_(-largest, largest)


def _values(parameters: Iterable[Tensor]) -> list[Tensor]:
    gradients = [p.grad for p in parameters if p.grad is not None]
    return [_parts(g)[1] if g.is_sparse else g for g in gradients]
