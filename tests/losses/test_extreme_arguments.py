"""Extreme arguments: a finite loss with finite gradients, or an error that names the argument."""

import math

import pytest
import torch

from corelax import CorelaxError
from corelax.losses import (
    anaphoricity_loss,
    entity_loss,
    margin_loss,
    metric_loss,
    ranking_loss,
    reinforce_loss,
)
from corelax.metrics import METRICS
from corelax.relax import link_probs
from corelax.relax.advice import trusted

GOLD = torch.tensor([0, 0])


def test_entity_loss_of_costs_whose_exponential_overflows():
    # Mention 1: P[1, 0] = P[1, 1] = ½, and "new" costs 710: −log(½ / (½ + ½ e⁷¹⁰)) = 710 in float64.
    scores = torch.zeros(2, 2, dtype=torch.float64, requires_grad=True)
    loss = entity_loss(scores, GOLD, costs=(710, 710, 710))
    loss.backward()
    assert loss.item() == pytest.approx(710)
    assert bool(scores.grad.isfinite().all())


@pytest.mark.parametrize("loss", [ranking_loss, entity_loss, margin_loss])
def test_costs_have_a_limit_that_the_error_names(loss):
    with pytest.raises(CorelaxError, match=r"costs must be at most 1e\+06, not 1e\+39"):
        loss(torch.zeros(2, 2), GOLD, costs=(0, 1e39, 0))


@pytest.mark.parametrize("temperature", [1e-39, 1e-300])
@pytest.mark.parametrize("temperature_on", ["entity", "link"])
def test_temperatures_have_a_limit_that_the_error_names(temperature, temperature_on):
    with pytest.raises(CorelaxError, match="temperature must be at least 1e-30"):
        metric_loss(torch.zeros(2, 2), GOLD, temperature=temperature, temperature_on=temperature_on)


def test_scores_divided_by_the_smallest_temperature_give_the_best_link():
    scores = torch.tensor([[0.0, 0, 0], [1e30, -1e30, 0], [5.0, 5.0, 4.0]], requires_grad=True)
    probs = link_probs(scores, temperature=1e-30)
    assert probs.tolist() == [[1, 0, 0], [1, 0, 0], [0.5, 0.5, 0]]
    probs[1, 0].backward()
    assert bool(scores.grad.isfinite().all())


@pytest.mark.parametrize("size", [math.inf, math.nan, 1e200])
@pytest.mark.parametrize("metric", [*METRICS, "conll"])
def test_gold_sizes_that_are_no_counts_are_refused(size, metric):
    with pytest.raises(CorelaxError, match=r"gold_sizes must be 0 or more and at most 1e\+15"):
        metric_loss(torch.zeros(2, 2), GOLD, metric, gold_sizes=torch.tensor([size, 1.0]).double())
    if metric == "b_cubed":
        with pytest.raises(CorelaxError, match="gold_sizes"):
            reinforce_loss(torch.zeros(2, 2), GOLD, gold_sizes=torch.tensor([size]).double())


def test_weights_of_a_mixture_have_a_limit_that_the_error_names():
    with pytest.raises(
        CorelaxError, match=r"the weight of lea must be at most 1e\+06, not 1e\+308"
    ):
        metric_loss(torch.zeros(2, 2), GOLD, [("b_cubed", 1), ("lea", 1e308)])


def test_a_loss_that_overflows_is_an_error_that_names_what_it_is_made_of():
    scores = torch.tensor([[0.0, 0.0], [-3e38, 3e38]])
    message = r"the loss is inf in float32; lower scores, costs"
    with trusted(), pytest.raises(CorelaxError, match=message):
        margin_loss(scores, GOLD)


def test_a_margin_has_a_limit_that_the_error_names():
    with pytest.raises(CorelaxError, match=r"margin must be at most 1e\+06, not 1e\+39"):
        margin_loss(torch.zeros(2, 2), GOLD, margin=1e39)


@pytest.mark.parametrize("weight", [math.nan, math.inf, -1])
def test_the_weight_of_anaphoric_mentions_is_checked(weight):
    with pytest.raises(CorelaxError, match="weight must be finite and at least 0"):
        anaphoricity_loss(torch.zeros(2), GOLD, weight=weight)


@pytest.mark.parametrize("scores", [None, [0.0], torch.tensor([1, 2]), torch.tensor(1.0)])
def test_scores_of_anaphoricity_are_floating_point_numbers(scores):
    with pytest.raises(CorelaxError, match="scores must be a tensor of floating-point numbers"):
        anaphoricity_loss(scores, GOLD)
