"""`corelax resolve` with a resolver that links equal words; the real one has tests of its own."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corelax.core.errors import CorelaxError
from corelax.decode import Decision
from corelax.document import Document, Span
from corelax.io import read, write
from corelax.resolve import Resolution, resolution_of
from corelax.text import speakers_of
from tests.cli.equal_words import EqualWords, Run, clusters


def test_a_text_is_shown_with_its_entities(run: Run, text: Path) -> None:
    assert run(text) == 0
    assert run.out.splitlines() == [
        "[Ann]₁ saw [Bo]₂.",
        "",
        "[Bo]₂ saw Cy, not [Ann]₁.",
        "",
        "1  Ann  2 mentions  0.70",
        "2  Bo   2 mentions  0.70",
    ]
    assert run.err == ""


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_standard_input_is_read(run: Run, arguments: list[str]) -> None:
    assert run(*arguments, stdin="Zoë saw Zoë.".encode()) == 0
    assert run.out.startswith("[Zoë]₁ saw [Zoë]₁.\n")


def test_json_is_one_object_for_each_document_a_line_each(run: Run, text: Path) -> None:
    other = text.with_name("b.txt")
    other.write_bytes("Cy\r\nand Cy".encode("utf-8-sig"))
    assert run("--json", text, other) == 0
    first, second = run.out.splitlines()
    assert clusters(first) == [["Ann", "Ann"], ["Bo", "Bo"]]
    assert clusters(second) == [["Cy", "Cy"]]
    assert [json.loads(line)["id"] for line in (first, second)] == [str(text), str(other)]
    assert json.loads(second)["text"] == "Cy\r\nand Cy"  # characters are those of the file
    assert run("--json", text) == 0
    assert json.loads(run.out) == json.loads(first)


def test_folders_stand_for_the_texts_in_them_sorted(run: Run, tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/c/y.txt", "skipped.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("Ann")
    assert run("--json", tmp_path) == 0
    ids = [json.loads(line)["id"] for line in run.out.splitlines()]
    assert ids == [str(tmp_path / name) for name in ("a/c/y.txt", "a/z.txt", "b.txt")]


def test_several_texts_on_a_terminal_have_titles(run: Run, text: Path) -> None:
    other = text.with_name("b.txt")
    other.write_text("Cy")
    assert run(text, other) == 0
    assert run.out.splitlines()[0] == str(text)
    assert str(other) in run.out.splitlines()


def test_packed_texts_are_unpacked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"Ann, Ann"))
    assert run("--json", tmp_path / "a.txt.gz") == 0
    assert clusters(run.out) == [["Ann", "Ann"]]


def test_a_page_is_written_and_nothing_is_said(run: Run, text: Path) -> None:
    page = text.with_name("page.html")
    assert run("--html", page, text) == 0
    assert (run.out, run.err) == ("", "")
    assert page.read_text(encoding="utf-8").count('"start_token": ') == 4
    assert run("--html", "-", text) == 0
    assert run.out == page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "not a JSON file"),
        ("{}", "not a file of constraints"),
        (
            '{"format": "corelax constraints 1", "documents": '
            '[{"id": "d", "mentions": [{"start": 0, "end": 3, "text": "xyz"}]}]}',
            "not 'xyz'; were the constraints made for another text?",
        ),
    ],
)
def test_wrong_constraints_are_told_in_a_line_and_nothing_is_written(
    run: Run, text: Path, content: str, message: str
) -> None:
    constraints, page = text.with_name("c.json"), text.with_name("page.html")
    constraints.write_text(content)
    assert run("--constraints", constraints, "--html", page, text) == 1
    assert message in run.err
    assert run.err.count("\n") == 1
    assert not page.exists()


def test_constraints_are_not_written_over(run: Run, text: Path) -> None:
    constraints = text.with_name("c.json")
    constraints.write_text('{"format": "corelax constraints 1", "documents": []}')
    assert run("--constraints", constraints, "--json", "--out", constraints, text) == 1
    assert "documents" in constraints.read_text()


@pytest.mark.usefixtures("pronouns")
def test_resolved_texts_have_names_for_pronouns(run: Run, text: Path) -> None:
    text.write_text("Ann fed her dog.", encoding="utf-8")
    other = text.with_name("b.txt")
    other.write_bytes("Zoë came.\r\nShe’s late.\r\n".encode())
    assert run("--resolved", text) == 0
    assert (run.out, run.err) == ("Ann fed Ann's dog.\n", "")
    out = text.with_name("resolved.out")
    assert run("--resolved", text, other, "--out", out) == 0
    assert run.out == ""
    expected = "Ann fed Ann's dog.\n\nZoë came.\r\nZoë is late.\r\n"
    assert out.read_bytes().decode() == expected


@pytest.fixture
def pronouns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names and pronouns are one entity."""

    def pipe(_: EqualWords, texts: Iterable[Document], **__: object) -> Iterator[Resolution]:
        for doc in texts:
            found = [i for i, word in enumerate(doc.words) if word in {"Ann", "Zoë", "her", "She"}]
            yield resolution_of(doc, [Decision(Span(i, i + 1), 0, None, 1, 1, 1) for i in found])

    monkeypatch.setattr(EqualWords, "pipe", pipe)


