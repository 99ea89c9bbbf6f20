"""jsonlines: three dialects, and every field survives a round trip."""

import json
from pathlib import Path
from typing import Any

import pytest

from corelax import Clustering, CorelaxError, Document, Span, io
from corelax.document import EmptyId
from corelax.io import jsonlines
from tests.io.io_helpers import save

E2E = {
    "doc_key": "nw/x_0",
    "sentences": [["Ann", "left", "."], ["She", "ran"]],
    "speakers": [["A", "A", "A"], ["-", ""]],
    "clusters": [[[0, 0], [3, 3]], [[0, 2]]],
}
FLAT = {
    "doc_key": "x",
    "tokens": ["Ann", "left", ".", "She", "ran"],
    "clusters": [[[0, 0], [3, 3]], [[0, 2]]],
}
WL_COREF = {
    "document_id": "nw/x",
    "part_id": 2,
    "cased_words": ["Ann", "left", ".", "She", "ran"],
    "sent_id": [0, 0, 0, 1, 1],
    "speaker": ["A", "A", "A", "B", "B"],
    "pos": ["NNP", "VBD", ".", "PRP", "VBD"],
    "deprel": ["nsubj", "root", "punct", "nsubj", "root"],
    "head": [1, None, 1, 4, None],
    "span_clusters": [[[0, 1], [3, 4]], [[0, 3]]],
    "word_clusters": [[0, 3]],
    "head2span": [[0, 0, 1]],
}
CLUSTERS = Clustering([[Span(0, 1), Span(3, 4)], [Span(0, 3)]])


def read_one(folder: Path, fields: dict[str, Any]) -> Document:
    [doc] = io.read(save(folder, json.dumps(fields) + "\n", "a.jsonl"))
    return doc


# Reading


@pytest.mark.parametrize("fields", [E2E, FLAT, WL_COREF], ids=["e2e", "flat", "wl-coref"])
def test_all_dialects_give_half_open_spans(tmp_path: Path, fields: dict[str, Any]) -> None:
    assert read_one(tmp_path, fields).clusters == CLUSTERS


def test_flat_tokens_are_cut_where_the_sentence_number_changes(tmp_path: Path) -> None:
    doc = read_one(tmp_path, {"tokens": ["a", "b", "c"], "sent_id": [7, 9, 9]})
    assert doc.sentences == (("a",), ("b", "c"))


@pytest.mark.parametrize(
    ("fields", "id", "part"),
    [
        ({"doc_key": "x_3"}, "x_3", None),
        ({"doc_key": "x_3", "part_id": 3}, "x", 3),
        ({"document_id": "x", "part_id": 3}, "x", 3),
        ({"document_id": "x", "part_id": 0}, "x", 0),
        ({"doc_id": "x"}, "x", None),
        ({"id": 17}, "17", None),
        ({}, "document_1", None),
    ],
)
def test_a_document_is_named_by_any_of_the_usual_fields(
    tmp_path: Path, fields: dict[str, Any], id: str, part: int | None
) -> None:
    doc = read_one(tmp_path, fields | {"tokens": ["a"]})
    assert (doc.id, doc.part) == (id, part)


def test_speakers_are_read_sentence_by_sentence_and_a_dash_is_nobody(tmp_path: Path) -> None:
    assert read_one(tmp_path, E2E).layers == {"speaker": ("A", "A", "A", None, None)}


def test_wl_coref_layers_have_our_names(tmp_path: Path) -> None:
    assert read_one(tmp_path, WL_COREF).layers == {
        "speaker": ("A", "A", "A", "B", "B"),
        "pos": ("NNP", "VBD", ".", "PRP", "VBD"),
        "relation": ("nsubj", "root", "punct", "nsubj", "root"),
        "head": (1, -1, 1, 4, -1),
    }


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="carriage returns"),
        pytest.param(lambda text: text.rstrip("\n"), id="no final newline"),
        pytest.param(lambda text: text.replace("\n", "\n \n\n"), id="blank lines"),
        pytest.param(lambda text: "\ufeff" + text, id="byte order mark"),
        pytest.param(lambda text: "  " + text, id="blanks in front"),
    ],
)
def test_line_ends_and_blank_lines_do_not_matter(tmp_path: Path, change) -> None:
    text = json.dumps(E2E) + "\n" + json.dumps(FLAT) + "\n"
    assert io.read(save(tmp_path, change(text), "a.jsonl")) == io.read(
        save(tmp_path, text, "b.jsonl")
    )


# Writing


