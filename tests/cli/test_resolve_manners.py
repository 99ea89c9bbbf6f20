"""What people expect of `corelax resolve` as a command: inputs, outputs, encodings, notes, exit codes."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from corelax.io import read
from tests.cli.equal_words import EqualWords, Run, clusters

NONE = "no entities of two or more mentions\n"
GERMAN = "Die Katze lag auf der Matte und schlief, weil es dort warm war. " * 5


# Inputs


def test_a_text_can_be_an_argument(run: Run) -> None:
    assert run("--text", "Ann saw Ann.", "--json") == 0
    assert clusters(run.out) == [["Ann", "Ann"]]
    assert json.loads(run.out)["id"] == "text"


@pytest.mark.parametrize("more", [["a.txt"], ["--from", "conll"]])
def test_a_text_is_the_only_input(run: Run, more: list[str]) -> None:
    assert run("--text", "Ann", *more) == 2
    assert "a text is given; leave out" in run.err


def test_texts_of_other_encodings(run: Run, tmp_path: Path) -> None:
    for encoding in ("cp1252", "utf-16", "mac-roman"):
        (tmp_path / "a.txt").write_bytes("Zoë saw Zoë.".encode(encoding))
        assert run("--encoding", encoding, "--json", tmp_path / "a.txt") == 0
        assert clusters(run.out) == [["Zoë", "Zoë"]]
    (tmp_path / "a.txt").write_bytes(b"caf\xe9")
    assert run("--encoding", "ascii", tmp_path / "a.txt") == 1
    assert "not ASCII text: byte 0xe9 at offset 3" in run.err


def packed(*files: tuple[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files:
            archive.writestr(name, text)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "this is a PDF; convert it: pdftotext '{path}' '{text}'"),
        (
            packed(("[Content_Types].xml", "<a/>"), ("word/document.xml", "<a/>")),
            "this is a Word file (docx); convert it: pandoc -f docx -t plain '{path}' -o '{text}'",
        ),
        (
            packed(("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", "")),
            "an OpenDocument text (odt); convert it: pandoc -f odt -t plain '{path}' -o '{text}'",
        ),
        (
            packed(("mimetype", "application/epub+zip"), ("a.xhtml", "")),
            "an EPUB book; convert it: pandoc -f epub -t plain '{path}' -o '{text}'",
        ),
        (
            b"{\\rtf1\\ansi Ann}",
            "an RTF file; convert it: pandoc -f rtf -t plain '{path}' -o '{text}'",
        ),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", "save it as text in Word or LibreOffice"),
        (packed(("a.txt", "Ann")), "this is a zip archive; unpack it"),
    ],
    ids=["pdf", "docx", "odt", "epub", "rtf", "doc", "zip"],
)
def test_what_must_be_converted_is_named_with_the_command(
    run: Run, tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "my report"  # the content decides, not the name
    path.write_bytes(content)
    assert run(path) == 1
    [line] = run.err.splitlines()
    assert line.startswith(f"{path}: ")
    assert line.endswith(message.format(path=path, text=f"{path}.txt"))
    assert run(path.rename(f"{path}.txt")) == 1  # which is not written over
    assert not run.err.endswith(f"'{path}.txt'\n")


def test_a_pattern_says_which_files_of_folders_are_read(run: Run, tmp_path: Path) -> None:
    for name in ("a.md", "b.txt", "c/d.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Ann, Ann")
    assert run(tmp_path, "--glob", "*.md", "--json") == 0
    ids = [json.loads(line)["id"] for line in run.out.splitlines()]
    assert ids == [str(tmp_path / "a.md"), str(tmp_path / "c/d.md")]


def test_what_cannot_be_read_is_skipped_told_and_counted(run: Run, text: Path) -> None:
    bad, empty = text.with_name("bad.txt"), text.with_name("empty")
    bad.write_bytes(b"\xff")
    empty.mkdir()
    for more in ([], ["-q"]):
        assert run(text.parent, empty, "nowhere.txt", "--keep-going", "--json", *more) == 1
        assert clusters(run.out) == [["Ann", "Ann"], ["Bo", "Bo"]]
        first, second, third, last = run.err.splitlines()
        assert first.startswith(f"skipped: {bad}: not UTF-8 text")
        assert second == f"skipped: {empty}: no *.txt file in this folder"
        assert third == "skipped: nowhere.txt: no such file"
        assert last == "3 inputs skipped, 1 resolved"
    assert run(text, "--keep-going", "--json") == 0


# Outputs


def test_the_suffix_of_the_output_decides(run: Run, text: Path) -> None:
    for name in ("o.json", "o.ndjson", "o.html", "o.jsonl", "o.conll", "o.conllu"):
        assert run(text, "-o", text.with_name(name)) == 0
        assert (run.out, run.err) == ("", "")
    assert clusters(text.with_name("o.json").read_text()) == [["Ann", "Ann"], ["Bo", "Bo"]]
    assert text.with_name("o.ndjson").read_text() == text.with_name("o.json").read_text()
    assert text.with_name("o.html").read_text().startswith("<!DOCTYPE html>")
    for name in ("o.jsonl", "o.conll", "o.conllu"):
        [doc] = read(text.with_name(name))
        assert [[doc.text(m) for m in c] for c in doc.clusters] == [["Ann", "Ann"], ["Bo", "Bo"]]


def test_a_page_is_written_beside_another_output(run: Run, text: Path) -> None:
    page, alone = text.with_name("p.html"), text.with_name("alone.html")
    assert run(text, "--html", alone) == 0
    assert run(text, "--json", "--html", page) == 0
    assert clusters(run.out) == [["Ann", "Ann"], ["Bo", "Bo"]]
    assert page.read_text() == alone.read_text()
    page.unlink()
    assert run(text, "--out", text.with_name("o.conll"), "--html", page) == 0
    assert page.read_text() == alone.read_text()
    assert len(read(text.with_name("o.conll"))) == 1


def test_each_input_gets_its_file_in_a_folder(run: Run, tmp_path: Path) -> None:
    for name in ("in/a.txt", "in/sub/b.txt", "c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(f"{Path(name).stem.upper()}x Ann Ann")
    inputs = [tmp_path / "in", tmp_path / "c.txt", "-"]
    out = tmp_path / "out"
    for options, suffix in (
        (["--json"], ".json"), ([], ".json"), (["--resolved"], ".txt"), (["--to", "conllu"], ".conllu"),
    ):  # fmt: skip
        assert run(*inputs, *options, "-o", f"{out}/", stdin=b"Ann Ann") == 0
        assert run.out == ""
        expected = {"a", "sub/b", "c", "stdin"}
        written = {p.relative_to(out) for p in out.rglob(f"*{suffix}")}
        assert written == {Path(name + suffix) for name in expected}
    assert json.loads((out / "sub/b.json").read_text())["text"] == "Bx Ann Ann"
    assert run(*inputs, "--html", out, "--json", stdin=b"Ann Ann") == 0  # it exists: needs no slash
    assert len(run.out.splitlines()) == 4
    assert "Bx" in (out / "sub/b.html").read_text()
    both = f"{tmp_path / 'both'}/"
    assert run(*inputs, "--html", both, "--out", both, stdin=b"Ann Ann") == 0
    assert len([path for path in Path(both).rglob("*") if path.is_file()]) == 8


def test_two_inputs_do_not_share_an_output(run: Run, tmp_path: Path) -> None:
    for name in ("a.txt", "a.md"):
        (tmp_path / name).write_text("Ann")
    assert run(tmp_path / "a.txt", tmp_path / "a.md", "-o", f"{tmp_path}/out/") == 1
    assert "would both be written to" in run.err
    assert not (tmp_path / "out").exists()


def test_a_folder_of_outputs_may_be_that_of_the_inputs_but_replaces_none(
    run: Run, text: Path
) -> None:
    assert run(text, "-o", text.parent) == 0
    assert text.with_suffix(".json").exists()
    before = text.read_text()
    assert run(text, "--resolved", "-o", text.parent) == 1
    assert "is an input, and" in run.err
    assert text.read_text() == before
    assert run(text, "--json", "-o", f"{text}/") == 1
    assert run.err == f"{text}/: {text} is a file; name a folder\n"


# Notes


def test_nothing_found_is_told_beside_the_output(run: Run, text: Path) -> None:
    assert run("--text", "Ann saw Bo.", "--json") == 0
    assert run.err == NONE
    assert run("--text", "Ann saw Bo.", "--singletons", "keep") == 0
    assert run.err == NONE
    assert run("--text", "Ann saw Bo.", "-q") == 0
    assert run.err == ""
    assert run("-", text, stdin=b"Cy") == 0  # one of them has entities
    assert run.err == ""


def test_verbose_tells_the_model_and_the_speed(
    run: Run, text: Path, resolver: type[EqualWords], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolver, "__repr__", lambda _: "<resolver of x by y>")
    assert run(text, "-v", "--json") == 0
    model, speed = run.err.splitlines()
    assert model == "resolver of x by y"
    assert speed.startswith("11 words in ")
    assert speed.endswith(" words/s")
    assert run(text, "-v", "-q") == 2


def test_another_language_is_one_warning(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(GERMAN)
    (tmp_path / "b.txt").write_text(GERMAN)
    assert run(tmp_path, "--json") == 0
    [line] = run.err.splitlines()
    assert "does not look like English" in line
    assert run(tmp_path, "--json", "-q") == 0
    assert run.err == ""
    (tmp_path / "german").mkdir()  # a model that does not say that it is for English
    assert run(tmp_path / "a.txt", "--json", "--model", tmp_path / "german") == 0
    assert "English" not in run.err


def test_the_bar_counts_words(run: Run, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text.with_name("b.txt").write_text("Ann " * 1989)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    assert run(text.parent, "--html", text.with_name("p.html")) == 0
    assert "2,000/2,000 words" in run.err
    assert run(text.parent, "--html", text.with_name("p.html"), "-q") == 0
    assert run.err == ""
