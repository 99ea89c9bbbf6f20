"""Link probabilities and the temperature on entities."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError
from corelax.relax import coreference_probs, entity_probs, evaluate, link_probs, sharpen
from tests.relax import relax_literal
from tests.relax.relax_documents import random_links, random_scores

several = settings(deadline=None, max_examples=40)
seeds = st.integers(0, 9999)


@given(n=st.integers(0, 7), seed=seeds, temperature=st.sampled_from([0.1, 0.5, 1.0, 3.0]))
@several
def test_link_probs_are_a_softmax_over_earlier_mentions_and_the_mention_itself(
    n, seed, temperature
):
    scores = random_scores(n, seed, scale=3)
    expected = relax_literal.link_probs(scores.tolist(), temperature)
    found = link_probs(scores, temperature=temperature)
    torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64).view(n, n))


@pytest.mark.parametrize("junk", [torch.nan, torch.inf, -torch.inf, 1e30])
def test_scores_above_the_diagonal_are_ignored(junk):
    scores = random_scores(5, seed=0)
    filled = scores.masked_fill(torch.ones(5, 5).triu(1) > 0, junk).requires_grad_()
    probs = link_probs(filled)
    assert torch.equal(probs, link_probs(scores))
    probs[3, 1].backward()
    assert filled.grad.isfinite().all()
    assert filled.grad.triu(1).count_nonzero() == 0


def test_a_pruned_antecedent_has_probability_zero_and_the_others_share_the_rest():
    scores = torch.tensor([[0.0, 0, 0], [0, 0, 0], [0, -torch.inf, 0]], requires_grad=True)
    probs = link_probs(scores)
    assert probs[2].tolist() == [0.5, 0, 0.5]
    probs[2, 0].backward()
    assert scores.grad[2].tolist() == [0.25, 0, -0.25]


def test_a_mention_that_cannot_be_new_must_link():
    scores = torch.tensor([[0.0, 0], [3.0, -torch.inf]])
    assert link_probs(scores)[1].tolist() == [1, 0]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_scores_give_float32_probabilities_and_gradients_in_half(dtype):
    scores = random_scores(6, seed=1).to(dtype).requires_grad_()
    probs = link_probs(scores)
    assert probs.dtype == torch.float32
    assert torch.equal(probs, link_probs(scores.detach().float()))
    probs[5, 0].backward()
    assert scores.grad.dtype == dtype
    assert scores.grad[5, 0] > 0


relaxations = {
    "link_probs": link_probs,
    "entity_probs": entity_probs,
    "coreference_probs": coreference_probs,
    "sharpen": lambda probs: sharpen(probs, 0.3),
}


@pytest.mark.parametrize("family", ["entity", "pairwise"])
def test_autocast_changes_no_bit_of_a_metric_or_of_its_gradient(family):
    gold = torch.tensor([0, 0, 1, 1, 0, 2, -1, 2])
    results = []
    for enabled in (False, True):
        scores = random_scores(8, seed=3, dtype=torch.float32).requires_grad_()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
            report = evaluate(scores, gold, family=family)
            values = torch.stack([report[name].f1 for name in report])
        values.sum().backward()
        results.append((values, scores.grad))
    assert torch.equal(results[0][0], results[1][0])
    assert torch.equal(results[0][1], results[1][1])


def test_padding_mentions_start_entities_of_their_own_whatever_their_scores():
    scores = random_scores(4, seed=4)
    batch = torch.full((3, 4, 4), torch.nan, dtype=torch.float64)
    for document, length in enumerate((4, 2, 0)):
        batch[document, :length, :length] = scores[:length, :length]
    probs = link_probs(batch, lengths=torch.tensor([4, 2, 0]))
    assert torch.equal(probs[0], link_probs(scores))
    assert torch.equal(probs[1, :2, :2], link_probs(scores[:2, :2]))
    assert torch.equal(probs[1, 2:], torch.eye(4, dtype=torch.float64)[2:])
    assert torch.equal(probs[2], torch.eye(4, dtype=torch.float64))


def test_padding_gets_no_gradient():
    batch = torch.full((1, 3, 3), torch.nan, dtype=torch.float64)
    batch[0, :2, :2] = 0.0
    batch.requires_grad_()
    link_probs(batch, lengths=torch.tensor([2])).square().sum().backward()
    assert batch.grad[0, 2].tolist() == [0, 0, 0]


@given(n=st.integers(0, 7), seed=seeds)
@several
def test_temperature_one_leaves_entities_as_they_are(n, seed):
    probs = entity_probs(random_links(n, seed))
    assert torch.equal(sharpen(probs, 1.0), probs)


@given(n=st.integers(1, 7), seed=seeds, temperature=st.sampled_from([0.2, 0.5, 0.9]))
@several
def test_sharpening_is_a_power_of_probabilities_scaled_to_sum_to_one(n, seed, temperature):
    probs = entity_probs(random_links(n, seed))
    expected = relax_literal.sharpened(probs.tolist(), temperature)
    found = sharpen(probs, temperature)
    torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64))


@given(n=st.integers(1, 8), seed=seeds)
@several
def test_at_temperature_near_zero_each_mention_is_in_its_best_entity(n, seed):
    probs = entity_probs(random_links(n, seed, scale=3))
    best_two = probs.log().topk(min(2, n), dim=-1).values
    clear = (best_two[:, 0] - best_two[:, -1] > 0.05) | (n == 1)
    clear[0] = True
    expected = torch.nn.functional.one_hot(probs.argmax(-1), n).double()
    torch.testing.assert_close(sharpen(probs, 1e-3)[clear], expected[clear])


@pytest.mark.parametrize("temperature", [0.0, -1.0, 1.01, 2.0, torch.nan, torch.inf])
def test_entities_take_no_temperature_outside_zero_to_one(temperature):
    with pytest.raises(
        CorelaxError, match=r"temperature must be a number above 0 and at most 1, not .+"
    ):
        sharpen(torch.eye(2), temperature)


@pytest.mark.parametrize("temperature", [0.0, -1.0, torch.nan, torch.inf])
def test_links_take_no_temperature_that_cannot_be_divided_by(temperature):
    with pytest.raises(CorelaxError, match=r"temperature must be a number above 0, not .+"):
        link_probs(torch.eye(2), temperature=temperature)


@pytest.mark.parametrize("temperature", [1.0, 0.3])
def test_gradients_of_links_and_of_sharpened_entities_are_those_of_finite_differences(temperature):
    scores = random_scores(4, seed=7).requires_grad_()
    assert torch.autograd.gradcheck(lambda s: link_probs(s, temperature=temperature), scores)
    assert torch.autograd.gradcheck(
        lambda s: sharpen(entity_probs(link_probs(s)), temperature), scores
    )
