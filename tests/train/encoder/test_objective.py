"""The loss of an encoder ranker: sums written out, batches and documents, gradients and differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from corelax.losses import metric_loss, ranking_loss
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.objective import WORDS, batch_objective
from tests.train.encoder.tiny_encoder import bounds_of, examples, made, save_encoder, tiny_model

pytestmark = pytest.mark.usefixtures("one_thread")
NOTHING_ELSE = {"mention": 0, "type": 0, "head": 0, "likelihood": 0}
TYPES = ("animal", "person")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = save_encoder(tmp_path_factory.mktemp("encoder"), made(3))
    model = tiny_model(folder, window=24, types=TYPES, schemes=("one", "two"), span_ratio=0.6)
    model.ranker.eval()
    return model


@pytest.fixture(scope="module")
def documents(model):
    """Of several windows each; types and heads are made up."""
    found = []
    for number, example in enumerate(examples(model, made(3))):
        marked = example.markables
        types = torch.arange(len(marked.where)).remainder(3).numpy() - 1
        heads = marked.where[:, 2] - 1  # the last word but one; −1 where there is none
        found.append(
            example._replace(scheme=number % 2, markables=marked._replace(types=types, heads=heads))
        )
    assert min(len(example.windows) for example in found) > 1
    return found


def loss(model, documents, **settings):
    config = EncoderConfig(stage="s", **{**NOTHING_ELSE, **settings})
    return batch_objective(config, 1)(model.ranker, documents)


def found_spans(ranker, example):
    found = ranker([example.windows], [example.scheme])
    return found, found.antecedent_scores[0]


def gold_of(example, found):
    """The entity of each span that was found, by looking for it in the document."""
    entities = {m[:2]: n for n, c in enumerate(example.document.clusters) for m in c}
    return torch.tensor([entities.get(span, -1) for span in bounds_of(example.windows, found)])


@pytest.mark.parametrize("objective", ["ranking", "entity", "margin", "metric"])
def test_a_batch_is_the_mean_of_its_documents(model, documents, objective):
    """Of metrics over documents, of sums over words."""
    settings = {"objective": objective, "costs": (0.5, 1.2, 1.0)}
    each = [loss(model, [document], **settings) for document in documents]
    sizes = [1 if objective == "metric" else document.words for document in documents]
    mean = sum(s * one for s, one in zip(sizes, each, strict=True)) / sum(sizes)
    together = loss(model, documents, **settings)
    assert together.item() == pytest.approx(mean.item(), rel=1e-4)
    assert together.item() != pytest.approx(each[0].item(), rel=1e-3)


@pytest.mark.parametrize("weight", ["mention", "type", "head"])
def test_what_spans_are_adds_up_over_the_documents_of_a_batch(model, documents, weight):
    def added(some):
        return (loss(model, some, **{weight: 1}) - loss(model, some)).item()

    size = sum(document.words for document in documents)
    mean = sum(document.words * added([document]) for document in documents) / size
    assert added(documents) == pytest.approx(mean, rel=1e-3)
    assert mean > 0


def test_ranking_is_the_likelihood_of_the_gold_antecedents(model, documents):
    example = documents[0]
    found, scores = found_spans(model.ranker, example)
    nll = ranking_loss(scores, gold_of(example, found), costs=(0, 0, 0))
    wanted = WORDS * nll.item() / len(example.document.words)
    assert loss(model, [example]).item() == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("metric", ["b_cubed", "lea", "conll"])
@pytest.mark.parametrize("family", ["entity", "pairwise"])
def test_a_metric_is_that_of_the_scores_and_of_all_gold_mentions(model, documents, metric, family):
    example = documents[1]
    found, scores = found_spans(model.ranker, example)
    gold = gold_of(example, found)
    sizes = torch.tensor([len(cluster) for cluster in example.document.clusters])
    assert (gold >= 0).sum() < sizes.sum()  # some were not found
    value = metric_loss(
        scores, gold, metric, family=family, gold_sizes=sizes, singletons="drop", beta=2.0
    )
    settings = {
        "objective": "metric", "metric": metric, "family": family, "beta_squared": 4.0,
    }  # fmt: skip
    got = loss(model, [example], objective_weight=3, **settings).item()
    assert got == pytest.approx(3 * value.item(), rel=1e-5)
    beside = loss(model, [example], objective_weight=3, likelihood=0.5, **settings).item()
    nll = loss(model, [example]).item()
    assert beside == pytest.approx(got + 0.5 * nll, rel=1e-4)


def test_singletons_are_as_likely_as_the_mentions(model):
    [example] = examples(model, made(1), singletons="keep")
    found, scores = found_spans(model.ranker, example)
    chance = found.mention[0].sigmoid()
    value = metric_loss(
        scores,
        gold_of(example, found),
        "b_cubed",
        gold_sizes=torch.tensor([len(c) for c in example.document.clusters]),
        singletons=chance,
    )
    got = loss(model, [example], objective="metric", objective_weight=1)
    assert got.item() == pytest.approx(value.item(), rel=1e-5)


def softplus(x):
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def test_the_mention_loss_is_a_sum_over_all_spans_of_all_sentences(model, documents):
    example, width = documents[0], model.ranker.settings.max_width
    found, _ = found_spans(model.ranker, example)
    document = example.document
    mentions = {m[:2] for cluster in document.clusters for m in cluster}
    total, spans = 0.0, 0
    for number, window in enumerate(example.windows):
        last = window.first + window.size
        for first, end in document.sentence_bounds:
            for start in range(max(first, window.first), min(end, last)):
                for stop in range(start + 1, min(end, last, start + width) + 1):
                    place = np.array([[number, start - window.first, stop - start - 1]])
                    logit = found.logits[found.table.numbers(place)].item()
                    total += softplus(-logit if (start, stop) in mentions else logit)
                    spans += 1
    assert spans > 3 * len(document.words)
    added = loss(model, [example], mention=0.7) - loss(model, [example])
    wanted = 0.7 * WORDS * total / len(document.words)
    assert added.item() == pytest.approx(wanted, rel=1e-4)


def test_types_and_heads_are_learned_from_the_mentions_that_were_found(model, documents):
    example, ranker = documents[0], model.ranker
    found, _ = found_spans(ranker, example)
    marked = example.markables
    known = {tuple(place): at for at, place in enumerate(marked.where.tolist())}
    types = heads = 0.0
    chances = ranker.types(found.vectors).log_softmax(-1)
    places = zip(*(column[found.kept].tolist() for column in found.table[:3]), strict=True)
    for row, place in enumerate(places):
        at = known.get(place)
        if at is not None and marked.types[at] >= 0:
            types -= chances[row, marked.types[at]].item()
        if at is not None and marked.heads[at] >= 0:
            heads -= found.log_attention[row, marked.heads[at]].item()
    assert types > 0
    assert heads > 0
    bare = loss(model, [example])
    scale = WORDS / example.words
    added = loss(model, [example], type=2.0) - bare
    assert added.item() == pytest.approx(2 * types * scale, rel=1e-4)
    added = loss(model, [example], head=2.0) - bare
    assert added.item() == pytest.approx(2 * heads * scale, rel=1e-4)


@pytest.mark.parametrize("objective", ["ranking", "metric"])
def test_gradients_are_what_differences_say(tmp_path, monkeypatch, objective):
    monkeypatch.setattr(
        torch.Tensor, "float", torch.Tensor.double
    )  # where it makes sure of float32
    docs = made(2, mentions=12)
    model = tiny_model(save_encoder(tmp_path, docs), types=TYPES, window=40)
    ranker = model.ranker.double().eval()
    some = examples(model, docs, singletons="keep")
    objective = batch_objective(EncoderConfig(stage="s", objective=objective), 1)
    weights = list(ranker.parameters())
    value = objective(ranker, some)
    assert value.dtype == torch.float64
    gradients = torch.autograd.grad(value, weights, allow_unused=True)
    torch.manual_seed(1)
    way = [torch.randn_like(weight) for weight in weights]
    slope = sum((g * w).sum() for g, w in zip(gradients, way, strict=True) if g is not None)

    def at(step):
        with torch.no_grad():
            torch._foreach_add_(weights, way, alpha=step)
            value = objective(ranker, some)
            torch._foreach_add_(weights, way, alpha=-step)
        return value

    step = 1e-8  # the relu of spans has many kinks
    measured = (at(step) - at(-step)) / (2 * step)
    assert abs(slope) > 0.01
    torch.testing.assert_close(measured, slope, rtol=1e-5, atol=1e-7)
