"""Corpora of a recipe: files, singletons, markables, teachers."""

from __future__ import annotations

import pytest
import torch

from corelax import Clustering, CorelaxError, Document, Span
from corelax.io import write
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.train.encoder.corpora import (
    TrainingCorpus,
    read_documents,
    training_examples,
)
from corelax.train.encoder.evaluate import dev_report, predictions
from corelax.train.encoder.teacher import taught
from tests.train.encoder.tiny_encoder import LETTERS, examples, made, save_encoder, tiny_model

pytestmark = pytest.mark.usefixtures("one_thread")
SETTINGS = EncoderSettings(schemes=("one", "two"), window=50)
WORDS = [["Ann", "fed", "Bob", "and", "her", "dog", "."]]
CLUSTERS = [[(0, 1), (4, 5)], [(2, 3)]]


@pytest.fixture
def root(tmp_path):
    document = Document.from_sentences("d", WORDS, clusters=CLUSTERS)
    write([document], tmp_path / "plain.jsonl")
    more = document.with_clusters(Clustering([[Span(0, 1)], [Span(4, 6)]]))
    write([more], tmp_path / "rich.jsonl")
    write([Document.from_sentences("d", [["It", "rains"]])], tmp_path / "other.jsonl")
    return tmp_path


@pytest.mark.parametrize(("singletons", "entities"), [("drop", [2]), ("keep", [2, 1])])
def test_each_corpus_says_whether_singletons_count(root, singletons, entities):
    corpus = TrainingCorpus(name="c", scheme="two", train=("plain.jsonl",), singletons=singletons)
    [example] = training_examples(corpus, root, LETTERS, SETTINGS)
    assert example.sizes.tolist() == entities
    assert (example.scheme, example.singletons) == (1, singletons == "keep")
    assert len(example.markables.where) == 3


def test_the_format_can_be_named(root):
    (root / "plain.jsonl").rename(root / "plain.data")
    corpus = TrainingCorpus(name="c", scheme="one", train=("plain.data",), format="jsonlines")
    assert len(training_examples(corpus, root, LETTERS, SETTINGS)) == 1


def test_markables_add_mentions_to_learn_from(root):
    corpus = TrainingCorpus(
        name="c", scheme="one", train=("plain.jsonl",), markables=("rich.jsonl",)
    )
    [example] = training_examples(corpus, root, LETTERS, SETTINGS)
    spans = [(start, start + width + 1) for _, start, width in example.markables.where.tolist()]
    assert spans == [(0, 1), (2, 3), (4, 5), (4, 6)]
    assert example.sizes.tolist() == [2]


def test_documents_without_a_free_licence_are_left_out(root):
    (root / "documents.tsv").write_text("document\tlicence\nd\tCC BY 4.0\ne\tCC BY-NC 4.0\n")
    write([Document.from_sentences("e", [["It", "rains"]])], root / "other.jsonl")
    corpus = TrainingCorpus(
        name="c",
        scheme="one",
        train=("plain.jsonl", "other.jsonl"),
        documents="documents.tsv",
        licences=("CC BY 4.0", "CC0"),
    )
    assert [e.document.id for e in training_examples(corpus, root, LETTERS, SETTINGS)] == ["d"]
    with pytest.raises(CorelaxError, match="documents and licences go together"):
        TrainingCorpus(name="c", licences=("CC0",))


def test_markables_of_other_documents_are_an_error(root):
    corpus = TrainingCorpus(
        name="gum", scheme="one", train=("plain.jsonl",), markables=("other.jsonl",)
    )
    with pytest.raises(CorelaxError, match="corpus gum: markables are not of the same documents"):
        training_examples(corpus, root, LETTERS, SETTINGS)


def test_a_scheme_that_the_ranker_does_not_know_is_an_error(root):
    corpus = TrainingCorpus(name="gum", scheme="three", train=("plain.jsonl",))
    with pytest.raises(CorelaxError, match="corpus gum: scheme must be 'one' or 'two'"):
        training_examples(corpus, root, LETTERS, SETTINGS)
    with pytest.raises(CorelaxError, match="corpus gum: singletons must be"):
        TrainingCorpus(name="gum", scheme="one", singletons="some")


def test_mentions_that_are_no_stretch_of_words_are_left_out(tmp_path):
    split = Span(0, 5, parts=((0, 1), (4, 5)))
    clusters = Clustering([[split, Span(2, 3)], [Span(5, 6), Span(2, 3)], [split]])
    document = Document.from_sentences("d", WORDS).with_clusters(clusters)
    write([document], tmp_path / "d.conllu")
    [found] = read_documents(["d.conllu"], tmp_path)
    assert [[m[:2] for m in cluster] for cluster in found.clusters] == [[(2, 3)], [(5, 6)]]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    docs = made(3)
    folder = save_encoder(tmp_path_factory.mktemp("encoder"), docs)
    return tiny_model(folder, schemes=("one", "two"))


@pytest.fixture(scope="module")
def labelled(model):
    """Documents with a teacher that finds something, however wrong: it likes all links."""
    with torch.no_grad():
        model.ranker.antecedents.out.bias += 0.5
        model.ranker.spans.out.bias += 0.5
    return examples(model, made(3), scheme="one")


@pytest.mark.parametrize("keep", [True, False])
def test_a_teacher_says_what_the_entities_are(model, labelled, keep):
    files = ("rich.jsonl",) if keep else ()
    corpus = TrainingCorpus(name="c", scheme="two", teacher="t", markables=files)
    relabelled = taught(labelled, corpus, {"t": model}, model.ranker.settings)
    wanted = list(predictions(model.ranker, labelled, 1))
    assert sum(map(len, wanted)) > 0
    for example, before, entities in zip(relabelled, labelled, wanted, strict=True):
        assert example.document.clusters == entities != before.document.clusters
        assert sorted(example.sizes) == sorted(map(len, entities))
        same = example.markables.where.tolist() == before.markables.where.tolist()
        assert same == keep


def test_scores_are_those_of_the_predictions_without_singletons(model, labelled):
    found = list(predictions(model.ranker, labelled))
    alone = Span(0, 30)  # wider than what is predicted

    def conll(*more, **changes):
        truth = [
            e._replace(document=e.document.with_clusters(Clustering([*c, *more])), **changes)
            for e, c in zip(labelled, found, strict=True)
        ]
        return float(dev_report(model.ranker, truth).conll)

    assert conll() == 1.0
    assert conll([alone]) == 1.0
    assert conll([alone], singletons=True) < 1.0
    assert conll([alone, Span(0, 31)]) < 1.0


def test_predictions_that_are_abandoned_restore_the_mode(tmp_path):
    model = tiny_model(save_encoder(tmp_path, made(2)))
    model.ranker.train()
    found = predictions(model.ranker, examples(model, made(2)))
    next(found)
    assert not model.ranker.training
    found.close()
    assert model.ranker.training