@pytest.mark.parametrize("suffix", [".conll", ".conllu", ".jsonl"])
def test_annotated_files_keep_their_words_and_get_new_entities(
    run: Run, tmp_path: Path, examples: Path, suffix: str
) -> None:
    source, target = tmp_path / f"in{suffix}", tmp_path / f"out{suffix}"
    gold = read(examples / "data" / "gold.conll")
    write(gold, source)
    assert run(source, "--out", target) == 0
    for before, after in zip(gold, read(target), strict=True):
        assert before.words == after.words
        assert {after.text(m) for cluster in after.clusters for m in cluster} == {
            word for word in before.words if word[0].isupper() and before.words.count(word) > 1
        }


def test_a_text_becomes_an_annotated_file(run: Run, text: Path) -> None:
    assert run(text, "--format", "conll2012") == 0
    assert run.err == ""
    target = text.with_name("out.conll")
    target.write_text(run.out)
    [doc] = read(target)
    assert len(doc.sentences) == 2
    assert [[doc.text(m) for m in c] for c in doc.clusters] == [["Ann", "Ann"], ["Bo", "Bo"]]


def test_annotated_standard_input_needs_its_format(run: Run, examples: Path) -> None:
    gold = (examples / "data" / "gold.conll").read_bytes()
    assert run("--json", "--from", "conll2012", "-", stdin=gold) == 0
    assert len(run.out.splitlines()) == 2


def test_options_reach_the_resolver(run: Run, text: Path, resolver: type[EqualWords]) -> None:
    assert run("--json", text) == 0
    assert resolver.asked == {
        "model": None, "device": "auto", "runtime": "auto", "threads": None,
        "batch_size": 8, "singletons": "drop", "scheme": None, "jobs": 1,
    }  # fmt: skip
    options = (
        "--model ./runs/m --device cuda:1 --batch-size 3 --singletons keep --scheme gum".split()
    )
    assert run("--json", text, *options, "--runtime", "torch", "--threads", 3) == 0
    assert resolver.asked == {
        "model": "./runs/m", "device": "cuda:1", "runtime": "torch", "threads": 3,
        "batch_size": 3, "singletons": "keep", "scheme": "gum", "jobs": 1,
    }  # fmt: skip
    assert ["Cy"] in clusters(run.out)


def test_dialogue_gives_each_line_its_speaker(run: Run, resolver: type[EqualWords]) -> None:
    talk = b"A kitchen.\nAnn: I am here.\nBo Lee:\tYou are."
    assert run("--json", "--dialogue", stdin=talk) == 0
    [doc] = resolver.seen
    said = dict(zip(doc.words, doc.layer("speaker"), strict=True))
    assert (said["kitchen"], said["I"], said["here"], said["You"]) == (None, "Ann", "Ann", "Bo Lee")
    assert run("--json", stdin=talk) == 0
    assert "speaker" not in resolver.seen[0].layers


