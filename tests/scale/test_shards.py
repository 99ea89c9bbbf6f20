"""Inputs cut into shards, and runs that are continued."""

from __future__ import annotations

import gzip
import json
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corelax import CorelaxError
from corelax.document import Document
from corelax.io import read, write
from corelax.resolve.options import FileOptions
from corelax.scale import resolve_shards
from corelax.scale import shards as cutting
from corelax.scale.reading import read_piece
from corelax.scale.shards import cut_into_shards, input_sizes
from tests.cli.equal_words import EqualWords
from tests.scale.scale_inputs import contents

pytestmark = pytest.mark.usefixtures("resolver")
TEXTS = ("Ann saw Bo. Bo saw Ann.", "Cy slept. Nobody saw Cy.", "", "Ann, Ann and Bo; Bo, Bo.")


@pytest.fixture
def resolver(monkeypatch):
    """Takes the place of the real one, which needs a model."""
    module = ModuleType("corelax.resolve.resolver")
    monkeypatch.setattr(module, "Resolver", EqualWords, raising=False)
    monkeypatch.setitem(sys.modules, "corelax.resolve.resolver", module)
    return EqualWords


def lines(path: Path, *records: object) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def corpus(folder: Path) -> str:
    """The texts, called 0, 1 and so on."""
    return lines(folder / "a.jsonl", *({"id": str(i), "text": t} for i, t in enumerate(TEXTS)))


def run(inputs: list[str], out: Path, **options: object):
    return resolve_shards(inputs, str(out), jobs=1, **options)  # type: ignore[arg-type]


def rows(out: Path) -> list[dict]:
    parts = sorted(out.glob("part-*.jsonl"))
    return [json.loads(line) for part in parts for line in part.read_text().splitlines()]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.text("aä\u2028 .", max_size=8), max_size=6), min_size=1, max_size=4),
    st.integers(1, 5),
    st.booleans(),
)
def test_shards_hold_every_line_once_and_in_order(tmp_path, files, size, packed):
    wanted = []
    paths = []
    for number, texts in enumerate(files):
        path = tmp_path / f"{number}.jsonl"
        records = [{"id": f"{number}-{i}", "text": text} for i, text in enumerate(texts)]
        raw = "\n\n".join(json.dumps(r, ensure_ascii=False) for r in records).encode()
        path.write_bytes(gzip.compress(raw) if packed else raw)
        paths.append(str(path))
        wanted += [(r["id"], r["text"]) for r in records]
    shards = list(cut_into_shards(input_sizes(paths), documents=size))
    read_back = [[d for p in shard for d in read_piece(p, FileOptions())] for shard in shards]
    assert [(d.id, d.raw_text) for shard in read_back for d in shard] == wanted
    assert all(len(shard) == size for shard in read_back[:-1])


def test_a_long_file_makes_shards_of_few_documents(tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "SHARD_BYTES", 30)
    for name, size in (("a", 20), ("b", 5), ("c", 20), ("d", 200)):
        (tmp_path / f"{name}.txt").write_text("x" * size)
    shards = cut_into_shards(input_sizes([str(tmp_path)]), documents=500)
    assert [[Path(p.path).stem for p in shard] for shard in shards] == [["a", "b"], ["c"], ["d"]]


