"""Parquet in and out."""

from __future__ import annotations

import json

import pytest

from corelax import CorelaxError
from tests.scale.test_shards import TEXTS, corpus, resolver, rows, run  # noqa: F401

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.usefixtures("resolver")


def table(path, texts=TEXTS, names=None, column="text", group=3):
    columns = {column: list(texts)}
    if names is not None:
        columns = {"id": list(names), **columns}
    pq.write_table(pa.table(columns), path, row_group_size=group)
    return str(path)


@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_rows_are_the_documents(tmp_path, size):
    source = table(tmp_path / "a.parquet", TEXTS * 2, range(8))
    run([source], tmp_path / "out", shard_size=size)
    found = [(row["doc_id"], row["text"]) for row in rows(tmp_path / "out")]
    assert found == [(str(i), text) for i, text in enumerate(TEXTS * 2)]


def test_rows_without_names_are_called_by_file_and_row(tmp_path):
    run([table(tmp_path / "a.parquet")], tmp_path / "out")
    assert [row["doc_id"] for row in rows(tmp_path / "out")] == [
        f"a.parquet:{i}" for i in (1, 2, 3, 4)
    ]


def test_parquet_parts_have_the_rows_of_lines(tmp_path):
    source = corpus(tmp_path)
    run([source], tmp_path / "lines")
    run([source], tmp_path / "out", output="parquet")
    parts = pq.read_table(tmp_path / "out" / "part-00000.parquet").to_pylist()
    assert parts == rows(tmp_path / "lines")
    assert pq.read_schema(tmp_path / "out" / "part-00000.parquet").names == [
        "doc_id", "text", "mentions", "entities",
    ]  # fmt: skip


def test_missing_texts_are_bad_documents(tmp_path):
    report = run([table(tmp_path / "a.parquet", ["Ann", None])], tmp_path / "out")
    assert (report.documents, report.bad) == (1, 1)
    [bad] = (tmp_path / "out" / "bad.jsonl").read_text().splitlines()
    assert json.loads(bad)["source"].endswith("a.parquet: row 2")


def test_a_column_that_is_not_there_is_told(tmp_path):
    source = table(tmp_path / "a.parquet", column="body")
    with pytest.raises(CorelaxError, match="no column 'text'; it has body"):
        run([source], tmp_path / "none")
    run([source], tmp_path / "out", column="body")
    assert [row["text"] for row in rows(tmp_path / "out")] == list(TEXTS)


def test_a_damaged_file_costs_no_other(tmp_path):
    whole = table(tmp_path / "b.parquet")
    cut = tmp_path / "a.parquet"
    cut.write_bytes((tmp_path / "b.parquet").read_bytes()[:-20])
    report = run([str(cut), whole], tmp_path / "out")
    assert (report.documents, report.bad) == (4, 1)
    assert "not a whole Parquet file" in (tmp_path / "out" / "bad.jsonl").read_text()


def test_damaged_rows_cost_no_others(tmp_path):
    texts = [f"Ann saw Bo {i} times. Bo saw Ann." for i in range(400)]
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": texts}), path, row_group_size=100, use_dictionary=False)
    place = pq.ParquetFile(path).metadata.row_group(2).column(0).data_page_offset
    raw = bytearray(path.read_bytes())
    raw[place : place + 40] = bytes(40)
    path.write_bytes(raw)
    report = run([str(path)], tmp_path / "out", shard_size=100)
    assert (report.documents, report.bad) == (300, 1)
    [bad] = (tmp_path / "out" / "bad.jsonl").read_text().splitlines()
    assert json.loads(bad)["source"].endswith("rows 201 to 300")
