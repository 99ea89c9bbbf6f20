"""The two pretraining tasks against loops over mentions, as sections 3.3 and 5.2 word them."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax import CorelaxError
from corelax.losses import anaphoricity_loss, antecedent_loss
from tests.losses.loss_references import documents

# Some documents have all their antecedents pruned.
pytestmark = pytest.mark.filterwarnings("ignore:antecedent_scores. no score lies below")

enough = settings(deadline=None, max_examples=60)
INF = math.inf


def tensor(*values):
    return torch.tensor(values, dtype=torch.float64)


def gold_antecedents(gold, i):
    return [j for j in range(i) if gold[i] == gold[j] >= 0]


def slow_anaphoricity(scores, gold, weight):
    total = 0.0
    for i, score in enumerate(scores):
        if gold_antecedents(gold, i):
            total += weight * max(0.0, 1 - score)
        else:
            total += max(0.0, 1 + score)
    return total


def slow_likelihood(scores, gold):
    total = 0.0
    for i, row in enumerate(scores):
        right = [j for j in gold_antecedents(gold, i) if row[j] > -INF]
        if right:
            total -= math.log(sum(math.exp(row[j]) for j in right))
            total += math.log(sum(math.exp(row[j]) for j in range(i)))
    return total


def slow_margin(scores, gold, margin):
    total = 0.0
    for i, row in enumerate(scores):
        right = [j for j in gold_antecedents(gold, i) if row[j] > -INF]
        if right:
            latent = max(row[j] for j in right)
            wrong = [j for j in range(i) if j not in right and row[j] > -INF]
            total += max([0.0, *(margin + row[j] - latent for j in wrong)])
    return total


# By hand: mention 0 is never anaphoric; 2 belongs to the entity of 0; 3 is spurious.
def test_anaphoricity_by_hand():
    scores = tensor(0.25, -3.0, 0.5, 2.0)
    loss = anaphoricity_loss(scores, torch.tensor([0, 1, 0, -1]))
    assert loss.item() == pytest.approx(1.25 + 0 + 1.35 * 0.5 + 3)


def test_the_weight_of_anaphoric_mentions_can_be_set():
    scores, gold = tensor(-9.0, -1.0), torch.tensor([0, 0])
    assert anaphoricity_loss(scores, gold, weight=1.4).item() == pytest.approx(2.8)
    assert anaphoricity_loss(scores, gold, weight=1.0).item() == pytest.approx(2.0)


# Mention 2 may choose 0 (right) or 1 (wrong); mention 3 has 0 and 2 right, 1 wrong.
SCORES = [[9.0, 9, 9, 9], [7, 9, 9, 9], [1, 2, 9, 9], [0, 1, -1, 9]]


def test_antecedents_by_hand():
    loss = antecedent_loss(tensor(*SCORES), torch.tensor([0, 1, 0, 0]))
    of_2 = math.log(math.e + math.e**2) - 1
    of_3 = math.log(1 + math.e + 1 / math.e) - math.log(1 + 1 / math.e)
    assert loss.item() == pytest.approx(of_2 + of_3)


def test_the_margin_by_hand():
    gold = torch.tensor([0, 1, 0, 0])
    assert antecedent_loss(tensor(*SCORES), gold, margin=1.0).item() == pytest.approx(2 + 2)
    assert antecedent_loss(tensor(*SCORES), gold, margin=0.25).item() == pytest.approx(2.5)


@pytest.mark.parametrize("margin", [None, 1.0])
def test_new_entity_is_no_choice_and_the_first_mention_has_none(margin):
    scores = tensor(*SCORES).requires_grad_()
    antecedent_loss(scores, torch.tensor([0, 0, 1, 0]), margin=margin).backward()
    assert scores.grad.diagonal().eq(0).all()
    assert scores.grad[0].eq(0).all()
    assert scores.grad.triu().eq(0).all()
    assert scores.grad[2].eq(0).all()  # which is not anaphoric


@given(documents(), st.floats(0.1, 3))
@enough
def test_anaphoricity_is_the_loop(document, weight):
    square, gold = document
    scores = square[:, 0]
    expected = slow_anaphoricity(scores.tolist(), gold.tolist(), weight)
    assert anaphoricity_loss(scores, gold, weight=weight).item() == pytest.approx(expected)


@given(documents(pruned=True))
@enough
def test_likelihood_is_the_loop(document):
    scores, gold = document
    expected = slow_likelihood(scores.tolist(), gold.tolist())
    assert antecedent_loss(scores, gold).item() == pytest.approx(expected, abs=1e-9)


@given(documents(pruned=True), st.floats(0, 3))
@enough
def test_the_margin_version_is_the_loop(document, margin):
    scores, gold = document
    expected = slow_margin(scores.tolist(), gold.tolist(), margin)
    assert antecedent_loss(scores, gold, margin=margin).item() == pytest.approx(expected)


@given(documents(least=2))
@enough
def test_gradients_are_finite_differences(document):
    scores, gold = document
    scores = scores.clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda s: antecedent_loss(s, gold), [scores])
    assert torch.autograd.gradcheck(lambda s: antecedent_loss(s, gold, margin=1.0), [scores])
    assert torch.autograd.gradcheck(lambda s: anaphoricity_loss(s[:, 0], gold), [scores])


@given(documents(pruned=True))
@enough
def test_no_gradient_is_nan_where_antecedents_were_pruned(document):
    scores, gold = document
    for margin in (None, 1.0):
        leaf = scores.clone().requires_grad_()
        antecedent_loss(leaf, gold, margin=margin).backward()
        assert leaf.grad.isfinite().all()


def padded(scores, gold, size, filler):
    n = len(gold)
    square = torch.full((size, size), filler, dtype=scores.dtype)
    square[:n, :n] = scores
    return square, torch.cat([gold, torch.full((size - n,), -1)])


@given(documents(), st.integers(0, 4), st.sampled_from([0.0, 50.0, -50.0]))
@enough
def test_padding_changes_nothing(document, more, filler):
    scores, gold = document
    n = len(gold)
    square, longer = padded(scores, gold, n + more, filler)
    square.requires_grad_()
    lengths = torch.tensor(n)
    for margin in (None, 1.0):
        loss = antecedent_loss(square, longer, margin=margin, lengths=lengths)
        expected = antecedent_loss(scores, gold, margin=margin)
        torch.testing.assert_close(loss, expected)
        [gradient] = torch.autograd.grad(loss, [square])
        assert gradient[n:].eq(0).all()
    loss = anaphoricity_loss(square[:, 0], longer, lengths=lengths)
    torch.testing.assert_close(loss, anaphoricity_loss(scores[:, 0], gold))
    [gradient] = torch.autograd.grad(loss, [square])
    assert gradient[n:].eq(0).all()


def test_gold_of_another_length_is_an_error():
    with pytest.raises(CorelaxError):
        anaphoricity_loss(torch.zeros(3), torch.tensor([0, 0]))
    with pytest.raises(CorelaxError):
        antecedent_loss(torch.zeros(3, 3), torch.tensor([0, 0]))


@pytest.mark.parametrize("margin", [-1.0, math.nan, math.inf])
def test_a_margin_that_is_none_is_an_error(margin):
    with pytest.raises(CorelaxError, match="margin must be"):
        antecedent_loss(torch.zeros(2, 2), torch.tensor([0, 0]), margin=margin)
