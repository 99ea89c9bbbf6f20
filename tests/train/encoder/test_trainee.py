"""The mean of the weights over the steps."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize("step", [1, 1000])
def test_a_network_that_stays_is_its_own_mean(step):
    network = nn.Linear(3, 2)
    average = nn.Linear(3, 2)
    average.load_state_dict(network.state_dict())
    update_average(average, network, 0.9, step)
    for name, weight in network.state_dict().items():
        assert torch.equal(average.state_dict()[name], weight)


def test_the_start_is_soon_forgotten():
    average, network = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
    nn.init.constant_(average.weight, 1000.0)
    nn.init.constant_(network.weight, 1.0)
    for step in range(1, 101):
        update_average(average, network, 0.999, step)
    # With a decay of 0.999 from the first step on, it would still be 905.
    assert average.weight.item() == pytest.approx(1.0, abs=0.01)
