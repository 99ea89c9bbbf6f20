"""Readers take time in proportion to the size of a file, whatever its form, and lines have a limit."""

import gzip
from pathlib import Path

import pytest
from benchmarks.readers import SHAPES, growth

from corelax import CorelaxError, io
from corelax.core import files
from corelax.io import table
from corelax.metrics import score_files
from tests.io.io_helpers import conllu, save

LARGEST = 8_000
# A quadratic reader takes 16 times as long for each byte of the largest file; 2 is usual on a busy machine.
LIMIT = 6.0


@pytest.mark.parametrize("name", SHAPES)
def test_time_per_byte_does_not_grow_with_the_size(name: str, tmp_path: Path) -> None:
    for _ in range(3):
        (small, small_seconds), *_, (large, seconds) = growth(SHAPES[name], LARGEST, tmp_path)
        if seconds / large < LIMIT * small_seconds / small:
            return
    pytest.fail(f"{seconds:.2f} s for {large} characters, {small_seconds:.3f} s for {small}")


@pytest.mark.parametrize("name", ["a.conll", "a.conllu", "a.jsonl", "a.conll.gz"])
def test_a_line_that_is_too_long_is_named(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 1000)
    monkeypatch.setattr(table, "_CHUNK", 100)
    text = ("\n" + "w" * 1001 + "\n").encode()
    path = save(tmp_path, gzip.compress(text) if name.endswith("gz") else text, name)
    with pytest.raises(CorelaxError, match=r":2: a line of more than 1,000 characters"):
        io.read(path)
    assert [problem.line for problem in io.validate(path).errors] == [2]


def test_a_packed_line_without_end_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    megabyte = b"w" * (1 << 20)
    path = tmp_path / "bomb.conll.gz"
    with gzip.open(path, "wb", compresslevel=1) as packed:
        for _ in range(files.MAX_LINE // len(megabyte) + 1):
            packed.write(megabyte)
    with pytest.raises(CorelaxError, match="67,108,864 characters"):
        io.read(path)
    with pytest.raises(CorelaxError, match="67,108,864 characters"):
        score_files(gold=path, system=path, profile="reference", gold_format="conll2012")


def test_the_reference_profile_refuses_many_documents_without_end(tmp_path: Path) -> None:
    path = save(tmp_path, "".join(f"#begin document (d{i});\nw\t(0)\n" for i in range(101)))
    with pytest.raises(CorelaxError, match=r":201: 100 documents before this have no '#end"):
        score_files(gold=path, system=path, profile="reference")


def test_many_empty_nodes_in_a_row_are_refused(tmp_path: Path) -> None:
    rows = [(f"0.{i}", "_", "_") for i in range(1, 1002)]
    path = save(tmp_path, conllu(*rows, ("1", "w", "_")), "a.conllu")
    with pytest.raises(CorelaxError, match=r":1001: more than 1000 empty nodes in a row"):
        io.read(path)
    rows.pop()
    assert len(io.read(save(tmp_path, conllu(*rows, ("1", "w", "_")), "a.conllu"))) == 1


def test_a_long_list_of_entity_fields_is_refused(tmp_path: Path) -> None:
    text = conllu(f"# global.Entity = {'eid-' * 251}", ("1", "w", "_"))
    with pytest.raises(CorelaxError, match=r":1: global.Entity of more than 1000 characters"):
        io.read(save(tmp_path, text, "a.conllu"))
