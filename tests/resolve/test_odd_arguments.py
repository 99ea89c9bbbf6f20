"""Arguments of the wrong kind: one line that names the argument, never an error of another library."""

import re

import pytest
import torch

from corelax import CorelaxError, Document, Span
from corelax.rankers.encoder.folder import new_ranker
from corelax.resolve import Resolver
from tests.rankers.encoder.encoder_models import SETTINGS, write_encoder

TEXT = "Ann saw the old man. She barked."
MENTIONS = [(0, 3), (21, 24)]
DOCUMENT = Document.from_sentences("d", [["Ann", "saw", "her"]])


@pytest.fixture(scope="module")
def resolver(tmp_path_factory):
    torch.manual_seed(0)
    model = new_ranker(write_encoder(tmp_path_factory.mktemp("encoder")), SETTINGS)
    model.ranker.eval()
    return Resolver(model)


@pytest.mark.parametrize(
    "options",
    [
        {"mentions": 5},
        {"mentions": "0 3"},
        {"mentions": [None]},
        {"speakers": 5},
        {"speakers": [(0, 12, ["Ann"])]},
        {"must_link": None},
        {"mentions": MENTIONS, "must_link": 5},
        {"mentions": MENTIONS, "must_link": None},
        {"mentions": MENTIONS, "cannot_link": [1]},
    ],
)
def test_options_of_another_kind_are_told_by_name(resolver, options):
    with pytest.raises(CorelaxError, match=list(options)[-1].removesuffix("s")):
        resolver.resolve(TEXT, **options)


def test_mentions_and_pairs_may_come_one_by_one(resolver):
    listed = resolver.resolve(TEXT, mentions=MENTIONS, must_link=[(0, 1)])
    one_by_one = resolver.resolve(TEXT, mentions=iter(MENTIONS), must_link=iter([(0, 1)]))
    assert str(one_by_one) == str(listed)
    assert len(listed.entities) == 1


@pytest.mark.parametrize("texts", [5, None])
def test_texts_that_are_no_list_are_an_error(resolver, texts):
    with pytest.raises(CorelaxError, match="texts must be a list or another iterable"):
        list(resolver.pipe(texts))


@pytest.mark.parametrize("text", [("a",), ("a", [], "c"), ("a", 5), b"a", ["a", None], None])
def test_a_text_of_another_kind_among_many_is_an_error(resolver, text):
    with pytest.raises(CorelaxError):
        list(resolver.pipe([text]))


@pytest.mark.parametrize("mentions", [5, [(0, 1)], [None], "ab"])
def test_given_mentions_of_a_document_are_spans(resolver, mentions):
    with pytest.raises(CorelaxError, match="mentions"):
        resolver.resolve_mentions(DOCUMENT, mentions)


def test_mentions_are_given_for_documents_alone(resolver):
    with pytest.raises(CorelaxError, match="document must be a Document, not str"):
        resolver.resolve_mentions(TEXT, [Span(0, 1)])


@pytest.mark.parametrize("model", [5, b"small"])
def test_a_model_is_a_name_or_a_folder(model):
    with pytest.raises(CorelaxError, match="a model is a name or a folder"):
        Resolver.from_pretrained(model)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"words": (1, 2)}, "words must be a tuple of str"),
        ({"words": ("Ann", None)}, "words must be a tuple of str"),
        ({"words": "Ann"}, "words must be a tuple of str"),
        ({"words": 5}, "words must be a tuple of str"),
        ({"id": 5}, "document 5: its id must be a str"),
        ({"layers": {"pos": 5}}, "layers must be tuples by name"),
        ({"layers": 5}, "layers must be tuples by name"),
        ({"sentence_starts": ("0",)}, "sentence_starts must be a tuple of whole numbers"),
        ({"clusters": [[(0, 1)]]}, "clusters must be a Clustering of Span"),
    ],
)
def test_documents_of_other_kinds_are_refused_before_they_are_resolved(arguments, told):
    with pytest.raises(CorelaxError, match=re.escape(told)):
        Document(**{"id": "d", "words": ("Ann",)} | arguments)


@pytest.mark.parametrize("speaker", [["Ann"], 5])
def test_speakers_of_a_document_that_are_no_names_are_an_error(resolver, speaker):
    with pytest.raises(CorelaxError, match="document d: speakers must be names, or None"):
        resolver.resolve(Document(id="d", words=("Ann",), layers={"speaker": (speaker,)}))


@pytest.mark.parametrize("clusters", [[[5]], [[(0, 1, 2)]], [[("a", "b")]]])
def test_mentions_that_are_no_pairs_are_refused(clusters):
    with pytest.raises(CorelaxError, match="is not a pair of whole numbers"):
        Document.from_sentences("d", [["Ann"]], clusters=clusters)


# Texts that were finished before an error.


@pytest.mark.parametrize("batch_size", [1, 2, 3, 8])
def test_texts_before_an_error_are_resolved(resolver, batch_size):
    def failing():
        yield from [TEXT] * 5
        raise KeyError("the source")

    resolved = []
    with pytest.raises(KeyError, match="the source"):
        resolved.extend(resolver.pipe(failing(), batch_size=batch_size))
    assert len(resolved) == 5
    resolved.clear()
    with pytest.raises(CorelaxError, match="a text is a str, not int"):
        resolved.extend(resolver.pipe([TEXT, TEXT, 5, TEXT], batch_size=batch_size))
    assert len(resolved) == 2
