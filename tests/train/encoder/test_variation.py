"""Documents as epochs meet them: cut into a few sentences, men and women exchanged."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax import Document
from corelax.english.exchanged import swapped
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.examples import make_example
from corelax.train.encoder.variation import cuts, varied
from tests.train.encoder.test_examples import documents, example_of
from tests.train.encoder.tiny_encoder import LETTERS


def draws(seed):
    rng = random.Random(seed)
    return lambda below: rng.randrange(below)


def mentions(example, document):
    """The texts of its mentions with their entities."""
    for (window, start, width), entity in zip(example.where, example.entity, strict=True):
        first = example.windows[window].first + start
        yield document.words[first : first + width + 1], int(entity)


@given(documents(), st.integers(0, 99))
def test_cuts_are_the_document_in_pieces_of_whole_sentences(document, seed):
    example = example_of(document, singletons=True)
    pieces = cuts(example, draws(seed))
    assert [p.windows[0].first for p in pieces] == sorted(p.windows[0].first for p in pieces)
    assert sum(piece.words for piece in pieces) == len(document.words)
    read = [p for piece in pieces for p in piece.windows[0].pieces[1:-1].tolist()]
    whole = [p for window in example.windows for p in window.pieces[1:-1].tolist()]
    assert read == whole
    together = [m for piece in pieces for m in mentions(piece, document)]
    assert sorted(together) == sorted(mentions(example, document))
    for piece in pieces:
        [window] = piece.windows
        assert window.pieces[0] == LETTERS.tokenizer.cls_token_id
        assert len(set(window.layers[:, 0].tolist())) <= 5
        assert piece.sizes.sum() == len(piece.entity)


def test_a_cut_begins_with_who_speaks():
    sentences = [["a"], ["b"], ["c"], ["d"]]
    document = Document.from_sentences("d", sentences, layers={"speaker": ["Bo", "Bo", "Al", None]})
    example = make_example(document, LETTERS, scheme=0, window=99, max_width=4)
    first, second, third, last = cuts(example, lambda _: 0)
    read = ["".join(map(chr, p.windows[0].pieces[1:-1])) for p in (first, second, third, last)]
    assert read == ["Bo:a", "Bo:b", "Al:c", "d"]
    assert second.windows[0].owners.tolist() == [-1, -1, -1, -1, 0, -1]


@pytest.mark.parametrize(("share", "some"), [(0.0, {1}), (1.0, {2, 3, 4, 5, 6, 7, 8})])
def test_all_documents_of_a_step_are_cut_or_none(share, some):
    document = Document.from_sentences("d", [["a"]] * 8)
    example = make_example(document, LETTERS, scheme=0, window=99, max_width=4)
    config = EncoderConfig(stage="s", cuts=share)
    for seed in range(20):
        assert len(varied([example], config, draws(seed))) in some


def test_a_twin_is_taken_as_often_as_asked():
    document = Document.from_sentences("d", [["he"]])
    example = make_example(document, LETTERS, scheme=0, window=99, max_width=4)
    twin = make_example(swapped(document), LETTERS, scheme=0, window=99, max_width=4)
    example = example._replace(twin=twin)
    for share in (0.0, 1.0):
        config = EncoderConfig(stage="s", swaps=share)
        [found] = varied([example], config, draws(1))
        assert found.document.words == (("she",) if share else ("he",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He gave his book to her .", "She gave her book to him ."),
        ("Her brother saw her with his wife .", "His sister saw him with her husband ."),
        ("The actress thanked the waiter .", "The actor thanked the waitress ."),
        ("Mr. Bennet and his daughters", "Mrs. Bennet and her sons"),
        ("HE is a king and she is not", "SHE is a queen and he is not"),
        ("The book is his .", "The book is hers ."),
    ],
)
def test_men_become_women_and_women_men(text, expected):
    document = Document.from_sentences("d", [text.split()])
    assert " ".join(swapped(document).words) == expected


def test_part_of_speech_tells_the_two_kinds_of_her_apart():
    words = ["I", "saw", "her", "duck"]
    for tag, expected in (("PRP", "him"), ("PRP$", "his")):
        layers = {"pos": ["PRP", "VBD", tag, "NN"]}
        document = Document.from_sentences("d", [words], layers=layers)
        assert swapped(document).words[2] == expected


def test_first_names_are_exchanged_for_one_name_each_of_the_other_gender():
    words = "John met Mary . John Smith and Mary left ; Mr. Henry and Henry stayed .".split()
    document = Document.from_sentences("d", [words], clusters=[[(0, 1), (4, 6)], [(2, 3), (7, 8)]])
    new = swapped(document)
    assert new.clusters == document.clusters
    assert new.words[0] == new.words[4] != "John"
    assert new.words[2] == new.words[7] != "Mary"
    assert new.words[5] == "Smith"
    assert new.words[11] == new.words[13] == "Henry"  # behind a title it is a surname
    assert swapped(document) == new  # the same each time
