"""How processes come to be a team, and what is said when one of them ends."""

from __future__ import annotations

import pytest
import torch
from torch import distributed as dist

from corelax import CorelaxError
from corelax.core.exchange import LostWorker
from corelax.losses import metric_loss
from corelax.train.joining import joined
from corelax.train.team import Team, is_follower
from tests.train.two_workers import on_both

pytestmark = pytest.mark.usefixtures("one_thread")


def test_without_other_workers_all_of_them_are_the_batch():
    scores, gold = torch.randn(2, 4, 4), torch.tensor([[0, 0, 1, 1], [0, -1, 0, 0]])
    one, other = (metric_loss(scores, gold, "lea", pool=pool) for pool in ("batch", "workers"))
    assert one.item() == other.item()


def fail(team, message):
    if team.rank == 1:
        raise CorelaxError(message)
    team.gather(None)


def leave(team):
    if team.rank == 1:
        raise SystemExit(3)
    team.gather(None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (fail, ("no such page",), "^worker 1: no such page$"),
        (leave, (), "^worker 1 has ended with code 3; .* --resume continues$"),
    ],
)
def test_the_leader_tells_what_became_of_a_follower(function, arguments, message, capfd):
    with pytest.raises(CorelaxError, match=message), joined("cpu", workers=2) as team:
        on_both(team, function, *arguments)
    assert not dist.is_initialized()
    assert "Traceback" not in capfd.readouterr().err


def test_one_process_is_a_team_that_leads():
    team = Team()
    team.call("anything")
    assert (team.leads, team.size, team.gather(7)) == (True, 1, [7])
    loss = torch.tensor(2.0)
    assert team.add_gradients([], loss).item() == 2.0


@pytest.mark.parametrize(
    ("rank", "size", "follows"),
    [("1", "2", True), ("0", "2", False), ("1", "", False), ("x", "2", False), ("", "", False)],
)
def test_torchrun_says_who_follows(monkeypatch, rank, size, follows):
    monkeypatch.setenv("RANK", rank)
    monkeypatch.setenv("WORLD_SIZE", size)
    assert is_follower() is follows


def test_more_workers_than_torchrun_has_started_are_an_error(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "3")
    monkeypatch.setenv("MASTER_ADDR", "127.0.0.1")
    with (
        pytest.raises(CorelaxError, match="has started 3 workers; leave out --workers"),
        joined("cpu", workers=2),
    ):
        pass


def test_a_lost_worker_is_an_error_of_one_line():
    assert str(LostWorker()) == "a worker was lost"
    assert isinstance(LostWorker(), CorelaxError)
