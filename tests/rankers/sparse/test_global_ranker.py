"""The global ranker against the formulas of Wiseman et al. (2016), written as loops over mentions."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.decode import best_links
from corelax.rankers.sparse.clusters import ClusterHistory
from corelax.rankers.sparse.folder import fresh_ranker
from corelax.rankers.sparse.global_network import GlobalRanker
from corelax.rankers.sparse.network import SparseRanker
from corelax.rankers.sparse.settings import SparseSettings
from tests.train.sparse.training_runs import documents, make_data

SMALL = {"network": "global", "hidden_mention": 5, "hidden_pair": 6, "hidden_cluster": 4}


@pytest.fixture(scope="module")
def data():
    docs = documents(4, mentions=18)
    return make_data(docs, docs)


def new_ranker(data, *, seed=1, scale=1.0, **more):
    """A ranker in float64 whose global part weighs enough to matter."""
    torch.manual_seed(seed)
    ranker = fresh_ranker(data.train.vocabulary, SparseSettings(**{**SMALL, **more})).double()
    with torch.no_grad():
        for parameter in ranker.clamped:
            parameter += scale * torch.randn_like(parameter) / math.sqrt(parameter.shape[-1])
        ranker.cluster_table[-1] = 0
    return ranker


@pytest.fixture
def tensors(data):
    return [new_ranker(data).tensors_of(table) for table in data.train.tables]


def sigmoid(x):
    return 1 / (1 + torch.exp(-x))


def lstm_step(ranker, x, hidden, cell):
    """One step of an LSTM without peepholes."""
    gates = ranker.input_weights @ x + ranker.state_weights @ hidden + ranker.gate_bias
    opened, kept, candidate, shown = gates.chunk(4)
    cell = sigmoid(kept) * cell + sigmoid(opened) * torch.tanh(candidate)
    return sigmoid(shown) * torch.tanh(cell), cell


class Literal:
    """One mention after the other, with a state for each cluster."""

    def __init__(self, ranker, document):
        self.ranker, self.n = ranker, document.size
        self.local = SparseRanker.forward(ranker, document)
        self.features = [
            document.rows.repeat_interleave(row.long()).tolist() for row in document.features
        ]

    def summed(self, table, i):
        return table[self.features[i]].sum(0)

    def hidden(self, i):
        place = (2 * (i + 1) - self.n - 1) / (self.n - 1)
        total = self.summed(self.ranker.cluster_table, i) + self.ranker.cluster_bias
        return torch.tanh(total + place * self.ranker.cluster_position)

    def run(self, entities=None):
        """Scores and clusters; clusters are given or decided."""
        ranker, scores, cluster_of, states = self.ranker, torch.zeros(self.n, self.n), [], {}
        scores = scores.double()
        zero = torch.zeros(len(ranker.cluster_bias), dtype=torch.float64)
        for i in range(self.n):
            hidden = self.hidden(i)
            total = sum((state for state, _ in states.values()), zero)
            new = torch.tanh(
                self.summed(ranker.new_table, i)
                + total @ ranker.new_states
                + ranker.new_hidden_bias
            )
            scores[i, i] = self.local[i, i] + new @ ranker.new_global + ranker.new_global_bias
            for j in range(i):
                scores[i, j] = self.local[i, j] + hidden @ states[cluster_of[j]][0]
            if entities is not None:
                number = int(entities[i]) if entities[i] >= 0 else -1 - i
            else:
                number = i
                best = max(range(i), key=lambda j: float(scores[i, j]), default=None)
                if best is not None and scores[i, i] <= scores[i, best]:
                    number = cluster_of[best]
            cluster_of.append(number)
            states[number] = lstm_step(ranker, hidden, *states.get(number, (zero, zero)))
        return scores, cluster_of, states


def own_clusters(ranker, document):
    return ranker.own_clusters(document, SparseRanker.forward(ranker, document))


def as_partition(numbers):
    return {tuple(i for i, n in enumerate(numbers) if n == one) for one in numbers}


def test_scores_with_gold_history_are_those_of_the_formulas(data, tensors):
    ranker = new_ranker(data)
    for document in tensors:
        expected, *_ = Literal(ranker, document).run(document.gold.tolist())
        found = ranker(document, history=document.gold).tril()
        torch.testing.assert_close(found, expected.tril())


def test_states_are_those_of_an_lstm_for_each_cluster(data, tensors):
    ranker = new_ranker(data)
    for document in tensors:
        hidden, history = ranker.cluster_hidden(document), ClusterHistory.of(document.gold)
        found = ranker.states(hidden, history)
        for cluster in range(history.last.shape[1]):
            zero = torch.zeros(SMALL["hidden_cluster"], dtype=torch.float64)
            state = (zero, zero)
            for mention in (history.cluster == cluster).nonzero()[:, 0].tolist():
                state = lstm_step(ranker, hidden[mention], *state)
                torch.testing.assert_close(found[mention], state[0])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_decoding_is_greedy_with_the_clusters_so_far(data, tensors, seed):
    ranker = new_ranker(data, seed=seed).requires_grad_(False)
    ranker.new_bias -= 1  # so that many mentions are linked
    merged = 0
    for document in tensors:
        expected, cluster_of, _ = Literal(ranker, document).run()
        found = ranker(document)
        torch.testing.assert_close(found.tril(), expected.tril())
        assert as_partition(own_clusters(ranker, document).tolist()) == as_partition(cluster_of)
        entities = {tuple(entity) for entity in best_links(found, singletons="keep")}
        assert entities == as_partition(cluster_of)
        merged += document.size - len(entities)
    assert merged > 5


def test_a_mention_sees_nothing_of_what_comes_after_it(data, tensors):
    ranker = new_ranker(data)
    [document, *_] = tensors
    half = document.size // 2
    other = document.gold.clone()
    other[half:] = other[half:].flip(0)
    one, two = ranker(document, history=document.gold), ranker(document, history=other)
    torch.testing.assert_close(one[: half + 1].tril(), two[: half + 1].tril())


def test_a_tie_goes_to_the_antecedent(data, tensors):
    ranker = new_ranker(data)
    with torch.no_grad():
        for parameter in ranker.parameters():
            parameter.zero_()
    assert set(own_clusters(ranker, tensors[0]).tolist()) == {0}


def test_gradients_are_those_of_finite_differences(data):
    ranker = new_ranker(data)
    table = data.train.tables[0].first(7)
    document = ranker.tensors_of(table)
    weights = torch.randn(7, 7, dtype=torch.float64).tril()
    dense = [ranker.cluster_position, *ranker.lstm, ranker.new_states, ranker.new_global]
    names = {id(parameter): name for name, parameter in ranker.named_parameters()}

    def loss(*values):
        given = {names[id(p)]: v for p, v in zip(dense, values, strict=True)}
        keywords = {"history": document.gold}
        scores = torch.func.functional_call(ranker, given, (document,), keywords)
        return (scores.tril() * weights).sum()

    values = [parameter.detach().clone().requires_grad_() for parameter in dense]
    assert torch.autograd.gradcheck(loss, values)


def test_dropout_of_states_is_drawn_once_a_state(data, tensors):
    ranker = new_ranker(data)
    [document, *_] = tensors
    torch.manual_seed(5)
    first = ranker(document, history=document.gold, state_dropout=0.5)
    torch.manual_seed(5)
    again = ranker(document, history=document.gold, state_dropout=0.5)
    assert first.equal(again)
    assert not first.allclose(ranker(document, history=document.gold))


@given(entities=st.lists(st.integers(-1, 3), min_size=1, max_size=12))
@settings(deadline=None, max_examples=50)
def test_histories_know_the_last_mention_of_each_cluster(entities):
    history = ClusterHistory.of(torch.tensor(entities))
    keys = [entity if entity >= 0 else -1 - i for i, entity in enumerate(entities)]
    firsts = list(dict.fromkeys(keys))
    assert history.cluster.tolist() == [firsts.index(key) for key in keys]
    for i, row in enumerate(history.last.tolist()):
        for cluster, last in enumerate(row):
            members = [j for j in range(i) if keys[j] == firsts[cluster]]
            assert last == (members[-1] if members else -1)
    assert history.previous.tolist() == [
        row[cluster] for row, cluster in zip(history.last.tolist(), history.cluster, strict=True)
    ]
    assert sorted(history.order.tolist()) == list(range(len(entities)))
    assert int(history.sizes.sum()) == len(entities)


def test_documents_without_mentions_and_with_one_are_scored(data):
    ranker = new_ranker(data)
    table = data.train.tables[0]
    assert ranker(ranker.tensors_of(table.first(0))).shape == (0, 0)
    assert ranker(ranker.tensors_of(table.first(1))).shape == (1, 1)
    assert own_clusters(ranker, ranker.tensors_of(table.first(0))).tolist() == []
    assert own_clusters(ranker, ranker.tensors_of(table.first(1))).tolist() == [0]


def test_antecedents_that_are_too_far_stay_out(data, tensors):
    ranker = new_ranker(data, max_antecedents=2)
    scores = ranker(tensors[0])
    assert scores[5, 2] == -torch.inf
    assert scores[5, 3].isfinite()


@pytest.mark.parametrize("initialisation", ["uniform", "sparse"])
def test_fresh_weights_are_as_published(data, initialisation):
    ranker = fresh_ranker(
        data.train.vocabulary,
        SparseSettings(network="global", initialisation=initialisation, hidden_pair=8),
    )
    assert isinstance(ranker, GlobalRanker)
    assert ranker.gate_bias[200:400].eq(1).all()
    for weight in (ranker.input_weights, ranker.state_weights, ranker.gate_bias[:200]):
        assert 0.04 < weight.abs().max() <= 0.05
    assert ranker.cluster_table[-1].eq(0).all()
    assert ranker.new_table[-1].eq(0).all()
    if initialisation == "sparse":
        assert ranker.cluster_table.ne(0).sum(0).eq(15).all()
        assert ranker.new_states.ne(0).sum(0).eq(15).all()