def test_the_e2e_dialect_is_written() -> None:
    doc = Document.from_sentences(
        "x",
        [["Ann", "left"], ["She"]],
        clusters=[[(0, 2), (2, 3)]],
        layers={"speaker": ["A", "A", None], "pos": ["NNP", "VBD", "PRP"]},
    )
    assert json.loads(jsonlines.write(doc)) == {
        "doc_key": "x",
        "sentences": [["Ann", "left"], ["She"]],
        "speakers": [["A", "A"], ["-"]],
        "clusters": [[[0, 1], [2, 2]]],
        "layers": {"pos": ["NNP", "VBD", "PRP"]},
    }


def test_a_document_is_one_line() -> None:
    text = jsonlines.write(Document(id="x", words=("a\nb", "c\u2028d")))
    assert text.count("\n") == 1


def test_a_discontinuous_mention_is_written_as_one_stretch(tmp_path: Path) -> None:
    mention = Span(0, 3, parts=((0, 1), (2, 3)))
    doc = Document(id="d", words=("a", "b", "c"), clusters=Clustering([[mention]]))
    lost = io.write([doc], tmp_path / "a.jsonl")
    assert lost == {"discontinuous mentions (written as one stretch)": 1}
    assert io.read(tmp_path / "a.jsonl")[0].clusters == Clustering([[Span(0, 3)]])


def test_a_zero_pronoun_is_left_out_and_counted(tmp_path: Path) -> None:
    clusters = Clustering([[Span(0, 0, empty=(EmptyId(0, 0, 1),)), Span(0, 1)]])
    lost = io.write([Document(id="d", words=("a",), clusters=clusters)], tmp_path / "a.jsonl")
    assert lost == {"mentions of no token (left out)": 1}
    assert io.read(tmp_path / "a.jsonl")[0].clusters == Clustering([[Span(0, 1)]])


# Round trips


SAMPLES = {
    "e2e": E2E,
    "flat": FLAT,
    "wl-coref": WL_COREF,
    "unknown fields": E2E | {"genre": "nw", "n": {"a": [1, None, 0.5]}, "id": 7},
    "part is no number": E2E | {"part_id": "x"},
    "no words": {"doc_key": "d", "sentences": []},
    "empty sentences": {"doc_key": "d", "sentences": [[], ["a"], []], "clusters": [[[0, 0]]]},
    "no tokens": {"doc_key": "d", "tokens": []},
    "an empty word": {"doc_key": "d", "tokens": ["", " ", "\t"]},
    "no speakers": E2E | {"speakers": []},
    "layers": FLAT | {"layers": {"pos": ["A", None, "B", "C", "D"], "offsets": [[0, 1]] * 5}},
    "words twice": FLAT | {"sentences": [["Ann", "left", ".", "She", "ran"]]},
    "two names": {"doc_key": "x", "document_id": "y", "id": 3, "tokens": ["a"]},
    "name with its part": {"doc_key": "x_1", "part_id": 1, "tokens": ["a"]},
    "a part but no name": {"part_id": 2, "tokens": ["a"]},
    "name with another part": {"doc_key": "x_1", "part_id": 2, "tokens": ["a"]},
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_read_and_written_reads_the_same(tmp_path: Path, name: str) -> None:
    doc = read_one(tmp_path, SAMPLES[name])
    assert not io.write([doc], tmp_path / "b.jsonl")
    assert io.read(tmp_path / "b.jsonl") == [doc]


def test_a_predicted_cluster_never_hides_behind_a_gold_one(tmp_path: Path) -> None:
    line = '{"doc_key": "d", "tokens": ["a"], "clusters": [], "predicted_clusters": [[[0, 0]]]}'
    with pytest.raises(CorelaxError, match="clusters and predicted_clusters are both there"):
        io.read(save(tmp_path, line, "a.jsonl"))


@pytest.mark.parametrize("field", ["doc_key", "clusters", "other", "layers"])
@pytest.mark.parametrize("depth", [101, 900, 985, 990, 995])
def test_values_that_are_nested_deeply_are_refused(tmp_path: Path, field: str, depth: int) -> None:
    nested = "[" * depth + "]" * depth
    fields = {"doc_key": '"d"', "sentences": '[["a"]]', field: nested}
    if field == "layers":
        fields["layers"] = f'{{"own": [{nested}]}}'
    line = "{" + ", ".join(f'"{name}": {value}' for name, value in fields.items()) + "}\n"
    path = save(tmp_path, line, "a.jsonl")
    with pytest.raises(CorelaxError, match=r"a\.jsonl:1: "):
        io.read(path)
    assert io.validate(path).errors


def test_values_of_the_greatest_depth_are_kept(tmp_path: Path) -> None:
    nested = "[" * 100 + "1" + "]" * 100
    path = save(tmp_path, f'{{"tokens": ["a"], "clusters": [], "other": {nested}}}\n', "a.jsonl")
    docs = io.read(path)
    assert not io.write(docs, path)
    assert io.read(path) == docs
