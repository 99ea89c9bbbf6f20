"""`corelax features`: one JSON object a document, or one line of complaint."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from corelax import io
from corelax.rankers.sparse.features.extract import describe, fit
from corelax.rankers.sparse.features.rows import feature_names, feature_rows
from corelax.rankers.sparse.features.settings import FEATURE_SETS
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.mentions.lexicons import load_lexicons
from tests.command_server import Done, server
from tests.rankers.sparse.features.feature_documents import ID, worked_example_columns


@pytest.fixture(autouse=True)
def without_lexicons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORELAX_LEXICONS", "none")


def run(*arguments: object, stdin: str = "") -> Done:
    return server().run("features", *arguments, stdin=stdin)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two parts of a document."""
    path = tmp_path / "demo.conll"
    columns = worked_example_columns()
    path.write_text(columns + columns.replace("part 000", "part 001").replace("Oslo", "Rome"))
    return path


def expected(file: Path, preset: str, cutoff: int, *, pairs: bool) -> list[dict[str, object]]:
    settings = replace(FEATURE_SETS[preset], lexical_cutoff=cutoff)
    words = load_lexicons("none")
    documents = [describe(doc, settings, words, lambda _: None) for doc in io.read(file)]
    vocabulary, tables = fit(documents, settings, words)
    return [feature_names(rows, vocabulary, pairs=pairs) for rows in tables]


def test_one_object_a_document_with_names_of_features(file: Path) -> None:
    done = run(file)
    assert done.code == 0
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [(line["doc"], line["part"]) for line in lines] == [(ID, 0), (ID, 1)]
    for line in lines:
        assert set(line) == {"doc", "part", "mentions", "phi_a"}
        assert line["mentions"][:3] == [[0, 2], [0, 9], [3, 8]]
        assert len(line["phi_a"]) == len(line["mentions"]) == 10
        templates = [name.split("=", 1)[0] for name in line["phi_a"][0]]
        assert templates == FEATURE_SETS["lt17"].mention_templates


@pytest.mark.parametrize("preset", FEATURE_SETS)
def test_all_pairs_are_those_of_the_library(file: Path, preset: str) -> None:
    done = run(file, "--pairs", "all", "--features", preset, "--cutoff", 2)
    assert done.code == 0
    found = [json.loads(line) for line in done.out.splitlines()]
    for line in found:
        del line["doc"], line["part"]
    assert found == expected(file, preset, 2, pairs=True)
    assert len(found[0]["pairs"]) == 45