@pytest.mark.parametrize(
    "line",
    [
        "no name: here",
        "http://Ann: x",
        "Ann:",
        "Ann:x",
        "5:30 is late",
        "One two three four five: x",
        ": x",
    ],
)
def test_lines_that_name_no_speaker(line: str) -> None:
    assert speakers_of(line) == []
    assert [name for _, _, name in speakers_of(f"{line}\nÉva: a")] == ["Éva"]


# What goes wrong


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"caf\xc3\xa9 caf\xe9",
            "not UTF-8 text: byte 0xe9 at offset 9; name its encoding, such as --encoding cp1252",
        ),
        (b"\x7fELF\x00\x01", "byte 0 at offset 4: this is no text file; give UTF-8 text"),
        ("Ann".encode("utf-16"), "this is UTF-16; use --encoding utf-16"),
        (gzip.compress(b"Ann " * 99)[:-6], "the gzip data is cut short"),
    ],
    ids=["latin-1", "binary", "utf-16", "cut"],
)
def test_what_is_no_text_is_one_line_and_nothing_is_written(
    run: Run, text: Path, content: bytes, message: str
) -> None:
    bad = text.with_name("bad.txt")
    bad.write_bytes(content)
    for output in (["--json"], ["--html", text.with_name("page.html")], []):
        assert run(text, bad, *output) == 1
        assert run.out == ""
        [line] = run.err.splitlines()
        assert line.startswith(f"{bad}:")
        assert line.endswith(message)
    assert sorted(path.name for path in text.parent.iterdir()) == ["a.txt", "bad.txt"]


def test_standard_input_that_is_no_text_is_named(run: Run) -> None:
    assert run(stdin=b"\xff") == 1
    assert run.err == (
        "<stdin>: not UTF-8 text: byte 0xff at offset 0; name its encoding, such as --encoding cp1252\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.txt"], "nowhere.txt: no such file"),
        (["{folder}/empty"], "{folder}/empty: no *.txt file in this folder"),
        (["-", "-"], "standard input can be read once only"),
        (["-", "--model", "./runs/none"], "./runs/none: no such model"),
        (
            ["-", "--json", "--html", "-"],
            "--html - fills standard output; name another place with --out",
        ),
        (
            ["-", "--html", "p", "--out", "q.html"],
            "--html and --out both name a page; leave out one",
        ),
        (
            ["-", "--html", "./p", "--out", "p", "--json"],
            "./p: --html and --out name the same file",
        ),
        (
            ["-", "--json", "--out", "a.html"],
            "a.html: --json writes JSON of its own; name it .json, or leave out --json for a page",
        ),
        (
            ["-", "--json", "--format", "conll"],
            "--json and --format are different outputs; choose one",
        ),
        (
            ["-", "--encoding", "utf9"],
            "'utf9' is no encoding; use utf-8, cp1252, latin-1, utf-16 or the like",
        ),
        (["{folder}", "--glob", "*.md"], "{folder}: no *.md file in this folder"),
        (
            ["{folder}", "--glob", "/*"],
            "'/*' is no pattern of file names: Non-relative patterns are unsupported",
        ),
        (["no.txt", "--keep-going"], "skipped: no.txt: no such file\nno input could be read"),
        (["-", "--json", "--resolved"], "--json and --resolved are different outputs; choose one"),
        (
            ["-", "--resolved", "--out", "a.conll"],
            "a.conll: --resolved writes plain text; name it .txt",
        ),
        (
            ["-", "--html", "{folder}/no/p.html"],
            "{folder}/no/p.html: cannot write to {folder}/no: no such directory",
        ),
    ],
)
def test_bad_requests_are_one_line(
    run: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "empty").mkdir()
    assert run(*(argument.format(folder=tmp_path) for argument in arguments), stdin=b"Ann") == 1
    assert (run.out, run.err) == ("", message.format(folder=tmp_path) + "\n")
    assert list(tmp_path.iterdir()) == [tmp_path / "empty"]


