"""Slack-rescaled max margin: Wiseman et al. (2015), mention by mention."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.losses import margin_loss
from tests.losses import loss_references as reference

# Some documents have all their antecedents pruned.
pytestmark = pytest.mark.filterwarnings("ignore:antecedent_scores. no score lies below")

enough = settings(deadline=None, max_examples=60)
positive_costs = st.tuples(*[st.floats(0.05, 3)] * 3)
margins = st.floats(0, 4)
WISEMAN = (0.5, 1.2, 1.0)
CLARK = (0.4, 0.8, 1.0)


@given(document=reference.documents(pruned=True), costs=positive_costs, margin=margins)
@enough
def test_the_worst_violation_of_each_mention_counts_its_cost_times_its_slack(
    document, costs, margin
):
    scores, gold = document
    expected = reference.margin(scores, gold, costs, margin)
    loss = margin_loss(scores, gold, costs=costs, margin=margin).item()
    assert loss == pytest.approx(expected, abs=1e-12)


@given(document=reference.documents(), costs=st.tuples(*[st.sampled_from([0.0, 1.0])] * 3))
@enough
def test_a_wrong_action_that_costs_nothing_does_not_become_the_right_one(document, costs):
    scores, gold = document
    expected = reference.margin(scores, gold, costs, 1.0)
    assert margin_loss(scores, gold, costs=costs).item() == pytest.approx(expected, abs=1e-12)


def test_a_false_new_that_costs_nothing_does_not_become_the_right_action():
    # Gold {0, 2}; the wrong link to 1 is above the gold link to 0 by 2. That "new" is higher still is free.
    scores = torch.tensor([[0.0, 0, 0], [-9, 9, 0], [0, 2, 5]])
    loss = margin_loss(scores, torch.tensor([0, -1, 0]), costs=(0.5, 0.0, 1.0))
    assert loss.item() == 3


@given(document=reference.documents(pruned=True))
@enough
def test_the_heuristic_loss_of_clark_and_manning_has_other_costs_and_a_margin_of_three(document):
    scores, gold = document
    expected = reference.margin(scores, gold, CLARK, 3.0)
    loss = margin_loss(scores, gold, costs=CLARK, margin=3)
    assert loss.item() == pytest.approx(expected, abs=1e-12)


def test_three_mentions_by_hand():
    # Mention 1 is new, 0.5 below the false link: 0.5 · 1.5. Mention 2 belongs to 0: the wrong link
    # violates by 1 + 2 − 1 = 2 at a cost of 1, the false new by 1.5 at a cost of 1.2, which is less.
    scores = torch.tensor([[0.0, 0, 0], [0.5, 0, 0], [1, 2, 1.5]])
    assert margin_loss(scores, torch.tensor([0, -1, 0])).item() == pytest.approx(0.75 + 2.0)


def wrong_actions_are_below(scores, gold, margin):
    gold = gold.tolist()
    for i, row in enumerate(reference.rows(scores)):
        right = reference.correct_actions(row, gold, i)
        latent = max(row[j] for j in right)
        if any(row[j] > latent - margin for j in range(i + 1) if j not in right):
            return False
    return True


@given(
    document=reference.documents(most=4, pruned=True),
    costs=positive_costs,
    margin=margins,
    help_right=st.sampled_from([0.0, 3.0, 9.0]),
)
@settings(deadline=None, max_examples=150)
def test_it_is_zero_if_and_only_if_wrong_actions_are_a_margin_below(
    document, costs, margin, help_right
):
    scores, gold = document
    for i, row in enumerate(reference.rows(scores)):
        scores[i, reference.correct_actions(row, gold.tolist(), i)] += help_right
    loss = margin_loss(scores, gold, costs=costs, margin=margin).item()
    assert loss >= 0
    assert (loss == 0) == wrong_actions_are_below(scores, gold, margin)


@given(document=reference.documents(pruned=True), costs=positive_costs, margin=margins)
@enough
def test_the_gradient_touches_the_violator_and_the_latent_antecedent_of_each_mention(
    document, costs, margin
):
    scores, gold = document
    expected = torch.zeros_like(scores)
    for i, row in enumerate(reference.rows(scores)):
        right = reference.correct_actions(row, gold.tolist(), i)
        latent = max(right, key=lambda j: row[j])
        cost = [reference.link_cost(row, gold.tolist(), i, j, costs) for j in range(i + 1)]
        slack = [
            c * (margin + s - row[latent]) if s > -math.inf else 0.0
            for c, s in zip(cost, row, strict=True)
        ]
        worst = max(range(i + 1), key=lambda j: slack[j])
        if slack[worst] > 0:
            expected[i, worst] += cost[worst]
            expected[i, latent] -= cost[worst]
    scores.requires_grad_()
    margin_loss(scores, gold, costs=costs, margin=margin).backward()
    torch.testing.assert_close(scores.grad, expected)


def test_its_gradient_is_that_of_finite_differences():
    gold = torch.tensor([0, 1, 0, -1, 0])
    scores = reference.random_scores(5, seed=0).requires_grad_()
    assert torch.autograd.gradcheck(lambda s: margin_loss(s, gold), scores)
