"""The mean of the weights over the steps."""

from __future__ import annotations

import torch
from torch import nn

from corelax.train.encoder.trainee import update_average


def test_the_mean_follows_its_formula():
    torch.manual_seed(0)
    network, average = nn.Linear(3, 2), nn.Linear(3, 2)
    wanted = average.weight.detach().clone()
    for step in range(1, 40):
        torch.nn.init.normal_(network.weight)
        update_average(average, network, 0.7, step)
        decay = min(0.7, (step + 1) / (step + 10))
        wanted = decay * wanted + (1 - decay) * network.weight.detach()
        torch.testing.assert_close(average.weight.detach(), wanted)
