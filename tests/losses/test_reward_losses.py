"""REINFORCE and reward rescaling: Clark and Manning (2016), from documents scored anew."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.losses import reinforce_loss, rescale_loss
from tests.losses import loss_references as reference

# Some documents have all their antecedents pruned.
pytestmark = pytest.mark.filterwarnings("ignore:antecedent_scores. no score lies below")

enough = settings(deadline=None, max_examples=25)
each_metric = pytest.mark.parametrize("metric", ["b_cubed", "lea"])
each_way = pytest.mark.parametrize("singletons", ["drop", "keep"])


@st.composite
def sized_documents(draw):
    """A document with pruned antecedents, and gold sizes that count missed mentions."""
    scores, gold = draw(reference.documents(pruned=True))
    sizes = [gold.tolist().count(v) + draw(st.integers(0, 2)) for v in range(3)]
    return scores, gold, sizes


def costs_of(scores, gold, sizes, metric, singletons):
    return reference.reward_costs(
        scores,
        reference.greedy(scores),
        gold,
        sizes=sizes,
        metric=metric,
        keep=singletons == "keep",
    )


@each_metric
@each_way
@given(document=sized_documents())
@enough
def test_greedy_it_is_the_expected_cost_of_each_action_with_the_best_of_all_others(
    metric, singletons, document
):
    scores, gold, sizes = document
    loss = reinforce_loss(
        scores,
        gold,
        metric=metric,
        singletons=singletons,
        gold_sizes=torch.tensor(sizes),
        actions="greedy",
    )
    expected = reference.expected_cost(scores, costs_of(scores, gold, sizes, metric, singletons))
    assert loss.item() == pytest.approx(expected, abs=1e-5)  # costs below 1e-6 count as none


@each_metric
@each_way
@pytest.mark.parametrize("margin", [1.0, 3.0])
@given(document=sized_documents())
@enough
def test_rescaled_it_is_the_worst_cost_times_its_slack(metric, singletons, margin, document):
    scores, gold, sizes = document
    loss = rescale_loss(
        scores,
        gold,
        metric=metric,
        margin=margin,
        singletons=singletons,
        gold_sizes=torch.tensor(sizes),
    )
    costs = costs_of(scores, gold, sizes, metric, singletons)
    assert loss.item() == pytest.approx(reference.rescaled(scores, costs, margin), abs=1e-4)


def test_three_mentions_by_hand():
    # Gold {0, 2}, all mentions start entities: nothing is written, F = 0. If 1 links to 0: recall (1/2) / 2,
    # precision (1/2) / 2, F = 1/4. If 2 does: F = 1; if 2 links to 1: 1/4 again. w = (2 + 3) / 10.
    scores = torch.zeros(3, 3, dtype=torch.float64)
    scores[1, 1] = scores[2, 2] = math.log(2)
    loss = reinforce_loss(scores, torch.tensor([0, -1, 0]), actions="greedy")
    first, second = 2 / 3 * 1 / 4, 1 / 4 * 3 / 4 + 1 / 2 * 1
    assert loss.item() == pytest.approx((first + second) / 2, rel=1e-9)


# The gradient of the expected cost. With p = softmax(s), ∂(Σ_j p_j c_j)/∂s_k = p_k (c_k − Σ_j p_j c_j),
# in which c_j = w (max R − R_j) and c_j + any b_i give the same: Σ_k p_k = 1.


def gradient_of(scores, gold, **options):
    scores = scores.clone().requires_grad_()
    reinforce_loss(scores, gold, actions="greedy", **options).backward()
    return scores.grad


def reward_table(scores, gold, metric):
    entities = reference.linked(reference.gold_clusters(gold.tolist()))
    weight = (sum(map(len, entities)) + len(gold)) / 10
    return weight, reference.rewards(reference.greedy(scores), entities, metric, keep=False)


def expected_reward(row, rewards):
    return sum(p * r for p, r in zip(reference.softmax(row), rewards, strict=True))


@each_metric
def test_the_gradient_is_that_of_the_expected_reward_of_a_mention_with_the_others_fixed(metric):
    scores, gold = reference.random_scores(5, seed=4), torch.tensor([0, 1, 0, -1, 1])
    weight, rewards = reward_table(scores, gold, metric)
    found, step = gradient_of(scores, gold, metric=metric), 1e-5
    for i, row in enumerate(reference.rows(scores)):
        for k in range(i + 1):
            up, down = ([*row[:k], row[k] + d, *row[k + 1 :]] for d in (step, -step))
            slope = (expected_reward(up, rewards[i]) - expected_reward(down, rewards[i])) / (
                2 * step
            )
            assert found[i, k].item() == pytest.approx(-weight * slope, abs=1e-6)
    assert found.abs().max() > 0.01


@each_metric
@each_way
@given(document=reference.documents(pruned=True))
@enough
def test_the_cheapest_action_of_each_mention_costs_nothing(metric, singletons, document):
    # The gradient g_k = p_k (c_k − Σ_j p_j c_j) has its least g_k / p_k where c_k is least. So the loss, the
    # sum of the Σ_j p_j c_j, exceeds the sum of the −min g_k / p_k by the sum of the least costs.
    scores, gold = document
    scores.requires_grad_()
    loss = reinforce_loss(scores, gold, metric=metric, singletons=singletons, actions="greedy")
    loss.backward()
    above_cheapest = 0.0
    for row, gradient in zip(reference.rows(scores), scores.grad.tolist(), strict=True):
        p = reference.softmax(row)
        above_cheapest -= min(g / q for g, q in zip(gradient, p, strict=False) if q > 0)
    assert loss.item() == pytest.approx(above_cheapest, abs=1e-8)
    assert loss.item() >= 0


# Samples.


def test_samples_come_from_the_generator_alone():
    scores, gold = reference.random_scores(6, seed=1), torch.tensor([0, 1, 0, 1, 0, -1])

    def samples(seed):
        generator = torch.Generator().manual_seed(seed)
        return [reinforce_loss(scores, gold, generator=generator).item() for _ in range(8)]

    assert samples(1) == samples(1)
    assert samples(1) != samples(2)
    assert len(set(samples(1))) > 1


def test_samples_are_the_default_of_reinforce_and_the_best_actions_of_rescaling():
    scores, gold = reference.random_scores(6, seed=1), torch.tensor([0, 1, 0, 1, 0, -1])

    def both(**options):
        return [
            loss(scores, gold, generator=torch.Generator().manual_seed(3), **options).item()
            for loss in (reinforce_loss, rescale_loss)
        ]

    assert both()[0] == both(actions="sampled")[0] != both(actions="greedy")[0]
    assert both()[1] == both(actions="greedy")[1] != both(actions="sampled")[1]
