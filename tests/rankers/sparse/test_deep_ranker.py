"""The deep network against Clark & Manning's description, written for one pair of mentions at a time."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from corelax import CorelaxError
from corelax.losses import pair_loss
from corelax.rankers.sparse import pair_scores
from corelax.rankers.sparse.deep_inputs import bucketed
from corelax.rankers.sparse.deep_network import DeepRanker
from corelax.rankers.sparse.features.extract import describe
from corelax.rankers.sparse.features.pair import code_values
from corelax.rankers.sparse.features.settings import FEATURE_SETS
from corelax.rankers.sparse.folder import fresh_ranker
from corelax.rankers.sparse.mentions.lexicons import load_lexicons
from corelax.rankers.sparse.pair_scores import Limits
from corelax.rankers.sparse.settings import SparseSettings
from corelax.train.sparse import objective as objectives
from corelax.train.sparse.config import Config
from corelax.train.sparse.objective import Averages, document_objective
from tests.train.sparse.training_runs import documents, make_data

SMALL = {"network": "deep", "word_size": 3, "hidden_deep": 7, "hidden_above": 5}
BITS = (
    "iwi samespk exact i_in_j j_in_i headmatch ihead_in_j jhead_in_i jhead_in_otherspk otherspk_in_jhead"
).split()


@pytest.fixture(scope="module")
def docs():
    return documents(3, mentions=14)


@pytest.fixture(scope="module")
def data(docs):
    return make_data(docs, docs, words=True)


def new_ranker(data, **more):
    torch.manual_seed(1)
    ranker = fresh_ranker(data.train.vocabulary, SparseSettings(**{**SMALL, **more})).double()
    with torch.no_grad():
        for name, parameter in ranker.named_parameters():
            if name.endswith("bias") or name.endswith(("scale", "shift")):
                parameter.normal_()
        ranker.fixed_vectors += 0.1  # to tell the two kinds of vectors apart
    return ranker


def in_bucket(number):
    """One of ten places, and the number itself up to 64."""
    place = next(k for k, end in enumerate([1, 2, 3, 4, 5, 8, 16, 32, 64, 10**9]) if number < end)
    return [float(k == place) for k in range(10)] + [min(number, 64) / 64]


class Literal:
    """A document as words, and the network for a pair of mentions."""

    def __init__(self, ranker, vocabulary, doc, table):
        self.ranker, self.vocabulary, self.doc, self.table = ranker, vocabulary, doc, table
        self.known = describe(
            doc, FEATURE_SETS["default"], load_lexicons("shipped"), lambda _: None
        )
        self.words = [word.lower() for word in doc.words]

    def vector(self, word, vectors):
        row = self.vocabulary.words.index(word) if word in self.vocabulary.words else None
        return torch.zeros(3, dtype=torch.float64) if row is None else vectors[row]

    def average(self, words):
        vectors = [self.vector(word, self.ranker.fixed_vectors) for word in words]
        return sum(vectors, torch.zeros(3, dtype=torch.float64)) / max(len(vectors), 1)

    def inputs(self, i):
        known = self.known.mentions[i]
        start, end, words = known.mention.start, known.mention.end, self.words
        first, last = self.doc.sentence_bounds[known.mention.sentence]
        places = [known.mention.head, start, end - 1, start - 1, start - 2, end, end + 1]
        of_words = [words[place] if first <= place < last else None for place in places]
        of_words.append(known.governor)
        vectors = [self.vector(word, self.ranker.word_vectors) for word in of_words]
        near = [words[start:end], words[max(start - 5, 0) : start], words[end : end + 5]]
        averages = [self.average(some) for some in (*near, words[first:last], words)]
        spans = [(m.mention.start, m.mention.end) for m in self.known.mentions]
        inside = any(s <= start and end <= e and (s, e) != (start, end) for s, e in spans)
        place = i / max(len(spans) - 1, 1)
        shown = [
            float(name in (f"type={known.type}", f"genre={self.known.context.genre}"))
            for name in self.vocabulary.mention
            if name.startswith(("type=", "genre="))
        ]
        numbers = [*in_bucket(end - start - 1), place, float(inside), *shown]
        return torch.cat([*vectors, *averages, torch.tensor(numbers, dtype=torch.float64)])

    def above(self, layers, sums):
        hidden = torch.relu(sums)
        hidden = torch.relu(layers.second.weight @ hidden + layers.second.bias)
        hidden = torch.relu(layers.third.weight @ hidden + layers.third.bias)
        score = layers.output.weight @ hidden + layers.output.bias
        return layers.scale * score[0] + layers.shift

    def pair(self, i, j):
        ranker = self.ranker
        sentence = [self.known.mentions[k].mention.sentence for k in (i, j)]
        code = int(self.table.codes[self.table.code_of_pair[i * (i - 1) // 2 + j]])
        bits = [float(code_values(code)[bit] == "true") for bit in BITS]
        numbers = [*in_bucket(i - j), *in_bucket(sentence[0] - sentence[1]), *bits]
        weights = torch.cat([ranker.pair_current, ranker.pair_previous, ranker.pair_features])
        parts = [self.inputs(i), self.inputs(j), torch.tensor(numbers, dtype=torch.float64)]
        return self.above(ranker.pair_above, torch.cat(parts) @ weights + ranker.pair_bias)

    def anaphoric(self, i):
        first = self.ranker.mention_first
        return self.above(self.ranker.mention_above, first.weight @ self.inputs(i) + first.bias)


@pytest.mark.parametrize("limits", [Limits(1 << 21, 1 << 27), Limits(60, 1 << 27), Limits(60, 0)])
def test_scores_are_those_of_the_network_pair_by_pair(data, docs, monkeypatch, limits):
    """In one block, in many, and in many that are computed again for the gradient."""
    monkeypatch.setattr(pair_scores, "ON_CPU", limits)
    ranker = new_ranker(data)
    doc, table = docs[1], data.train.tables[1]
    literal = Literal(ranker, data.train.vocabulary, doc, table)
    scores = ranker(ranker.tensors_of(table))
    chosen = [(5, 0), (5, 4), (9, 3), (len(scores) - 1, 1)]
    expected = [literal.pair(i, j) for i, j in chosen]
    found = [scores[i, j] for i, j in chosen]
    torch.testing.assert_close(torch.stack(found), torch.stack(expected))
    for i in (0, 7):
        torch.testing.assert_close(scores[i, i], -1 - 0.3 * literal.anaphoric(i))
    parameters = [p for name, p in ranker.named_parameters() if "mention" not in name]
    one = torch.autograd.grad(sum(score.square() for score in found), parameters)
    other = torch.autograd.grad(sum(score.square() for score in expected), parameters)
    for gradient, wanted in zip(one, other, strict=True):
        torch.testing.assert_close(gradient.to_dense(), wanted.to_dense())


@pytest.mark.parametrize("number", [0, 1, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64, 500])
def test_distances_are_bucketed_as_published(number):
    found = bucketed(torch.tensor([number]), torch.float64)[0]
    assert found.tolist() == in_bucket(number)


def test_words_that_training_did_not_have_count_as_no_word(data):
    words = data.train.vocabulary.words
    assert data.train.vocabulary.word_rows([words[3], "xyzzy", None]) == [3, -1, -1]
    ranker, table = new_ranker(data), data.train.tables[0]
    unknown = np.full_like(table.words, -1)
    inputs = ranker.inputs(ranker.tensors_of(replace(table, words=unknown)))
    assert inputs[:, : 8 * 3].eq(0).all()


def test_cutting_a_document_keeps_its_words(data):
    table = data.train.tables[0]
    cut = table.first(4)
    assert cut.words.tolist() == table.words[:4].tolist()
    ranker = new_ranker(data)
    assert ranker(ranker.tensors_of(cut)).shape == (4, 4)
    assert ranker(ranker.tensors_of(table.first(0))).shape == (0, 0)


def test_dropout_changes_scores_in_training_only(data):
    ranker = new_ranker(data)
    document = ranker.tensors_of(data.train.tables[0])
    assert ranker(document).equal(ranker(document))
    assert not ranker(document, 0.5).allclose(ranker(document, 0.5))


def test_the_losses_of_pretraining_are_divided_as_published(data):
    ranker, tables = new_ranker(data), data.train.tables
    averages = Averages.of(tables)
    document = ranker.tensors_of(data.train.tables[0])
    links, anaphoric = ranker.pair_and_anaphoricity(document)
    gold = document.gold.tolist()
    labels = [any(gold[j] == g >= 0 for j in range(i)) for i, g in enumerate(gold)]
    of_mentions = binary_cross_entropy_with_logits(
        anaphoric, torch.tensor(labels).double(), reduction="sum"
    )
    whole, each = averages.pairs, averages.mentions
    assert whole == sum(table.size * (table.size - 1) / 2 for table in tables) / len(tables)
    assert each == sum(table.size for table in tables) / len(tables)
    for objective, pairs, mentions in (
        ("all_pairs", whole, 50 * each),
        ("top_pairs", 10 * each, 20 * each),
    ):
        config = Config(stage="s", network="deep", objective=objective)
        expected = pair_loss(links, document.gold, top=objective == "top_pairs") / pairs
        found = document_objective(config, 1, tables)(ranker, document)
        torch.testing.assert_close(found, expected + of_mentions / mentions)


@pytest.mark.parametrize(
    "settings",
    [
        {"objective": "top_pairs"},
        {"objective": "margin", "costs": (0.4, 0.8, 1.0), "margin": 3.0},
        {"objective": "rescale", "margin": 3.0},
    ],
)
def test_scoring_only_the_pairs_that_matter_gives_the_same_loss_and_gradient(data, settings):
    config = Config(stage="s", network="deep", **settings)
    loss = document_objective(config, 1, data.train.tables)
    ranker = new_ranker(data)
    parameters = list(ranker.parameters())
    for table in data.train.tables:
        document = ranker.tensors_of(table)
        found = loss(ranker, document)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(objectives, "_pairs_that_matter", lambda *_: None)
            whole = loss(ranker, document)
        torch.testing.assert_close(found, whole)
        one = torch.autograd.grad(found, parameters, allow_unused=True)
        other = torch.autograd.grad(whole, parameters, allow_unused=True)
        for gradient, wanted in zip(one, other, strict=True):
            if gradient is not None or wanted is not None:
                torch.testing.assert_close(gradient.to_dense(), wanted.to_dense())


def test_a_vocabulary_without_words_is_refused(docs):
    data = make_data(docs, docs)
    with pytest.raises(CorelaxError, match="no words"):
        fresh_ranker(data.train.vocabulary, SparseSettings(**SMALL))


def test_vectors_of_another_size_say_what_to_set(data):
    ranker = new_ranker(data)
    assert isinstance(ranker, DeepRanker)
    with pytest.raises(CorelaxError, match="set word_size=2"):
        ranker.set_vectors(torch.tensor([0]), torch.zeros(1, 2))
