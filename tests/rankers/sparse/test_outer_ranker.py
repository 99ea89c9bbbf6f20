"""The ranker with a second hidden layer against its formula, pair by pair."""

import pytest
import torch

from corelax.rankers.sparse import pair_scores
from corelax.rankers.sparse.folder import fresh_ranker
from corelax.rankers.sparse.pair_scores import Limits
from corelax.rankers.sparse.settings import SparseSettings
from tests.train.sparse.training_runs import documents, make_data

SMALL = {"network": "local2", "hidden_mention": 5, "hidden_pair": 6, "hidden_outer": 4}


@pytest.fixture(scope="module")
def data():
    docs = documents(3, mentions=14)
    return make_data(docs, docs)


def new_ranker(data, **more):
    torch.manual_seed(1)
    ranker = fresh_ranker(data.train.vocabulary, SparseSettings(**{**SMALL, **more})).double()
    with torch.no_grad():
        for bias in (ranker.pair_bias, ranker.mention_bias, ranker.outer_bias, ranker.link_bias):
            bias.normal_()
    return ranker


def literal(ranker, document):
    """s_ij one pair after the other."""
    current, previous, slots = ranker.pair_parts(document)
    of_code = document.codes @ slots
    hidden = ranker.mention_hidden(document)
    rows = []
    for i in range(document.size):
        row = []
        for j in range(i):
            pair = torch.tanh(current[i] + previous[j] + of_code[document.code_of_pair[i, j]])
            weights = torch.cat([ranker.outer_pair, ranker.outer_mention])
            outer = torch.tanh(torch.cat([pair, hidden[i]]) @ weights + ranker.outer_bias)
            row.append(ranker.link_outer @ outer + ranker.link_bias)
        row.append(hidden[i] @ ranker.new_mention + ranker.new_bias)
        rows.append(torch.nn.functional.pad(torch.stack(row), (0, document.size - i - 1)))
    return torch.stack(rows)


@pytest.mark.parametrize("limits", [Limits(1 << 21, 1 << 27), Limits(60, 1 << 27), Limits(60, 0)])
def test_scores_and_gradients_are_those_of_the_formula(data, monkeypatch, limits):
    """In one block, in many, and in many that are computed again for the gradient."""
    monkeypatch.setattr(pair_scores, "ON_CPU", limits)
    ranker = new_ranker(data)
    for table in data.train.tables:
        document = ranker.tensors_of(table)
        found, expected = ranker(document).tril(), literal(ranker, document)
        torch.testing.assert_close(found, expected)
        parameters = list(ranker.parameters())
        one = torch.autograd.grad(found.square().sum(), parameters)
        other = torch.autograd.grad(expected.square().sum(), parameters)
        for gradient, wanted in zip(one, other, strict=True):
            torch.testing.assert_close(gradient.to_dense(), wanted.to_dense())


def test_dropout_is_the_same_where_values_are_computed_again(data, monkeypatch):
    ranker = new_ranker(data)
    document = ranker.tensors_of(data.train.tables[0])
    gradients = []
    for kept in (1 << 27, 0):
        monkeypatch.setattr(pair_scores, "ON_CPU", Limits(60, kept))
        torch.manual_seed(3)
        loss = ranker(document, 0.5).tril().square().sum()
        gradients.append(torch.autograd.grad(loss, [ranker.outer_pair])[0])
    torch.testing.assert_close(*gradients)


def test_antecedents_that_are_too_far_stay_out(data):
    ranker = new_ranker(data, max_antecedents=2)
    far, near = ranker, new_ranker(data)
    document = far.tensors_of(data.train.tables[0])
    scores, unlimited = far(document), near(document)
    assert scores[5, 2] == -torch.inf
    torch.testing.assert_close(scores[5, 3:6], unlimited[5, 3:6])
