"""Whole documents in bounded memory: how the work is cut up makes no difference."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from corelax.decode.arrays import dense_scores
from corelax.document import Document
from corelax.rankers.encoder.batches import Item, score_documents
from corelax.rankers.encoder.inputs import encoder_input
from corelax.rankers.encoder.network import memory_bound
from corelax.rankers.encoder.settings import EncoderSettings
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_model, write_encoder

pytestmark = pytest.mark.usefixtures("one_thread")
DOCUMENTS = [
    a_document(STORY, ["Bo", None, "Cy", "Bo", "Bo", None]),
    Document(id="empty", words=()),
    a_document(["Ann saw it ."]),
    a_document(STORY[::-1] * 3),
    a_document(["\0"]),
]
SCHEMES = [0, 1, 1, 0, 0]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_model(write_encoder(tmp_path_factory.mktemp("encoder")), seed=2)


def items(model, documents=DOCUMENTS, schemes=SCHEMES):
    return [
        Item(encoder_input(document, model.tokenizer, 24), scheme)
        for document, scheme in zip(documents, schemes, strict=True)
    ]


@torch.inference_mode()
def scored(model, some, least=-torch.inf, pieces=100):
    return score_documents(model.network, some, least=least, pieces=pieces)


def assert_same(one, other):
    assert one.bounds == other.bounds
    assert np.array_equal(one.head, other.head)
    near = {"atol": 1e-3, "rtol": 1e-3}
    np.testing.assert_allclose(one.logit, other.logit, **near)
    square, theirs = (dense_scores(each.scores, each.antecedents) for each in (one, other))
    np.testing.assert_allclose(square, theirs, **near)


def test_a_document_is_scored_as_in_training(model):
    for item in items(model):
        (one,) = scored(model, [item])
        if not item.windows:
            assert one.scores.shape == (0, 1)
            continue
        with torch.no_grad():
            theirs = model.ranker([item.windows], [item.scheme])
        near = {"atol": 1e-3, "rtol": 1e-3}
        np.testing.assert_allclose(one.logit, theirs.mention[0].numpy(), **near)
        square = theirs.antecedent_scores[0].numpy()
        np.testing.assert_allclose(dense_scores(one.scores, one.antecedents), square, **near)


@pytest.mark.parametrize("pieces", [1, 30, 70, 10_000])
def test_other_documents_and_the_number_of_pieces_make_no_difference(model, pieces):
    together = scored(model, items(model), pieces=pieces)
    assert len(together) == len(DOCUMENTS)
    for item, found in zip(items(model), together, strict=True):
        assert_same(scored(model, [item])[0], found)


def test_spans_that_are_hardly_mentions_are_dropped(model):
    everything = scored(model, items(model))[3]
    logits = everything.logit
    ordered = np.sort(logits)
    at = int(np.diff(ordered).argmax())
    limit = float(ordered[at : at + 2].mean())  # far from any logit
    some = scored(model, items(model), least=limit)[3]
    likely = logits >= limit
    assert int((~likely).sum()) == at + 1
    for name in ("start", "end"):
        assert np.array_equal(getattr(some, name), getattr(everything, name)[likely])


def test_given_mentions_are_the_spans_whatever_their_logits(model):
    given = [(0, 1), (4, 5), (4, 7), (20, 22)]
    item = items(model)[3]._replace(given=given)
    (found,) = scored(model, [item], least=100.0, pieces=30)
    assert found.bounds == given


def test_no_given_mentions_are_no_spans(model):
    (found,) = scored(model, [items(model)[3]._replace(given=[])])
    assert found.bounds == []


def test_nothing_to_score_is_no_problem(model):
    assert scored(model, []) == []


def test_the_bound_on_memory_grows_with_the_words_and_no_faster():
    settings = EncoderSettings()
    network = SimpleNamespace(settings=settings, size=256, heads=12, pieces=4096)

    def bound(words):
        return memory_bound(network, words)

    steps = [bound(words + 100_000) - bound(words) for words in (0, 100_000, 1_000_000)]
    assert steps[0] == steps[1] == steps[2]
    # A word costs at least the vectors of the spans that are kept for it, and less than a page.
    assert settings.span_ratio * settings.span_size * 4 <= steps[0] / 100_000 < 4096
