"""Threads spin briefly, unless the environment says otherwise."""

import pytest

from corelax.core.threads import SPINS, spin_briefly

POLICY, COUNT = "OMP_WAIT_POLICY", "GOMP_SPINCOUNT"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {POLICY: "PASSIVE", COUNT: SPINS}),
        ({COUNT: "0"}, {POLICY: "PASSIVE", COUNT: "0"}),
        ({POLICY: "ACTIVE"}, {POLICY: "ACTIVE"}),
    ],
)
def test_what_the_environment_says_stays(monkeypatch, given, expected):
    environment = dict(given)
    monkeypatch.setattr("os.environ", environment)
    spin_briefly()
    assert environment == expected