def test_words_are_counted_in_the_training_file(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.conll"
    other.write_text(worked_example_columns().replace("Reed", "Lee"))
    done = run(other, "--train", file, "--cutoff", 2)
    [line] = map(json.loads, done.out.splitlines())
    assert line["phi_a"][0][3] == "head=NNP"  # "lee" is not known, "reed" is
    [line] = map(json.loads, run(other, "--cutoff", 2).out.splitlines())
    assert line["phi_a"][0][3] == "head=lee"


@pytest.mark.parametrize("preset", FEATURE_SETS)
def test_values_that_training_did_not_have_can_be_shown(
    file: Path, tmp_path: Path, preset: str
) -> None:
    other = tmp_path / "other.conll"
    other.write_text(worked_example_columns().replace("bc/", "zz/").replace("\tit\t", "\tShe\t"))
    done = run(other, "--train", file, "--pairs", "all", "--features", preset)
    assert (done.code, "Traceback" in done.err) == (0, False)
    assert len(json.loads(done.out)["pairs"]) == 45


def test_mentions_can_be_those_of_the_annotation_or_of_a_file(file: Path, tmp_path: Path) -> None:
    annotated = [[0, 2], [0, 9], [10, 11], [10, 13], [14, 15], [16, 19], [21, 22]]
    for line in run(file, "--mentions", "gold").out.splitlines():
        assert json.loads(line)["mentions"] == annotated
    other = tmp_path / "mentions.conll"
    columns = worked_example_columns().replace("(4\n", "-\n").replace("4)\n", "-\n")
    other.write_text(columns + columns.replace("part 000", "part 001"))
    for line in run(file, "--mentions", other).out.splitlines():
        assert json.loads(line)["mentions"] == [span for span in annotated if span != [16, 19]]


def test_a_file_can_be_written_and_packed(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "features.jsonl.gz"
    done = run(file, "-o", target)
    assert (done.code, done.out) == (0, "")
    with gzip.open(target, "rt", encoding="utf-8") as packed:
        assert packed.read() == run(file).out


def test_documents_may_come_from_standard_input(file: Path) -> None:
    assert run("-", stdin=file.read_text()).out == run(file).out


def error_of(done: Done) -> str:
    """The complaint: one line, after what the command says about word lists."""
    assert done.code == 1
    assert done.out == ""
    lines = [line for line in done.err.splitlines() if not line.startswith("word lists:")]
    assert len(lines) == 1
    return lines[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [("(TOP(S(NP*)", "(TOP(S(NP*"), ("(2|(1)", "(2|(1"), ("#end document\n", "")],
)
def test_a_bad_file_is_exit_code_1_and_one_line_and_nothing_is_written(
    file: Path, tmp_path: Path, old: str, new: str
) -> None:
    broken, target = tmp_path / "broken.conll", tmp_path / "out.jsonl"
    broken.write_text(worked_example_columns().replace(old, new))
    target.write_text("as before\n")
    for arguments in ((broken,), (broken, "--train", file)):
        message = error_of(run(*arguments, "-o", target))
        assert str(broken) in message or ID in message
        assert target.read_text() == "as before\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "broken.conll",
        "demo.conll",
        "out.jsonl",
    ]


def test_a_wrong_feature_set_lists_the_right_ones(file: Path) -> None:
    done = run(file, "--features", "lt18")
    assert done.code == 2
    assert all(preset in done.err for preset in FEATURE_SETS)


def test_words_alone_need_given_mentions(tmp_path: Path) -> None:
    bare = tmp_path / "bare.jsonl"
    content = {"doc_key": "x", "sentences": [["Ann", "slept"]], "clusters": [[[0, 0]]]}
    bare.write_text(json.dumps(content) + "\n")
    assert "gold" in error_of(run(bare))
    done = run(bare, "--mentions", "gold")
    assert json.loads(done.out)["mentions"] == [[0, 1]]


def test_a_document_without_mentions_is_an_empty_object(file: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.conll"
    row = "nw/x\t0\t0\tran\tVBD\t(TOP(VP*))\t-\t-\t-\t-\t*\t-"
    empty.write_text(f"#begin document (nw/x); part 000\n{row}\n\n#end document\n")
    done = run(empty, "--train", file, "--pairs", "all")
    assert done.code == 0
    assert json.loads(done.out) == {
        "doc": "nw/x",
        "part": 0,
        "mentions": [],
        "phi_a": [],
        "pairs": {},
    }


def test_a_negative_cutoff_is_an_error_of_one_line(file: Path) -> None:
    assert "lexical_cutoff" in error_of(run(file, "--cutoff", -1))


def test_a_vocabulary_from_a_file_takes_the_place_of_training(file: Path, tmp_path: Path) -> None:
    settings, words = FEATURE_SETS["lt17"], load_lexicons("none")
    documents = io.read(file)
    described = [describe(doc, settings, words, lambda _: None) for doc in documents]
    vocabulary, _ = fit(described, settings, words)
    path = tmp_path / "vocabulary.json"
    path.write_text(vocabulary.to_json(), encoding="utf-8")
    loaded = list(feature_rows(documents, vocabulary=Vocabulary.load(path), lexicons=words))
    trained = list(feature_rows(documents, train=documents, settings=settings, lexicons=words))
    assert loaded == trained
