"""Cross entropy of pairs against a loop over them."""

import math

import pytest
import torch
from hypothesis import given, settings

from corelax.losses import pair_loss
from corelax.losses.pairs import anaphoricity_cross_entropy
from tests.losses import loss_references as reference

enough = settings(deadline=None, max_examples=40)
each_kind = pytest.mark.parametrize("top", [False, True])


def entropy(score, label):
    """−log σ(s) for true pairs, −log (1 − σ(s)) for others."""
    return math.log1p(math.exp(-score if label else score))


def literal(scores, gold, top):
    total = 0.0
    for i, row in enumerate(scores.tolist()):
        true, false = [], []
        for j in range(i):
            if row[j] > -math.inf:
                same = gold[i] == gold[j] >= 0
                (true if same else false).append(entropy(row[j], same))
        if top:  # the best of the true ones, the worst of the false ones: the highest score of each
            total += min(true, default=0) + max(false, default=0)
        else:
            total += sum(true) + sum(false)
    return total


@each_kind
@given(document=reference.documents(pruned=True))
@enough
@pytest.mark.filterwarnings("ignore:antecedent_scores. no score lies below")
def test_it_is_the_sum_over_pairs(top, document):
    scores, gold = document
    found = pair_loss(scores, gold, top=top).item()
    assert found == pytest.approx(literal(scores, gold.tolist(), top), abs=1e-9)


@each_kind
def test_gradients_are_those_of_finite_differences(top):
    scores = reference.random_scores(6, 3).requires_grad_()
    gold = torch.tensor([0, 1, 0, -1, 1, 0])
    assert torch.autograd.gradcheck(lambda s: pair_loss(s, gold, top=top), scores)


@each_kind
def test_padding_changes_nothing(top):
    scores, gold = reference.random_scores(5, 4), torch.tensor([0, 1, 0, -1, -1])
    padded = pair_loss(scores, gold, top=top, lengths=torch.tensor(3))
    torch.testing.assert_close(padded, pair_loss(scores[:3, :3], gold[:3], top=top))


@each_kind
def test_documents_without_mentions_have_no_loss(top):
    nothing = torch.zeros(0, 0), torch.zeros(0, dtype=torch.long)
    assert pair_loss(*nothing, top=top) == 0


def test_anaphoricity_by_hand():
    found = anaphoricity_cross_entropy(torch.tensor([2.0, -1.0, 0.5]), torch.tensor([0, -1, 0]))
    expected = entropy(2.0, False) + entropy(-1.0, False) + entropy(0.5, True)
    assert found.item() == pytest.approx(expected, rel=1e-6)
