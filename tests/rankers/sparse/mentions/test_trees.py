"""Bracket pieces of parses and names."""

from __future__ import annotations

import pytest

from corelax import CorelaxError, Document
from corelax.rankers.sparse.mentions.analysis import Chunk, name_chunks, name_types
from corelax.rankers.sparse.mentions.constituency import Trees, read_trees


def trees(*sentences: str) -> Trees:
    """`TAG:piece TAG:piece`, a string for each sentence. The words are the tags."""
    cells = [[cell.split(":", 1) for cell in sentence.split()] for sentence in sentences]
    tags = [tag for sentence in cells for tag, _ in sentence]
    pieces = [piece or None for sentence in cells for _, piece in sentence]
    words = [[tag.lower() for tag, _ in sentence] for sentence in cells]
    doc = Document.from_sentences("nw/x", words, part=3, layers={"parse": pieces})
    return read_trees(doc, tags)


def test_heads_govern_the_heads_of_their_sisters() -> None:
    found = trees("DT:(TOP(S(NP* NN:*) VBD:(VP* PRP:(NP*)))) .:*")
    # The full stop is outside the tree: an unlabelled root is headed by its last child.
    assert found.governors == [1, 2, 4, 2, -1]
    assert found.phrases == [(0, 2), (3, 4)]


def test_a_one_token_sentence_is_a_root() -> None:
    assert trees("NN:(TOP(NP*))") == Trees([-1], [(0, 1)])
    assert trees("NN:*") == Trees([-1], [])


def test_an_auxiliary_governs_the_subject_and_a_verb_its_object() -> None:
    #                Ann            will    buy       cars
    found = trees("NNP:(TOP(S(NP*) MD:(VP* VB:(VP* NNS:(NP*)))))")
    assert found.governors == [1, -1, 1, 2]


def test_a_possessive_mark_is_governed_by_the_name() -> None:
    #                Anna         Reed  's      sister
    found = trees("NNP:(TOP(NP(NP* NNP:* POS:*) NN:*))")
    assert found.governors == [1, 3, 1, -1]


def test_only_exact_labels_are_noun_phrases() -> None:
    found = trees("NN:(TOP(S(NP-SBJ*) VBD:(VP* NN:(NP*))))")
    assert found.phrases == [(2, 3)]
    assert found.governors == [1, -1, 1]
    assert trees("NN:(TOP(NML*))").phrases == []


def test_two_trees_of_a_sentence_are_one_with_a_root_headed_by_the_second() -> None:
    found = trees("NN:(S(NP*) VBD:(VP*)) NN:(S(NP*) VBD:(VP*))")
    assert found.governors == [1, 3, 3, -1]
    assert found.phrases == [(0, 1), (2, 3)]


def test_sentences_have_trees_of_their_own() -> None:
    found = trees("NN:(S(NP*) VBD:(VP*))", "NN:(S(NP*) VBD:(VP*))")
    assert found.governors == [1, -1, 3, -1]


def test_a_sentence_without_brackets_is_headed_by_its_last_token() -> None:
    assert trees("NN: VBD: RB:").governors == [2, 2, -1]


def test_every_token_but_one_has_a_governor_in_its_sentence() -> None:
    found = trees("DT:(TOP(S(NP(NP* NN:*) IN:(PP* NN:(NP*))) VBD:(VP* RB:(ADVP*)) .:*))")
    assert found.governors == [1, 4, 1, 2, -1, 4, 4]


@pytest.mark.parametrize(
    "sentence",
    [
        "NN:(TOP(NP* VBD:(VP*)",  # never closed
        "NN:(TOP(NP*)) VBD:*)",  # closed once too often
        "NN:NP* VBD:*",  # no bracket
        "NN:(NP VBD:*)",  # no word
        "NN:(NP*)x VBD:*",
    ],
)
def test_brackets_that_do_not_match_are_an_error_with_document_and_sentence(sentence: str) -> None:
    with pytest.raises(CorelaxError, match=r"document nw/x_3, sentence 2: ") as caught:
        trees("NN:(TOP(NP*))", sentence)
    assert "\n" not in str(caught.value)


# Names


def chunks(*sentences: str) -> list[Chunk]:
    pieces = [sentence.split() for sentence in sentences]
    layer = [piece for sentence in pieces for piece in sentence]
    return name_chunks(Document.from_sentences("d", pieces, layers={"ner": layer}))


def test_one_token_is_written_in_two_ways() -> None:
    assert chunks("(GPE) * (GPE*)") == [Chunk(0, 1, "GPE"), Chunk(2, 3, "GPE")]


def test_a_name_of_several_tokens() -> None:
    assert chunks("* (WORK_OF_ART* * *) *") == [Chunk(1, 4, "WORK_OF_ART")]


def test_a_name_ends_with_its_sentence_at_the_latest() -> None:
    assert chunks("(ORG* *", "*) (GPE)") == [Chunk(3, 4, "GPE")]


def test_types_by_token() -> None:
    assert name_types(4, [Chunk(1, 3, "ORG")]) == ("O", "ORG", "ORG", "O")
