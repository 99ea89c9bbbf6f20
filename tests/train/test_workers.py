"""Two workers: sums over them, of counts and of gradients; and what torchrun says about them."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from corelax import CorelaxError
from corelax.core.exchange import LostWorker, sum_over_workers
from corelax.losses import metric_loss
from corelax.train import workers as workers_module
from corelax.train.workers import ALONE, joined, rank_and_size
from tests.train.two_workers import on_both

METRICS = ("b_cubed", "conll", "blanc")
HALVES = (((0, 2), (2, 3)), ((0, 3), (3, 3)))  # the second worker may have no document
torch.manual_seed(1)
SCORES = torch.randn(3, 6, 6, dtype=torch.float64)
GOLD = torch.randint(-1, 3, (3, 6))


def square_of_sum(workers):
    """L = S² of S = 1 + 2, one part on each worker: the gradient of L by either part is 2 S = 6."""
    own = torch.tensor(float(workers.rank + 1), requires_grad=True)
    loss = sum_over_workers(own) ** 2
    loss.backward()
    return loss.item(), own.grad.item()


def pooled(workers, metric, halves):
    """The loss of a half of the documents, and its gradient in the scores of all."""
    scores = SCORES.clone().requires_grad_()
    part = slice(*halves[workers.rank])
    loss = metric_loss(scores[part], GOLD[part], metric, pool="workers", beta=1.5)
    loss.backward()
    return loss.item(), scores.grad.tolist()


def gradients(workers):
    """Both workers use the first weight, the second worker uses the second, nobody the third."""
    weights = [nn.Parameter(torch.ones(3)) for _ in range(3)]
    loss = (workers.rank + 1) * weights[0].sum()
    if workers.rank == 1:
        loss = loss + 5 * weights[1].sum()
    loss.backward()
    total = workers.add_gradients(weights, loss)
    return total.item(), [None if w.grad is None else w.grad.tolist() for w in weights]


@pytest.fixture(scope="module")
def results():
    calls = [(square_of_sum, ()), (gradients, ())]
    calls += [(pooled, (metric, halves)) for metric in METRICS for halves in HALVES]
    return on_both(calls)


def test_a_sum_over_workers_has_a_gradient_whose_mean_is_that_of_the_loss(results):
    assert results[0] == [(9.0, 12.0)] * 2  # twice 6, of which two workers take the mean


def test_gradients_add_up_and_unused_weights_have_none(results):
    assert results[1] == [(3 + 6 + 15, [[3.0] * 3, [5.0] * 3, None])] * 2


def test_a_metric_pooled_over_workers_is_that_of_all_documents(results):
    metrics = [metric for metric in METRICS for _ in HALVES]
    for metric, parts in zip(metrics, results[2:], strict=True):
        whole = SCORES.clone().requires_grad_()
        loss = metric_loss(whole, GOLD, metric, pool="batch", beta=1.5)
        loss.backward()
        for value, _ in parts:
            assert value == pytest.approx(loss.item())
        mean = sum(torch.tensor(gradient) for _, gradient in parts) / 2
        torch.testing.assert_close(mean.double(), whole.grad)


def test_without_other_workers_all_of_them_are_the_batch():
    scores, gold = torch.randn(2, 4, 4), torch.tensor([[0, 0, 1, 1], [0, -1, 0, 0]])
    one, other = (metric_loss(scores, gold, "lea", pool=pool) for pool in ("batch", "workers"))
    assert one.item() == other.item()


def test_one_process_leads_and_sends_nothing():
    assert (ALONE.leads, ALONE.gather(7)) == (True, [7])
    assert ALONE.add_gradients([], torch.tensor(2.0)).item() == 2.0


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}, (1, 2)),
        ({"RANK": "1", "WORLD_SIZE": "2"}, (0, 1)),
        ({"RANK": "x", "WORLD_SIZE": "", "MASTER_ADDR": "127.0.0.1"}, (0, 1)),
        ({}, (0, 1)),
    ],
)
def test_torchrun_says_who_works(monkeypatch, environment, expected):
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert rank_and_size() == expected


def test_an_error_that_only_a_follower_meets_names_it(monkeypatch):
    monkeypatch.setattr(workers_module, "GRACE", 0.0)
    monkeypatch.setattr(workers_module, "rank_and_size", lambda: (1, 2))
    with pytest.raises(CorelaxError, match=r"^worker 1: device cuda:99: there "), joined("cuda:99"):
        pass


def test_a_lost_worker_is_an_error_of_one_line():
    assert str(LostWorker()) == "a worker was lost"
    assert isinstance(LostWorker(), CorelaxError)
