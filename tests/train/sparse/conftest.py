"""Fixtures of the tests of padded and recorded steps."""

import pytest

from corelax.losses import reward


@pytest.fixture
def greedy(monkeypatch):
    """Rewards of the best actions, where they would be of sampled ones: padding takes random numbers too."""
    choose = reward._choose
    monkeypatch.setattr(
        reward, "_choose", lambda probs, _, generator: choose(probs, "greedy", generator)
    )
