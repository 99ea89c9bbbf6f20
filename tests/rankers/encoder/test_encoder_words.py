"""What a ranker is told of words: who speaks, in which turn or quote, how words are written."""

import numpy as np
import pytest
from hypothesis import strategies as st

from corelax.document import Document
from corelax.english.words import PERSONS, SHAPES
from corelax.rankers.encoder.features import LAYERS, LONGEST_QUOTE, word_layers
from corelax.rankers.encoder.inputs import encoder_input
from corelax.rankers.encoder.tokenizer import WordPieces


class Ordinals:
    """Cuts words into letters."""

    cls_token_id, sep_token_id, unk_token_id = 1, 2, 3

    def __call__(self, words, **_):
        return {"input_ids": [[ord(letter) for letter in word] for word in words]}


PIECES = WordPieces(Ordinals())


def layer(document, name):
    return word_layers(document)[:, LAYERS.index(name)].tolist()


def spoken(*turns):
    """A document of (speaker, sentence)."""
    sentences = [sentence.split() for _, sentence in turns]
    speakers = [s for (s, _), words in zip(turns, sentences, strict=True) for _ in words]
    return Document.from_sentences("d", sentences, layers={"speaker": speakers})


def read(window):
    """What the encoder reads, marks as < and >."""
    return "".join({1: "<", 2: ">"}.get(piece, chr(piece)) for piece in window.pieces.tolist())


def test_turns_are_numbered_where_the_speaker_changes():
    document = spoken(
        ("Ann", "hi Bo"), ("Ann", "yes"), ("Bo", "no"), (None, "silence"), ("Ann", "ok")
    )
    assert layer(document, "speaker") == [1, 1, 1, 2, 0, 1]
    assert layer(document, "turn") == [1, 1, 1, 2, 0, 3]


@pytest.mark.parametrize("marks", ["“ ”", "`` ''", '" "'])
def test_quotes_are_turns_of_nobody_in_particular(marks):
    opening, closing = marks.split()
    words = ["She", "said", opening, "I", closing, "and", opening, "you", closing, "."]
    document = Document.from_sentences("d", [words])
    assert layer(document, "turn") == [0, 0, 1, 1, 1, 0, 2, 2, 2, 0]
    assert layer(document, "speaker") == [0] * 10


def test_a_quote_that_is_never_closed_ends_somewhere():
    document = Document.from_sentences("d", [["“", *["word"] * (LONGEST_QUOTE + 100)]])
    turns = layer(document, "turn")
    assert turns[0] == 1
    assert turns[-1] == 0


def test_pronouns_and_capitals_are_known():
    document = Document.from_sentences(
        "d", [["The", "NATO", "told", "HER", "that", "Ann", "is", "I"]]
    )
    shapes = [SHAPES[number] for number in layer(document, "shape")]
    assert shapes == [
        *("first of a sentence", "capitals", "lower", "capitals", "lower", "capital", "lower"),
        "capital",
    ]
    persons = [PERSONS[number] for number in layer(document, "person")]
    assert persons == ["none", "none", "none", "she", "none", "none", "none", "i"]


def test_the_encoder_reads_who_speaks_before_each_turn_and_each_window():
    document = spoken(("AnnLee", "hi Bo"), ("Bo", "hi"), (None, "x"))
    [window] = encoder_input(document, PIECES, 100)
    assert read(window) == "<AnnLee:hiBoBo:hix>"
    words = [window.pieces[window.owners == word] for word in range(4)]
    assert ["".join(map(chr, word)) for word in words] == ["hi", "Bo", "hi", "x"]
    first, second = encoder_input(spoken(("Bo", "aa bb cc"), ("Bo", "dd ee ff")), PIECES, 16)[:2]
    assert read(first).startswith("<Bo:a")
    assert read(second).startswith("<Bo:")


@pytest.mark.parametrize("window", [3, 8, 20, 40])
def test_windows_stay_within_their_size_whatever_speakers_are_called(window):
    long = "A" * 30
    document = spoken((long, "one two three"), ("Bo", "four"), (long, "five six " * 9))
    windows = encoder_input(document, PIECES, window)
    assert max(len(w.pieces) for w in windows) <= window
    assert sum(w.size for w in windows) == len(document.words)
    assert np.concatenate([np.unique(w.owners[w.owners >= 0]) for w in windows]).size == sum(
        w.size for w in windows
    )


STRETCH = st.tuples(
    st.sampled_from(["“", "”", "``", "''", '"', "word"]),
    st.sampled_from([None, None, None, "Ann", "Bo"]),
    st.sampled_from(
        [0, 1, 2, 5, LONGEST_QUOTE - 1, LONGEST_QUOTE, LONGEST_QUOTE + 1, LONGEST_QUOTE + 2]
    ),
)