def test_folders_have_texts_and_annotated_files_and_no_others(tmp_path):
    for name in ("b.txt", "a.jsonl.gz", "c.pdf", ".hidden.txt", "sub/d.conll"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    names = [Path(path).name for path in input_sizes([str(tmp_path)])]
    assert names == ["a.jsonl.gz", "b.txt", "d.conll"]
    assert [Path(p).name for p in input_sizes([str(tmp_path)], "*.pdf")] == ["c.pdf"]


def test_ids_texts_and_order_are_kept(tmp_path):
    records = ({"doc_id": f"n{i}", "text": t} for i, t in enumerate(TEXTS))
    given_texts = lines(tmp_path / "a.jsonl", *records)
    report = run([given_texts], tmp_path / "out", shard_size=3)
    assert (report.shards, report.documents, report.bad) == (2, 4, 0)
    assert [(row["doc_id"], row["text"]) for row in rows(tmp_path / "out")] == [
        (f"n{i}", text) for i, text in enumerate(TEXTS)
    ]


def test_a_row_has_mentions_and_entities_by_their_numbers(tmp_path):
    run([lines(tmp_path / "a.jsonl", {"id": "d", "text": TEXTS[0]})], tmp_path / "out")
    [row] = rows(tmp_path / "out")
    spans = [(m["text"], m["start"], m["end"], m["entity"]) for m in row["mentions"]]
    assert spans == [("Ann", 0, 3, 0), ("Bo", 8, 10, 1), ("Bo", 12, 14, 1), ("Ann", 19, 22, 0)]
    assert [(e["name"], e["mentions"]) for e in row["entities"]] == [
        ("Ann", [0, 3]),
        ("Bo", [1, 2]),
    ]


def test_annotated_parts_can_be_read_and_scored(tmp_path):
    source = [Document.from_sentences(f"d{i}", [["Ann", "saw", "Ann"]]) for i in range(3)]
    write(source, tmp_path / "a.conll")
    run([str(tmp_path / "a.conll")], tmp_path / "out", output="corefud")
    assert [len(doc.clusters) for doc in read(tmp_path / "out" / "part-00000.conllu")] == [1, 1, 1]


def test_bad_documents_are_put_aside_with_the_reason(tmp_path):
    path = tmp_path / "a.jsonl"
    good = json.dumps({"id": "good", "text": TEXTS[0]}).encode()
    path.write_bytes(
        b'{"id": "open", "text": \n' + good + b'\n{"id": "latin", "text": "caf\xe9"}\n[1]\n'
        b'{"id": "none"}\n{"id": "number", "text": 3}\n'
    )
    (tmp_path / "word.txt").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....")
    report = run([str(path), str(tmp_path / "word.txt")], tmp_path / "out")
    assert (report.documents, report.bad) == (1, 6)
    bad = [json.loads(line) for line in (tmp_path / "out" / "bad.jsonl").read_text().splitlines()]
    where = [Path(each["source"]).name for each in bad]
    assert where == [f"a.jsonl:{n}" for n in (1, 3, 4, 5, 6)] + ["word.txt"]
    reasons = " ".join(each["reason"] for each in bad)
    for word in (
        "not a JSON object",
        "0xe9",
        "is needed",
        "no words",
        "a text is a str",
        "Word file",
    ):
        assert word in reasons
    assert [row["doc_id"] for row in rows(tmp_path / "out")] == ["good"]


def test_a_gzipped_file_that_is_cut_short_gives_the_documents_before_the_cut(tmp_path):
    draw = random.Random(1)
    texts = ["".join(draw.choices("abcdefgh", k=300)) for _ in range(3000)]
    whole = "".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(texts))
    packed = gzip.compress(whole.encode())
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    other = lines(tmp_path / "b.jsonl", {"id": "other", "text": "Ann"})
    report = run([str(tmp_path / "a.jsonl.gz"), other], tmp_path / "out", shard_size=100)
    ids = [row["doc_id"] for row in rows(tmp_path / "out")]
    assert ids == [*map(str, range(report.documents - 1)), "other"]
    assert report.documents > 700  # of 1,500, about, whose data are whole
    assert "what follows is not read" in (tmp_path / "out" / "bad.jsonl").read_text()


def test_a_document_that_needs_too_much_memory_costs_no_other(tmp_path, monkeypatch):
    plain = EqualWords.pipe

    def pipe(self, texts, **options):
        texts = list(texts)
        if any(doc.id == "1" for doc in texts):
            raise MemoryError
        return plain(self, texts, **options)

    monkeypatch.setattr(EqualWords, "pipe", pipe)
    assert run([corpus(tmp_path)], tmp_path / "out").bad == 1
    assert [row["doc_id"] for row in rows(tmp_path / "out")] == ["0", "2", "3"]
    assert "memory" in (tmp_path / "out" / "bad.jsonl").read_text()


def test_an_error_that_is_not_of_a_document_ends_the_run(tmp_path, monkeypatch):
    def pipe(*_, **__):
        raise RuntimeError("the driver is gone")

    monkeypatch.setattr(EqualWords, "pipe", pipe)
    with pytest.raises(RuntimeError, match="driver"):
        run([lines(tmp_path / "a.jsonl", {"text": "Ann"})], tmp_path / "out")
    assert not list((tmp_path / "out").glob("part-*"))


def test_done_shards_are_never_resolved_again(tmp_path, monkeypatch):
    source = corpus(tmp_path)
    run([source], tmp_path / "whole", shard_size=1)
    plain = EqualWords.pipe

    def pipe(self, texts, **options):
        texts = list(texts)
        if texts[0].id == "2":
            raise RuntimeError("no more")
        return plain(self, texts, **options)

    monkeypatch.setattr(EqualWords, "pipe", pipe)
    with pytest.raises(RuntimeError):
        run([source], tmp_path / "out", shard_size=1)
    before = {p: p.stat().st_ino for p in (tmp_path / "out").glob("part-*")}
    assert len(before) == 2
    monkeypatch.setattr(EqualWords, "pipe", plain)
    report = run([source], tmp_path / "out", shard_size=1)
    assert (report.shards, report.resolved, report.documents) == (4, 2, 4)
    assert {p: p.stat().st_ino for p in before} == before
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_part_that_was_deleted_or_cut_is_made_again(tmp_path):
    source = corpus(tmp_path)
    out = tmp_path / "out"
    run([source], out, shard_size=1)
    before = contents(out)
    (out / "part-00001.jsonl").unlink()
    (out / "part-00003.jsonl").write_text("{")
    assert run([source], out, shard_size=1).resolved == 2
    assert contents(out) == before