def test_an_output_of_unknown_format_is_an_error_before_anything_is_read(run: Run) -> None:
    assert run("nowhere.txt", "--out", "x.txt") == 1
    assert run.err.startswith("x.txt: cannot tell the format")


def test_a_resolver_that_fails_half_way_leaves_the_old_file(
    run: Run, text: Path, monkeypatch: pytest.MonkeyPatch, resolver: type[EqualWords]
) -> None:
    whole = resolver.pipe

    def half(self: EqualWords, texts: Iterable[Document], **options: Any) -> Iterator[Resolution]:
        yield next(whole(self, texts, **options))
        raise CorelaxError("out of memory")

    monkeypatch.setattr(resolver, "pipe", half)
    target = text.with_name("out.jsonl")
    target.write_text("old")
    for output in (["--out", target], ["--html", target]):
        assert run(text, text.parent, *output) == 1
        assert run.err == "out of memory\n"
        assert target.read_text() == "old"
    assert run(text, text.parent, "--json", "--out", text.with_name("out.json")) == 1
    assert len(list(text.parent.iterdir())) == 2


@pytest.mark.parametrize("suffix", [".jsonl", ".conll", ".conllu.gz", ".corefud", ".v4_conll"])
def test_json_is_not_written_under_the_name_of_an_annotated_file(
    run: Run, text: Path, suffix: str
) -> None:
    assert run(text, "--json", "--out", text.with_suffix(suffix)) == 1
    assert "--json writes JSON of its own" in run.err


@pytest.mark.parametrize("suffix", [".json", ".json.gz", ".txt"])
def test_json_is_written_under_any_other_name(run: Run, text: Path, suffix: str) -> None:
    assert run(text, "--json", "--out", text.with_name(f"out{suffix}")) == 0
    assert text.with_name(f"out{suffix}").exists()


def test_the_name_of_a_document_cannot_drive_the_terminal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "in.jsonl"
    names = [
        "first",
        "\x1b]0;title\x07 a [/b] [red]c",
    ]  # the bar is drawn with the last at the latest
    lines = [{"doc_key": name, "sentences": [["Ann"]], "clusters": []} for name in names]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    assert run(source, "--html", tmp_path / "page.html") == 0
    assert "]0;title a [/b] [red]c" in run.err
    assert not any(sign in run.err for sign in ("\x1b]", "\x07"))


def test_nothing_on_a_terminal_is_a_hint_how_to_use_it() -> None:
    import pty

    leader, follower = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "corelax", "resolve"],
        stdin=follower, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    os.close(leader)
    os.close(follower)
    assert done.returncode == 2
    assert "pipe text in" in done.stderr


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; from corelax.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = ('torch', 'transformers', 'spacy', 'jinja2')\n"
        "sys.exit(str([m for m in heavy if m in sys.modules]))"
    )
    command = [sys.executable, "-c", script, "resolve", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "--dialogue" in done.stdout
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("output", [["--html"], ["--json", "--out"], ["--to", "conll", "--out"]])
def test_an_input_is_never_written_over(run: Run, text: Path, output: list[str]) -> None:
    before = text.read_text()
    assert run(text, *output, text.parent / "." / text.name) == 1
    assert "is an input, and" in run.err
    assert text.read_text() == before


@pytest.mark.parametrize(("name", "start"), [("conll", "#begin"), ("conllu", "#"), ("jsonl", "{")])
def test_formats_go_by_their_suffixes_too(run: Run, text: Path, name: str, start: str) -> None:
    assert run(text, "--format", name) == 0
    assert run.out.startswith(start)


def test_jobs_go_to_the_resolver(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann saw Ann.")
    assert run(tmp_path / "a.txt", "--jobs", 3, "--json") == 0
    assert EqualWords.asked["jobs"] == 3
