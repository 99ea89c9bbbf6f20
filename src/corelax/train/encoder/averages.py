"""The mean of the weights over the steps of training, which resolves better than the last weights do."""

from __future__ import annotations

import torch
from torch import nn


@torch.no_grad()
def update_average(average: nn.Module, network: nn.Module, decay: float, step: int) -> None:
    """average ← d · average + (1 − d) · network, where d rises to `decay` over the first steps.

    Args:
        average: A copy of the network.
        network: After a step.
        decay: d at the end; the mean is over about 1 / (1 − d) steps.
        step: Counted from 1. Early means are over few steps: d = min(decay, (step + 1) / (step + 10)).

    >>> average, network = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
    >>> _ = average.weight.data.fill_(0.0), network.weight.data.fill_(1.0)
    >>> update_average(average, network, 0.5, step=100)
    >>> average.weight.item()
    0.5
    """
    share = 1 - min(decay, (step + 1) / (step + 10))
    torch._foreach_lerp_(list(average.parameters()), list(network.parameters()), share)
