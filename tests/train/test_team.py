"""Two workers: sums over them, of counts and of gradients."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from corelax.core.exchange import sum_over_workers
from corelax.losses import metric_loss
from corelax.train.joining import joined
from corelax.train.team import END
from tests.train.two_workers import on_both

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def team():
    with joined("cpu", workers=2) as team:
        yield team
        team.call(END, None)


def square_of_sum(team):
    """L = S² of S = 1 + 2, one part on each worker: the gradient of L by either part is 2 S = 6."""
    own = torch.tensor(float(team.rank + 1), requires_grad=True)
    loss = sum_over_workers(own) ** 2
    loss.backward()
    return loss.item(), own.grad.item()


def test_a_sum_over_workers_has_a_gradient_whose_mean_is_that_of_the_loss(team):
    values = on_both(team, square_of_sum)
    assert values == [(9.0, 12.0), (9.0, 12.0)]  # twice 6, of which two workers take the mean


def pooled(_team, scores, gold, metric, halves):
    """The loss of a half of the documents, and its gradient in the scores of all."""
    scores = scores.clone().requires_grad_()
    part = slice(*halves[_team.rank])
    loss = metric_loss(scores[part], gold[part], metric, pool="workers", beta=1.5)
    loss.backward()
    return loss.detach(), scores.grad


@pytest.mark.parametrize("metric", ["b_cubed", "conll", "blanc"])
@pytest.mark.parametrize("halves", [((0, 2), (2, 3)), ((0, 3), (3, 3))])
def test_a_metric_pooled_over_workers_is_that_of_all_documents(team, metric, halves):
    torch.manual_seed(1)
    scores = torch.randn(3, 6, 6, dtype=torch.float64)
    gold = torch.randint(-1, 3, (3, 6))
    whole = scores.clone().requires_grad_()
    loss = metric_loss(whole, gold, metric, pool="batch", beta=1.5)
    loss.backward()
    parts = on_both(team, pooled, scores, gold, metric, halves)
    for value, _ in parts:
        torch.testing.assert_close(value, loss.detach())
    mean = sum(gradient for _, gradient in parts) / 2
    torch.testing.assert_close(mean, whole.grad)


def gradients(team):
    """Both workers use the first weight, the second worker uses the second, nobody the third."""
    weights = [nn.Parameter(torch.ones(3)) for _ in range(3)]
    loss = (team.rank + 1) * weights[0].sum()
    if team.rank == 1:
        loss = loss + 5 * weights[1].sum()
    loss.backward()
    total = team.add_gradients(weights, loss)
    return total.item(), [None if w.grad is None else w.grad.tolist() for w in weights]


def test_gradients_add_up_and_unused_weights_have_none(team):
    values = on_both(team, gradients)
    assert values == [(3 + 6 + 15, [[3.0] * 3, [5.0] * 3, None])] * 2


def test_gradients_of_many_sizes_keep_their_places(team, monkeypatch):
    monkeypatch.setattr("corelax.train.team.BUCKET", 4)
    [(sizes, first), (_, second)] = on_both(team, many_gradients)
    assert sizes == [1, 2, 3, 4, 5, 6]
    assert first == second == [[float(3 * size)] * size for size in sizes]


def many_gradients(team):
    import corelax.train.team

    corelax.train.team.BUCKET = 4
    weights = [nn.Parameter(torch.ones(size)) for size in range(1, 7)]
    sum((team.rank + 1) * len(w) * w.sum() for w in weights).backward()
    team.add_gradients(weights, torch.zeros(()))
    return [len(w) for w in weights], [w.grad.tolist() for w in weights]
