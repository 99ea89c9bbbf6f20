from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from corelax import Clustering, CorelaxError, Document, Span
from corelax.document import EmptyId
from corelax.text import document_of

TEXT = [["Ann", "saw", "her", "dog"], ["It", "barked"]]


@pytest.fixture
def doc() -> Document:
    return Document.from_sentences(
        "d", TEXT, clusters=[[(0, 1), (2, 3)], [(2, 4), (4, 5)]], layers={"pos": "abcdef"}
    )


def test_a_document_cannot_be_changed(doc: Document) -> None:
    with pytest.raises(FrozenInstanceError):
        doc.words = ()  # type: ignore[misc]
    with pytest.raises(TypeError, match="cannot be changed"):
        doc.layers["pos"] = ()  # type: ignore[index]


def test_a_document_survives_pickling(doc: Document) -> None:
    assert pickle.loads(pickle.dumps(doc)) == doc


def test_a_mention_outside_the_text_is_refused() -> None:
    with pytest.raises(CorelaxError, match=r"mention \(5, 7\) is outside its 6 tokens"):
        Document.from_sentences("d", TEXT, clusters=[[(5, 7)]])


def test_a_layer_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(CorelaxError, match="layer pos has 2 values, the document has 6 tokens"):
        Document.from_sentences("d", TEXT, layers={"pos": "ab"})


def test_text_shows_gaps_and_mentions_of_no_token(doc: Document) -> None:
    assert doc.text(Span(0, 4, parts=((0, 1), (3, 4)))) == "Ann … dog"
    assert doc.text(Span(2, 2, empty=(EmptyId(0, 2, 1),))) == "∅"


def test_a_sentence_must_be_a_list_of_words() -> None:
    with pytest.raises(CorelaxError, match="a sentence is a list of words, not 'Ann ran'"):
        Document.from_sentences("d", ["Ann ran"])


def test_a_mention_of_no_token_is_refused() -> None:
    with pytest.raises(CorelaxError, match="has no token; ends are exclusive"):
        Document.from_sentences("d", TEXT, clusters=[[(0, 0)]])


@pytest.mark.parametrize("starts", [(1,), (0, 4, 2), (0, 7)])
def test_sentences_must_go_upwards_from_the_first_token(starts: tuple[int, ...]) -> None:
    with pytest.raises(CorelaxError, match="sentences must start at 0 and go upwards"):
        Document(id="d", words=("a", "b", "c", "d", "e"), sentence_starts=starts)


def test_the_raw_text_stays_with_a_document_and_does_not_count_in_comparisons() -> None:
    doc = document_of("Ann ran.")
    assert doc.raw_text == "Ann ran."
    assert doc.with_clusters(Clustering([[Span(0, 1)]])).raw_text == "Ann ran."
    assert pickle.loads(pickle.dumps(doc)).raw_text == "Ann ran."
    assert replace(doc, raw_text=None) == doc
    assert hash(replace(doc, raw_text=None)) == hash(doc)
