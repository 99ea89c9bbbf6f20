"""Losses on a GPU as graphs, and under the compiler. Without a GPU only the latter is tested."""

import pytest
import torch

from corelax import CorelaxError
from corelax.losses import (
    CapturedLoss,
    entity_loss,
    margin_loss,
    metric_loss,
    ranking_loss,
    rescale_loss,
)
from corelax.losses.captured import padded
from tests.gpu import needs_gpu

LOSSES = {
    "ranking": (ranking_loss, {}),
    "margin": (margin_loss, {}),
    "entity": (entity_loss, {}),
    "b_cubed": (metric_loss, {"metric": "b_cubed"}),
    "lea": (metric_loss, {"metric": "lea", "beta": 1.8**0.5}),
    "lea, T = 0.1": (metric_loss, {"metric": "lea", "temperature": 0.1}),
    "muc": (metric_loss, {"metric": "muc"}),
    "blanc": (metric_loss, {"metric": "blanc", "singletons": "keep"}),
    "pairwise": (metric_loss, {"metric": "b_cubed", "family": "pairwise"}),
    "original": (metric_loss, {"metric": "lea", "like_original": True}),
    "rescale": (rescale_loss, {}),
}
each_loss = pytest.mark.parametrize(("loss", "settings"), LOSSES.values(), ids=LOSSES)


def document(n, device="cpu"):
    generator = torch.Generator().manual_seed(n)
    gold = torch.randint(-1, max(n // 4, 1), [n], generator=generator)
    return torch.randn(n, n, generator=generator).to(device), gold.to(device)


def value_and_gradient(loss, scores, gold):
    scores = scores.clone().requires_grad_()
    value = loss(scores, gold)
    return value.detach(), torch.autograd.grad(value, scores)[0]


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # of torch
@pytest.mark.slow
@each_loss
def test_a_whole_loss_can_be_compiled(loss, settings):
    scores, gold = document(12)
    torch._dynamo.reset()
    compiled = torch.compile(loss, fullgraph=True, dynamic=False, backend="aot_eager")
    sizes = (
        {}
        if loss in (ranking_loss, margin_loss, entity_loss)
        else {"gold_sizes": torch.full([3], 9)}
    )
    found = value_and_gradient(lambda s, g: compiled(s, g, **sizes, **settings), scores, gold)
    expected = value_and_gradient(lambda s, g: loss(s, g, **sizes, **settings), scores, gold)
    torch.testing.assert_close(found, expected)


@each_loss
def test_without_a_gpu_it_is_the_loss_itself(loss, settings):
    scores, gold = document(5)
    assert CapturedLoss(loss, **settings)(scores, gold) == loss(scores, gold, **settings)


def test_documents_are_padded_by_an_eighth_at_most():
    for number in range(256, 5000):
        assert number <= padded(number) <= number * 9 / 8
    assert len({padded(number) for number in range(1, 4000)}) < 50


@needs_gpu
@each_loss
@pytest.mark.parametrize("fuse", [False, True])
def test_graphs_compute_the_loss_of_every_document(loss, settings, fuse):
    captured = CapturedLoss(loss, fuse=fuse, **settings)
    for n in (1, 40, 33, 300, 1500, 40):
        scores, gold = document(n, "cuda")
        expected = value_and_gradient(lambda s, g: loss(s, g, **settings), scores, gold)
        found = value_and_gradient(captured, scores, gold)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)


@needs_gpu
def test_shapes_that_do_not_fit_are_errors_that_name_the_argument():
    scores, gold = document(4, "cuda")
    with pytest.raises(CorelaxError, match="gold must be"):
        CapturedLoss(ranking_loss)(scores, gold[:3])
    with pytest.raises(CorelaxError, match="antecedent_scores must be"):
        CapturedLoss(ranking_loss)(scores[:, :3], gold)
