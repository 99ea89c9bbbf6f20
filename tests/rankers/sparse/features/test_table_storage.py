"""Tables of documents: cutting them, keeping them in files, and the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from corelax import CorelaxError, Document, Span
from corelax.document.clustering import Clustering
from corelax.rankers.sparse.features.cache import (
    cache_folder,
    load_tables,
    other_corpus,
    save_tables,
    training_corpus,
)
from corelax.rankers.sparse.features.extract import describe, fit
from corelax.rankers.sparse.features.rows import feature_names
from corelax.rankers.sparse.features.settings import FEATURE_SETS
from corelax.rankers.sparse.features.table import DocumentTable, gold_of
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.mentions.lexicons import EMPTY
from tests.rankers.sparse.features.feature_documents import (
    WORKED_EXAMPLE_LEXICONS,
    describe_gold,
    flat_document,
    worked_example,
    worked_example_columns,
)

SETTINGS = replace(FEATURE_SETS["lt17"], lexical_cutoff=2)


@pytest.fixture(scope="module")
def fitted() -> tuple[list[DocumentTable], Vocabulary]:
    """The worked example, a document without pairs, and one that has other words."""
    documents = [describe(worked_example(), SETTINGS, WORKED_EXAMPLE_LEXICONS, lambda _: None)]
    documents += [
        describe_gold(doc, SETTINGS)
        for doc in (
            flat_document("bc/one", [["dogs"]], [(0, 1)]),
            flat_document("nw/é", [["big", "dogs"], ["cats"]], [(0, 2), (1, 2), (2, 3)]),
        )
    ]
    vocabulary, tables = fit(documents, SETTINGS, WORKED_EXAMPLE_LEXICONS)
    return tables, vocabulary


def assert_same(found: Sequence[DocumentTable], expected: Sequence[DocumentTable]) -> None:
    assert [t.key for t in found] == [t.key for t in expected]
    for one, other in zip(found, expected, strict=True):
        for field in fields(DocumentTable):
            if field.name != "key":
                a, b = getattr(one, field.name), getattr(other, field.name)
                assert a.dtype == b.dtype, field.name
                assert np.array_equal(a, b), field.name


# Files


def test_what_is_written_is_read(
    tmp_path: Path, fitted: tuple[list[DocumentTable], Vocabulary]
) -> None:
    save_tables(tmp_path / "t", *fitted)
    tables, vocabulary = load_tables(tmp_path / "t")
    assert_same(tables, fitted[0])
    assert vocabulary.to_json() == fitted[1].to_json()
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_any_flipped_byte_is_noticed(
    tmp_path: Path, fitted: tuple[list[DocumentTable], Vocabulary]
) -> None:
    """Either the file is refused, or nothing that was in it is different."""
    path = tmp_path / "t"
    save_tables(path, *fitted)
    whole = path.read_bytes()
    random = np.random.default_rng(0)
    unnoticed = []
    for place in sorted({*random.integers(0, len(whole), 400).tolist(), len(whole) - 1, 0}):
        path.write_bytes(
            whole[:place]
            + bytes([whole[place] ^ (1 << int(random.integers(7)))])
            + whole[place + 1 :]
        )
        try:
            tables, vocabulary = load_tables(path)
        except CorelaxError:
            continue
        try:
            assert_same(tables, fitted[0])
            assert vocabulary.to_json() == fitted[1].to_json()
        except AssertionError:
            unnoticed.append((place, whole[place - 20 : place + 20]))
    assert not unnoticed


@pytest.mark.parametrize("kept", [0, 1, 8, 500, 0.5, 0.99, -1])
def test_a_file_that_is_cut_short_is_noticed(
    tmp_path: Path, fitted: tuple[list[DocumentTable], Vocabulary], kept: float
) -> None:
    path = tmp_path / "t"
    save_tables(path, *fitted)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole)) if 0 < kept < 1 else int(kept)])
    with pytest.raises(CorelaxError, match=str(path)) as caught:
        load_tables(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_another_kind_of_file_are_errors(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("not a table\n")
    for name in ("t", "nothing"):
        with pytest.raises(CorelaxError, match=str(tmp_path / name)):
            load_tables(tmp_path / name)


# Tables


@pytest.mark.parametrize("size", [0, 1, 2, 5, 9, 10, 99])
def test_the_first_mentions_have_the_features_they_had(
    size: int, fitted: tuple[list[DocumentTable], Vocabulary]
) -> None:
    whole, vocabulary = fitted[0][0], fitted[1]
    cut = whole.first(size)
    assert cut.size == min(size, 10)
    before = feature_names(whole, vocabulary, pairs=True)
    wanted = {f"{i},{j}": before["pairs"][f"{i},{j}"] for i in range(cut.size) for j in range(i)}
    after = feature_names(cut, vocabulary, pairs=len(wanted) > 0)
    assert after["mentions"] == before["mentions"][:size]
    assert after["phi_a"] == before["phi_a"][:size]
    assert after.get("pairs", {}) == wanted
    assert len(cut.code_of_pair) == cut.size * (cut.size - 1) // 2
    assert set(cut.code_of_pair.tolist()) == set(range(len(cut.codes)))
    counted = {tuple(row[1:3]) for row in cut.gold_mentions.tolist()}
    assert counted.isdisjoint(map(tuple, before["mentions"][size:]))
    assert all(cut.gold_sizes[cut.gold[cut.gold >= 0]] >= 1)


def test_an_undetected_gold_mention_counts_if_it_lies_before_the_cut() -> None:
    doc = Document.from_sentences(
        "d", [list("abcdef")], clusters=[[(0, 1), (1, 2), (3, 4)], [(2, 3), (4, 5), (5, 6)]]
    )
    found = [(0, 1), (2, 3), (3, 4), (4, 5)]
    gold, everyone = gold_of(found, doc)
    n = len(found)
    table = DocumentTable(
        key="d",
        spans=np.array(found, dtype=np.int32),
        features=np.zeros((n, 1), dtype=np.int32),
        current=np.zeros((n, 2), dtype=np.int32),
        previous=np.zeros((n, 1), dtype=np.int32),
        codes=np.zeros(1, dtype=np.int32),
        code_of_pair=np.zeros(n * (n - 1) // 2, dtype=np.uint16),
        gold=gold,
        gold_mentions=everyone,
    )
    assert table.gold_sizes.tolist() == [3, 3]
    assert table.first(2).gold_sizes.tolist() == [2, 1]  # a and the missed b; c


def test_a_mention_of_two_entities_belongs_to_the_first() -> None:
    doc = Document.from_sentences("d", [["a", "b"]], clusters=[[(0, 1)], [(0, 1), (1, 2)]])
    assert gold_of([(0, 1), (1, 2)], doc)[0].tolist() == [0, 1]


def test_a_discontinuous_gold_mention_is_never_found() -> None:
    doc = Document(
        id="d",
        words=("a", "b", "c"),
        clusters=Clustering([[Span(0, 3, parts=((0, 1), (2, 3))), Span(1, 2)]]),
    )
    gold, everyone = gold_of([(0, 3), (1, 2)], doc)
    assert gold.tolist() == [-1, 0]
    assert len(everyone) == 2
    assert [row[3] == 0 for row in everyone.tolist()] == [False, True]


# The cache


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("CORELAX_CACHE", str(folder))
    return folder


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "train.conll"
    path.write_text(worked_example_columns())
    return str(path)


def extraction_notes(notes: list[str]) -> list[str]:
    return [note for note in notes if "extracting" in note]


def test_features_are_extracted_once(cache: Path, file: str) -> None:
    notes: list[str] = []
    first = training_corpus(file, SETTINGS, EMPTY, note=notes.append)
    assert len(extraction_notes(notes)) == 1
    assert file in notes[0]
    assert len(list(cache.iterdir())) == 1
    notes.clear()
    second = training_corpus(file, SETTINGS, EMPTY, note=notes.append)
    assert notes == []
    assert_same(second.tables, first.tables)
    assert second.vocabulary.digest == first.vocabulary.digest


def test_other_files_use_the_vocabulary_of_training(cache: Path, file: str, tmp_path: Path) -> None:
    vocabulary = training_corpus(file, SETTINGS, EMPTY).vocabulary
    other = tmp_path / "dev.conll"
    other.write_text(worked_example_columns().replace("Oslo", "Rome"))
    for expected in (1, 0):
        notes: list[str] = []
        found = other_corpus(str(other), vocabulary, EMPTY, note=notes.append)
        assert len(extraction_notes(notes)) == expected
        assert found.vocabulary.digest == vocabulary.digest
    assert len(list(cache.iterdir())) == 2


def test_a_damaged_cache_file_is_made_again_with_a_note(cache: Path, file: str) -> None:
    first = training_corpus(file, SETTINGS, EMPTY)
    [path] = cache.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    notes: list[str] = []
    second = training_corpus(file, SETTINGS, EMPTY, note=notes.append)
    assert str(path) in notes[0]
    assert len(extraction_notes(notes)) == 1
    assert_same(second.tables, first.tables)
    assert_same(load_tables(path)[0], first.tables)


def test_another_content_setting_list_or_source_is_another_cache_file(
    cache: Path, file: str, tmp_path: Path
) -> None:
    other = tmp_path / "other.conll"
    other.write_text(worked_example_columns().replace("Oslo", "Rome"))
    training_corpus(file, SETTINGS, EMPTY)
    training_corpus(str(other), SETTINGS, EMPTY)
    training_corpus(file, replace(SETTINGS, lexical_cutoff=3), EMPTY)
    training_corpus(file, replace(SETTINGS, third_person=True), EMPTY)
    training_corpus(file, SETTINGS, WORKED_EXAMPLE_LEXICONS)
    training_corpus(file, SETTINGS, EMPTY, mentions="gold")
    training_corpus(file, SETTINGS, EMPTY, mentions=str(other))
    assert len(list(cache.iterdir())) == 7


def test_a_cache_that_cannot_be_written_does_not_stop_the_work(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    monkeypatch.setenv("CORELAX_CACHE", str(tmp_path / "taken" / "cache"))
    notes: list[str] = []
    found = training_corpus(file, SETTINGS, EMPTY, note=notes.append)
    assert found.tables[0].size == 10
    assert "not kept" in notes[-1]


def test_a_dev_file_without_mentions_is_kept_too(cache: Path, file: str, tmp_path: Path) -> None:
    vocabulary = training_corpus(file, SETTINGS, EMPTY).vocabulary
    bare = tmp_path / "bare.conll"
    row = "nw/x\t0\t0\tran\tVBD\t(TOP(VP*))\t-\t-\t-\t-\t*\t-"
    bare.write_text(f"#begin document (nw/x); part 000\n{row}\n\n#end document\n")
    for _ in range(2):
        [found] = other_corpus(str(bare), vocabulary, EMPTY).tables
        assert found.size == 0
    assert len(list(cache.iterdir())) == 2


def test_where_the_cache_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CORELAX_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("CORELAX_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "corelax"