@pytest.mark.parametrize("left", ["whole", "cut"])
def test_a_record_that_has_not_got_its_name_counts_for_nothing(tmp_path, left):
    source = corpus(tmp_path)
    out = tmp_path / "out"
    run([source], out, shard_size=1)
    before = contents(out)
    record = (out / "done" / "00002.json").read_text()
    (out / "done" / "00002.json").unlink()
    (out / "done" / ".corelax-abc.part").write_text(record if left == "whole" else record[:9])
    assert run([source], out, shard_size=1).resolved == 1
    assert contents(out) == before


@pytest.mark.parametrize("change", [{"shard_size": 2}, {"batch_size": 3}, {"singletons": "keep"}])
def test_a_folder_takes_no_shards_of_other_settings(tmp_path, change):
    source = lines(tmp_path / "a.jsonl", {"id": "a", "text": "Ann"}, {"id": "b", "text": "Bo"})
    run([source], tmp_path / "out")
    with pytest.raises(CorelaxError, match=f"other settings or files .*{next(iter(change))}"):
        run([source], tmp_path / "out", **change)


def test_a_folder_takes_no_shards_of_other_inputs(tmp_path):
    source = lines(tmp_path / "a.jsonl", {"id": "a", "text": "Ann"})
    run([source], tmp_path / "out")
    lines(tmp_path / "a.jsonl", {"id": "a", "text": "Anna"})
    with pytest.raises(CorelaxError, match="digest"):
        run([source], tmp_path / "out")


def test_a_file_that_vanishes_is_no_bad_document(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("Ann")
    real = cutting.size_of
    monkeypatch.setattr("corelax.scale.shards.size_of", lambda p: 3 if "gone" in p else real(p))
    with pytest.raises(CorelaxError, match=r"gone.txt: not there on .*; every node must see"):
        run([str(tmp_path / "gone.txt")], tmp_path / "out")


def test_a_full_disk_is_told_and_costs_nothing_that_is_done(tmp_path, monkeypatch):
    source = lines(
        tmp_path / "a.jsonl", {"id": 1}, *({"id": str(i), "text": t} for i, t in enumerate(TEXTS))
    )
    out = tmp_path / "out"
    from corelax.scale import places

    real = places.write_bytes

    def full(path, content):
        if "part-00002" in str(path) or "bad" in str(path):
            raise CorelaxError(f"{path}: No space left on device; nothing was changed")
        real(path, content)

    monkeypatch.setattr(places, "write_bytes", full)
    with pytest.raises(CorelaxError, match=r"part-00002.jsonl: No space left on device"):
        run([source], out, shard_size=1)
    monkeypatch.setattr(places, "write_bytes", real)
    assert run([source], out, shard_size=1).resolved == 3


def test_a_scheme_that_the_model_lacks_makes_no_document_bad(tmp_path, monkeypatch):
    monkeypatch.setattr(EqualWords, "schemes", ("ontonotes",), raising=False)
    source = lines(tmp_path / "a.jsonl", {"id": "a", "text": "Ann"})
    with pytest.raises(CorelaxError, match="scheme must be 'ontonotes', not 'klingon'"):
        run([source], tmp_path / "out", scheme="klingon")
    assert run([source], tmp_path / "out").documents == 1  # nothing was done, so the folder is free


def test_the_manifest_lists_parts_with_their_digests(tmp_path):
    source = corpus(tmp_path)
    run([source], tmp_path / "out", shard_size=3)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    digests = contents(tmp_path / "out")
    assert manifest["complete"]
    assert [part["documents"] for part in manifest["parts"]] == [3, 1]
    assert all(digests[part["file"]] == part["sha256"] for part in manifest["parts"])


def test_stores_are_read_and_written_as_folders_are():
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    for number, text in enumerate(TEXTS):
        store.pipe_file(f"/corpus/{number}.txt", text.encode())
    records = [{"id": f"n{i}", "text": text} for i, text in enumerate(TEXTS)]
    raw = "".join(json.dumps(record) + "\n" for record in records).encode()
    store.pipe_file("/corpus/more.jsonl.gz", gzip.compress(raw))
    report = resolve_shards(["memory://corpus"], "memory://out", jobs=1, shard_size=3)
    assert (report.shards, report.documents, report.bad) == (3, 8, 0)
    parts = sorted(name for name in store.find("/out") if "part-" in name)
    ids = [json.loads(line)["doc_id"] for p in parts for line in store.cat_file(p).splitlines()]
    assert ids == [f"memory://corpus/{i}.txt" for i in range(4)] + [f"n{i}" for i in range(4)]
    again = resolve_shards(["memory://corpus"], "memory://out", jobs=1, shard_size=3)
    assert again.resolved == 0
    store.rm("/out", recursive=True)
    store.rm("/corpus", recursive=True)
