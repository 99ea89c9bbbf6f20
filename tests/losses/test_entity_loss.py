"""Entity-centric cross entropy: section 4.1 of Le and Titov, mention by mention."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.losses import entity_loss
from tests.losses import loss_references as reference

# Some documents have all their antecedents pruned.
pytestmark = pytest.mark.filterwarnings("ignore:antecedent_scores. no score lies below")

enough = settings(deadline=None, max_examples=60)
some_costs = st.tuples(*[st.sampled_from([0.0, 0.1, 1.0, 3.0])] * 3)
INF = math.inf


@given(document=reference.documents(), costs=some_costs)
@enough
def test_entities_but_the_right_one_are_raised_by_their_costs_as_in_the_paper(document, costs):
    scores, gold = document
    expected = reference.entity(scores, gold, costs)
    assert entity_loss(scores, gold, costs=costs).item() == pytest.approx(expected, abs=1e-10)


@given(document=reference.documents(), costs=some_costs, same=st.sampled_from([0.0, 0.5]))
@enough
def test_entities_started_by_the_right_mentions_may_have_a_cost_of_their_own(document, costs, same):
    scores, gold = document
    loss = entity_loss(scores, gold, costs=costs, cost_same_cluster=same)
    assert loss.item() == pytest.approx(reference.entity(scores, gold, costs, same), abs=1e-10)


def test_the_code_of_the_authors_differs_from_the_paper_where_an_entity_has_three_mentions():
    scores, gold = torch.zeros(3, 3, dtype=torch.float64), torch.tensor([0, 0, 0])
    # Mention 1: 1/2 against 1/2 + e³/2. Mention 2 is in E_0 with 1/3 + 1/6, in E_1 with 1/6.
    second = math.log(1 + math.e**3)
    paper = second + math.log((1 / 2 + math.e / 6 + math.e**3 / 3) / (1 / 2))
    code = second + math.log((1 / 2 + 1 / 6 + math.e**3 / 3) / (1 / 2))
    assert entity_loss(scores, gold).item() == pytest.approx(paper, rel=1e-12)
    assert entity_loss(scores, gold, cost_same_cluster=0).item() == pytest.approx(code, rel=1e-12)


def test_one_gold_pair_by_hand():
    # Gold {0, 2}. Mention 1 starts its entity with 1/2; mention 2 is in E_0 with 1/4 + 1/4 · 1/2.
    scores = torch.tensor([[0.0, 0, 0], [0, 0, 0], [0, 0, math.log(2)]], dtype=torch.float64)
    loss = entity_loss(scores, torch.tensor([0, -1, 0]), costs=(0, 0, 0))
    assert loss.item() == pytest.approx(math.log(2) + math.log(8 / 3), rel=1e-12)


@given(document=reference.documents(least=3, pruned=True), costs=some_costs)
@settings(deadline=None, max_examples=200)
def test_entities_are_reached_by_any_path_of_links_that_pruning_left(document, costs):
    scores, gold = document
    expected = reference.entity(scores, gold, costs)
    assert entity_loss(scores, gold, costs=costs).item() == pytest.approx(expected, abs=1e-10)


def test_a_mention_that_cannot_reach_its_entity_is_left_out():
    # Mention 2 could only go to mention 1, which could only start an entity.
    scores = torch.tensor([[0.0, 0, 0], [-INF, 0, 0], [-INF, 0, 0]], requires_grad=True)
    loss = entity_loss(scores, torch.tensor([0, -1, 0]))
    loss.backward()
    assert loss.item() == 0
    assert (scores.grad == 0).all()


def test_a_mention_reaches_its_entity_through_the_antecedent_that_is_left():
    # Gold {0, 1, 2}: the link from 2 to 0 was pruned, the path over 1 is there (1/2 · 3/4). E_0 is right,
    # not E_1 (1/2 · 1/4).
    scores = torch.tensor([[0.0, 0, 0], [math.log(3), 0, 0], [-INF, 0, 0]], dtype=torch.float64)
    loss = entity_loss(scores, torch.tensor([0, 0, 0]), costs=(0, 0, 0))
    assert loss.item() == pytest.approx(math.log(4 / 3) + math.log(8 / 3), rel=1e-12)


@pytest.mark.parametrize("worst", [-30.0, -80.0, -95.0, -200.0, -1e4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_probabilities_that_underflow_give_finite_losses_and_gradients(worst, dtype):
    scores = torch.tensor([[0.0, 0], [worst, 0]], dtype=dtype, requires_grad=True)
    loss = entity_loss(scores, torch.tensor([0, 0]))
    loss.backward()
    assert loss.isfinite()
    assert scores.grad.isfinite().all()


@pytest.mark.parametrize("worst", [-69.0, -95.0, -200.0, -1e4])
def test_a_mention_all_but_certain_to_miss_its_entity_costs_at_least_the_clamp(worst):
    # It is reachable, however unlikely: −log 1e-30 = 69.08, and 3 for starting an entity.
    loss = entity_loss(torch.tensor([[0.0, 0], [worst, 0]]), torch.tensor([0, 0]))
    assert loss.item() >= 71.9


@pytest.mark.parametrize("same", [None, 0.0])
def test_its_gradient_is_that_of_finite_differences(same):
    gold = torch.tensor([0, 1, 0, -1, 0])
    scores = reference.random_scores(5, seed=0).requires_grad_()
    assert torch.autograd.gradcheck(lambda s: entity_loss(s, gold, cost_same_cluster=same), scores)


def test_its_gradient_is_finite_where_antecedents_were_pruned():
    scores = reference.random_scores(4, seed=3)
    scores[2, 0] = scores[3, 1] = -INF
    scores.requires_grad_()
    entity_loss(scores, torch.tensor([0, 1, 0, 1])).backward()
    assert scores.grad.isfinite().all()
    assert scores.grad[2, 0] == scores.grad[3, 1] == 0
    assert scores.grad[3, 0] != 0
