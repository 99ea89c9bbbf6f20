"""Files: written whole or not at all, the same bytes every time, read a little at a time."""

import gzip
import io as python_io
import os
import stat
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from corelax import CorelaxError, Document, FormatError, io
from tests.io.io_helpers import conll, conllu, save

SUFFIXES = {"conll2012": "conll", "corefud": "conllu", "jsonlines": "jsonl"}
CONTENT = {
    "conll2012": conll("(0)", "-"),
    "corefud": conllu("# newdoc id = d", ("1", "a", "_")),
    "jsonlines": '{"doc_key": "d", "tokens": ["a"]}\n',
}
DOC = Document.from_sentences("d", [["Ann", "left"], ["She"]], clusters=[[(0, 1), (2, 3)]])


# Writing


def documents_until(error: BaseException) -> Iterator[Document]:
    yield DOC
    raise error


@pytest.mark.parametrize("error", [ValueError("oops"), KeyboardInterrupt(), CorelaxError("oops")])
@pytest.mark.parametrize("name", ["a.conll", "a.conllu", "a.jsonl.gz"])
def test_an_error_while_writing_leaves_the_old_file_as_it_was(
    tmp_path: Path, name: str, error: BaseException
) -> None:
    path = save(tmp_path, "old", name)
    with pytest.raises(type(error)):
        io.write(documents_until(error), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_may_be_written_from_itself(tmp_path: Path) -> None:
    path = save(tmp_path, conll("(0)") + conll("-", header="(e); part 000"))
    docs = io.read(path)
    io.write(io.stream(path), path)
    assert io.read(path) == docs


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are not on every system")
def test_a_pipe_or_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe.jsonl"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        io.write([DOC], path)
        assert stat.S_ISFIFO(path.stat().st_mode)
        assert os.read(reader, 1 << 16).startswith(b"{")
    finally:
        os.close(reader)


def test_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "none" / "a.conll"
    with pytest.raises(CorelaxError) as caught:
        io.write([DOC], path)
    assert str(caught.value).startswith(f"{path}: cannot write")


def test_a_folder_cannot_be_written_to_as_a_file(tmp_path: Path) -> None:
    with pytest.raises(CorelaxError) as caught:
        io.write([DOC], tmp_path, "conll2012")
    assert str(caught.value).startswith(f"{tmp_path}: this is a directory")


# Formats


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.conll", "conll2012"),
        ("a.gold_conll", "conll2012"),
        ("a.v4_auto_conll.gz", "conll2012"),
        ("a.conll2012", "conll2012"),
        ("a.conllu", "corefud"),
        ("a.corefud.gz", "corefud"),
        ("a.jsonl", "jsonlines"),
        ("a.jsonlines", "jsonlines"),
        ("a.json.gz", "jsonlines"),
        ("folder.conll/a.jsonl", "jsonlines"),
    ],
)
def test_the_suffix_tells_the_format(name: str, format: str) -> None:
    assert io.format_of(name) == format


@pytest.mark.parametrize("format", CONTENT)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
@pytest.mark.parametrize(
    "front", ["", "\ufeff", "\n\n"], ids=["", "byte order mark", "blank lines"]
)
def test_the_content_tells_the_format_where_the_suffix_does_not(
    tmp_path: Path, format: str, pack, front: str
) -> None:
    path = save(tmp_path, pack((front + CONTENT[format]).encode()), "a.txt")
    assert io.read(path) == io.read(path, format)


def test_the_suffix_goes_before_the_content(tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        io.read(save(tmp_path, CONTENT["jsonlines"], "a.conll"))


def test_a_name_goes_before_the_suffix(tmp_path: Path) -> None:
    assert io.read(save(tmp_path, CONTENT["jsonlines"], "a.conll"), "jsonlines")[0].id == "d"


@pytest.mark.parametrize(
    "call",
    [
        lambda path: io.read(path, "xml"),
        lambda path: io.write([DOC], path, "xml"),
        lambda path: io.validate(path, "xml"),
    ],
    ids=["read", "write", "validate"],
)
def test_an_unknown_format_is_answered_with_the_names_there_are(tmp_path: Path, call) -> None:
    with pytest.raises(CorelaxError) as caught:
        call(save(tmp_path, CONTENT["conll2012"]))
    assert (
        str(caught.value) == "unknown format 'xml'; choose from conll2012, corefud, ua, jsonlines"
    )


def test_a_name_of_no_format_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with pytest.raises(CorelaxError) as caught:
        io.write([DOC], path)
    assert str(caught.value).startswith(f"{path}: cannot tell the format")


# Standard input and output


def standard_input(content: bytes) -> python_io.TextIOWrapper:
    return python_io.TextIOWrapper(python_io.BufferedReader(python_io.BytesIO(content)))


@pytest.mark.parametrize("format", CONTENT)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_a_hyphen_is_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str, pack
) -> None:
    monkeypatch.setattr(sys, "stdin", standard_input(pack(CONTENT[format].encode())))
    assert io.read("-") == io.read(save(tmp_path, CONTENT[format], f"a.{SUFFIXES[format]}"))


def test_a_hyphen_is_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    io.write([DOC], "-", "jsonlines")
    io.write([DOC], tmp_path / "a.jsonl")
    assert capsys.readouterr().out == (tmp_path / "a.jsonl").read_text()


# Large files


def test_documents_come_before_the_file_is_read_to_its_end(tmp_path: Path) -> None:
    text = CONTENT["jsonlines"] + "oops\n"
    docs = io.stream(save(tmp_path, text, "a.jsonl"))
    assert next(docs).id == "d"


@pytest.mark.parametrize("blank", ["", " "], ids=["blank lines", "lines of a blank"])
def test_an_error_after_megabytes_has_the_right_line(tmp_path: Path, blank: str) -> None:
    cells = [*["-", "-", ""] * 60_000, "0)"]  # after the header, three lines for each sentence
    text = conll(*cells).replace("\n\n", f"\n{blank}\n")
    with pytest.raises(FormatError) as caught:
        io.read(save(tmp_path, text))
    assert caught.value.line == 1 + 3 * 60_000 + 1


def test_a_document_reads_the_same_wherever_the_file_is_cut(tmp_path: Path) -> None:
    """Readers take a megabyte at a time; what is beside a document must not change it."""
    short = conll("(0)", "-", header="(e); part 000")
    wide = short.replace("(e)", "(w)").replace("w1\t-", "w1" + "\t*" * 9 + "\t-")
    wide = wide.replace("w0\t", "w0" + "\t*" * 9 + "\t")
    alone = io.read(save(tmp_path, short))
    assert io.read(save(tmp_path, wide + short))[1:] == alone
    assert io.read(save(tmp_path, short + wide))[:1] == alone


def peak_memory(path: Path, text: str, documents: int) -> int:
    """The traced peak while a file of so many documents is streamed."""
    with path.open("w") as out:
        out.writelines(text.replace("NAME", f"d{i}") for i in range(documents))
    tracemalloc.start()
    try:
        assert sum(1 for _ in io.stream(path)) == documents
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES.values())
def test_ten_times_the_file_does_not_take_more_memory(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    words = [[f"{i:0>500}", "and", f"{i:x>1500}"] for i in range(50)]  # 100 kB a document
    doc = Document.from_sentences("NAME", words, clusters=[[(0, 1), (7, 9)]])
    io.write([doc], path)
    text = path.read_text()
    small = peak_memory(path, text, 30)
    large = peak_memory(path, text, 300)
    assert path.stat().st_size > 30_000_000
    assert large < small + 2_000_000
