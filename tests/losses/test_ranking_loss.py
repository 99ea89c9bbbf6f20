"""Softmax-margin ranking: the baseline of Le and Titov, mention by mention."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.losses import ranking_loss
from tests.losses import loss_references as reference

# Some documents have all their antecedents pruned.
pytestmark = pytest.mark.filterwarnings("ignore:antecedent_scores. no score lies below")

enough = settings(deadline=None, max_examples=60)
some_costs = st.tuples(*[st.sampled_from([0.0, 0.1, 1.0, 3.0])] * 3)


@given(document=reference.documents(pruned=True), costs=some_costs)
@enough
def test_probabilities_are_raised_by_their_costs_and_renormalised(document, costs):
    scores, gold = document
    expected = reference.ranking(scores, gold, costs)
    assert ranking_loss(scores, gold, costs=costs).item() == pytest.approx(expected, abs=1e-12)


def test_costs_are_those_of_the_paper_unless_others_are_given():
    scores, gold = reference.random_scores(5, seed=1), torch.tensor([0, 1, 0, -1, 0])
    expected = reference.ranking(scores, gold, (0.1, 3.0, 1.0))
    assert ranking_loss(scores, gold).item() == pytest.approx(expected)


@given(document=reference.documents(pruned=True))
@enough
def test_without_costs_it_is_the_marginal_likelihood_of_the_gold_antecedents(document):
    scores, gold = document
    expected = 0.0
    for i, row in enumerate(reference.rows(scores)):
        p = reference.softmax(row)
        right = reference.correct_actions(row, gold.tolist(), i)
        expected -= math.log(math.fsum(p[j] for j in right))
    loss = ranking_loss(scores, gold, costs=(0, 0, 0)).item()
    assert loss == pytest.approx(expected, abs=1e-12)


def test_three_mentions_by_hand():
    # Mention 1 is new: 1 against 1 + e^0.1. Mention 2 belongs to 0: 1 against 1 + e^1 + e^3.
    loss = ranking_loss(torch.zeros(3, 3, dtype=torch.float64), torch.tensor([0, -1, 0]))
    expected = math.log(1 + math.e**0.1) + math.log(1 + math.e + math.e**3)
    assert loss.item() == pytest.approx(expected, rel=1e-12)


def test_a_mention_whose_gold_antecedents_were_all_pruned_is_treated_as_new():
    scores = torch.zeros(3, 3, dtype=torch.float64)
    scores[2, 0] = -math.inf
    pruned = ranking_loss(scores, torch.tensor([0, 1, 0]))
    assert pruned.item() == pytest.approx(2 * math.log(1 + math.e**0.1), rel=1e-12)


def test_a_mention_with_some_gold_antecedents_pruned_has_the_others():
    scores = torch.zeros(3, 3, dtype=torch.float64)
    scores[2, 0] = -math.inf
    # Mention 1: 1 against 1 + e^3; mention 2, which has antecedent 1 only: the same.
    loss = ranking_loss(scores, torch.tensor([0, 0, 0]))
    assert loss.item() == pytest.approx(2 * math.log(1 + math.e**3), rel=1e-12)


def test_its_gradient_is_that_of_finite_differences():
    gold = torch.tensor([0, 1, 0, -1, 0])
    scores = reference.random_scores(5, seed=0).requires_grad_()
    assert torch.autograd.gradcheck(lambda s: ranking_loss(s, gold), scores)
