"""The windows that an encoder reads: every word once, whole sentences where they fit."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.rankers.encoder.inputs import LAYERS, encoder_input
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.tokenizer import WordPieces
from tests.rankers.encoder.encoder_models import VOCABULARY, a_document, transformers, write_encoder

enough = settings(deadline=None, max_examples=60)
# Known, cut into letters, unknown signs, without any piece, longer than small windows.
A_WORD = st.sampled_from(
    ["dog", "Ann", "zq", "qzx", "犬", "\0", "\u200b", "\ud800", "zzzzzzz", "z" * 99, "."]
)
SENTENCES = st.lists(st.lists(A_WORD, max_size=7), max_size=6)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    folder = write_encoder(tmp_path_factory.mktemp("encoder"))
    return WordPieces(transformers.AutoTokenizer.from_pretrained(folder))


def pieces_of(word):
    """By hand: the longest known piece first, as WordPiece cuts; all but known words are letters here."""
    word = word.lower()
    if word in VOCABULARY:
        return [VOCABULARY.index(word)]
    if word.isascii() and word.isalpha():
        return [VOCABULARY.index(w) for w in (word[0], *(f"##{letter}" for letter in word[1:]))]
    return [VOCABULARY.index("?" if word == "\ud800" else "[UNK]")]


def sentence_of(document):
    return [number for number, s in enumerate(document.sentences) for _ in s]


@given(sentences=SENTENCES, window=st.integers(3, 20))
@enough
def test_windows_hold_every_word_once_in_order(tokenizer, sentences, window):
    document = Document.from_sentences("d", sentences)
    found = encoder_input(document, tokenizer, window)
    words = [one.first + at for one in found for at in range(one.size)]
    assert words == list(range(len(document.words)))
    assert all(one.size for one in found)


@given(sentences=SENTENCES, window=st.integers(3, 20))
@enough
def test_pieces_are_those_of_the_words_between_two_marks_and_as_many_as_there_is_room_for(
    tokenizer, sentences, window
):
    document = Document.from_sentences("d", sentences)
    for one in encoder_input(document, tokenizer, window):
        assert len(one.pieces) == len(one.owners) <= window
        assert (one.pieces[0], one.pieces[-1]) == tuple(map(VOCABULARY.index, ("[CLS]", "[SEP]")))
        assert (one.owners[0], one.owners[-1]) == (-1, -1)
        for at in range(one.size):
            expected = pieces_of(document.words[one.first + at])[: window - 2]
            assert one.pieces[one.owners == at].tolist() == expected
        assert (np.diff(one.owners[1:-1]) >= 0).all()


@given(sentences=SENTENCES, window=st.integers(3, 20))
@enough
def test_only_a_sentence_that_does_not_fit_alone_is_cut(tokenizer, sentences, window):
    document = Document.from_sentences("d", sentences)
    sizes = [min(len(pieces_of(word)), window - 2) for word in document.words]
    for one in encoder_input(document, tokenizer, window):
        start, end = next((s, e) for s, e in document.sentence_bounds if s <= one.first < e)
        assert start == one.first or sum(sizes[start:end]) > window - 2


@given(sentences=SENTENCES, window=st.integers(3, 20))
@enough
def test_a_window_ends_where_the_next_sentence_or_word_does_not_fit(tokenizer, sentences, window):
    document = Document.from_sentences("d", sentences)
    sizes = [min(len(pieces_of(word)), window - 2) for word in document.words]
    ends = {start: end for start, end in document.sentence_bounds if start < end}
    for one, following in pairwise(encoder_input(document, tokenizer, window)):
        next_end = ends.get(following.first, following.first + 1)
        assert sum(sizes[one.first : next_end]) > window - 2


@given(sentences=SENTENCES)
@enough
def test_layers_say_sentence_and_word_wherever_the_word_stands(tokenizer, sentences):
    document = Document.from_sentences("d", sentences)
    found = encoder_input(document, tokenizer, 6)
    rows = [row for one in found for row in one.layers.tolist()]
    assert [row[LAYERS.index("sentence")] for row in rows] == sentence_of(document)
    hashes = [row[LAYERS.index("hash")] for row in rows]
    lowered = [word.lower() for word in document.words]
    for word, its in zip(lowered, hashes, strict=True):
        assert [h == its for h in hashes] == [other == word for other in lowered]


def test_speakers_are_numbered_and_nobody_is_zero(tokenizer):
    speakers = ["Ann", None, "Bo", "-", "Ann", ""]
    document = a_document(["hi"] * 6, speakers)
    found = encoder_input(document, tokenizer, 4)
    column = LAYERS.index("speaker")
    assert [int(one.layers[0, column]) for one in found] == [1, 0, 2, 0, 1, 0]


def test_a_document_without_words_has_no_windows(tokenizer):
    assert encoder_input(Document(id="d", words=()), tokenizer, 10) == ()


def test_words_are_remembered_but_not_without_end(tokenizer):
    words = "Ann saw the old man and the dog saw Ann".split()
    small = WordPieces(tokenizer.tokenizer, most_words=3)
    assert [small.of([word]) for word in words] == [[pieces_of(word)] for word in words]
    assert small.of(words) == [pieces_of(word) for word in words]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"window": 2}, "window must be finite and at least 3"),
        ({"window": 10.5}, "window must be a whole number"),
        ({"max_width": 0}, "max_width must be"),
        ({"schemes": ()}, "schemes must be different names"),
        ({"schemes": ("a", "a")}, "schemes must be different names"),
        ({"schemes": ("a", 7)}, "schemes must be a tuple of words"),
        ({"schemes": "abc"}, "schemes must be a tuple of words"),
        ({"dropout": 1.0}, "dropout must be"),
        ({"span_ratio": -1}, "span_ratio must be"),
    ],
)
def test_settings_that_make_no_sense_are_an_error(changes, message):
    with pytest.raises(CorelaxError, match=message):
        EncoderSettings(**changes)
