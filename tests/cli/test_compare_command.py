"""`corelax compare` as a user types it: outputs, folders, models, raw text, and what goes wrong."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corelax.document import Clustering, Document, Span
from corelax.io import read, write
from tests.cli.test_resolve_command import EqualWords
from tests.command_server import Done

Run = Callable[..., Done]


@pytest.fixture
def data(examples: Path) -> Path:
    return examples / "data"


@pytest.fixture
def files(data: Path, tmp_path: Path) -> tuple[Path, Path, Path]:
    """Gold, a system with errors, and a system without entities."""
    gold, system, nothing = (tmp_path / f"{name}.conll" for name in ("key", "lea", "none"))
    shutil.copy(data / "gold.conll", gold)
    shutil.copy(data / "system.conll", system)
    write([replace(doc, clusters=type(doc.clusters)()) for doc in read(gold)], nothing)
    return gold, system, nothing


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Two model folders whose resolver links equal words; `drop` and `keep` singletons."""
    folders = []
    for name in ("one", "two"):
        folder = tmp_path / "models" / name
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        folders.append(str(folder))

    class Named(EqualWords):
        @classmethod
        def from_pretrained(cls, name: str, **options: Any) -> Named:
            resolver = super().from_pretrained(name, **options)
            resolver.is_second = name == folders[1]
            return resolver

        def pipe(self, texts, **options):
            for resolution in super().pipe(texts, **options):
                doc = resolution.document
                if self.is_second:  # leaves out the last entity
                    kept = type(doc.clusters)(list(doc.clusters)[:-1])
                    vars(resolution)["document"] = doc.with_clusters(kept)
                yield resolution

    monkeypatch.setattr("corelax.resolve.resolver.Resolver", Named)
    return folders


def test_the_table_has_every_metric_errors_and_passages(corelax: Run, files: tuple) -> None:
    done = corelax("compare", *files)
    assert done.code == 0
    for title in ("MUC", "B³", "CEAF-m", "CEAF-e", "BLANC", "LEA", "Mentions", "CoNLL"):
        assert f"\n{title}\n" in done.out
    assert "False anaphor" in done.out
    assert "story/lighthouse: lea: " in done.out
    assert "with 2 documents no p value is below 0.5" in done.err
    assert max(map(len, done.out.split("Passages.")[0].splitlines())) <= 80


def test_csv_has_a_row_for_each_metric_and_system(corelax: Run, files: tuple) -> None:
    rows = list(csv.DictReader(io.StringIO(corelax("compare", *files, "--csv").out)))
    assert [(row["metric"], row["system"]) for row in rows[:3]] == [
        ("muc", "lea"),
        ("muc", "none"),
        ("b_cubed", "lea"),
    ]
    assert rows[0]["p"] == ""
    difference, f1 = float(rows[1]["difference mean"]), float(rows[0]["F1"])
    assert difference == pytest.approx(-f1)  # none has nothing
    assert float(rows[1]["difference low"]) <= difference <= float(rows[1]["difference high"])
    assert rows[1]["p (Holm)"] == "1.0"


def test_latex_has_as_many_cells_in_each_row_as_columns(corelax: Run, files: tuple) -> None:
    lines = corelax("compare", *files, "--latex", "--metric", "conll").out.splitlines()
    assert lines[1] == r"\begin{tabular}{lrrrr}"
    rows = [line for line in lines if line.endswith(r" \\") and "multicolumn" not in line]
    assert {line.count(" & ") for line in rows} == {4}
    assert rows[-1].startswith("none & 0.00 & $-$74.19 [$-$75.72, $-$73.30] & 0.500 & 0.500")
    assert lines[-1] == r"\end{tabular}"


def test_the_page_has_scores_errors_passages_and_the_command(
    corelax: Run, files: tuple, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    done = corelax("compare", *files, "--html", page)
    assert (done.code, done.out) == (0, "")
    html = page.read_text()
    assert "<h1>Comparison: lea, none</h1>" in html
    assert "Errors by type of mention" in html
    assert 'class="passage"' in html
    assert f"corelax compare {files[0]}" in html


def test_folders_are_matched_by_the_names_of_their_files(
    corelax: Run, files: tuple, tmp_path: Path
) -> None:
    """Two copies of the corpus are twice the documents; their names may repeat in another file."""
    for side, path in zip(("g", "a", "b"), files, strict=True):
        (tmp_path / side).mkdir()
        shutil.copy(path, tmp_path / side / "en.conll")
        write(read(path), tmp_path / side / "de.jsonl")
    sides = [tmp_path / side for side in ("g", "a", "b")]
    twice = json.loads(corelax("compare", *sides, "--json").out)
    once = json.loads(corelax("compare", *files, "--json").out)
    assert twice["documents"] == 4
    assert twice["systems"]["a"]["scores"]["muc"] == pytest.approx(
        once["systems"]["lea"]["scores"]["muc"]
    )
    assert {passage["document"] for passage in twice["passages"]} <= {
        f"{file}/story/{name}" for file in ("en", "de") for name in ("lighthouse", "letter")
    }
    (sides[2] / "de.jsonl").unlink()
    done = corelax("compare", *sides)
    assert (done.code, done.out) == (1, "")
    assert f"{sides[0] / 'de.jsonl'}: in GOLD, but SYSTEM has no file of that name" in done.err


def test_models_are_run_on_raw_text_and_shown_side_by_side(
    corelax: Run, models: list[str], tmp_path: Path
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Ann saw Bo. Bo waved. Ann left.")
    done = corelax("compare", text, *models)
    assert done.code == 0, done.err
    assert re.search(r"one +4 +2 ", done.out)
    assert re.search(r"two +2 +1 ", done.out)
    assert "one (1 linked only here): [Ann]₁ saw [Bo]₂. [Bo]₂* waved." in done.out
    assert "two (1 not linked here): [Ann]₁ saw Bo. [Bo]* waved." in done.out


def test_an_output_of_a_text_is_held_against_a_model(
    corelax: Run, models: list[str], tmp_path: Path
) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "out.jsonl"
    text.write_text("Ann saw Bo. Bo waved. Ann left.")
    assert corelax("resolve", text, "--model", models[1], "--out", out).code == 0
    moved = tmp_path / "sub" / "same.txt"
    moved.parent.mkdir()
    shutil.copy(text, moved)
    result = json.loads(corelax("compare", moved, models[1], out, "--json").out)
    assert result["systems"]["out"]["agreement"]["conll"] == 1.0
    assert result["passages"] == []


def test_gold_or_text_may_come_from_standard_input(
    corelax: Run, files: tuple, models: list[str]
) -> None:
    gold, *systems = files
    piped = corelax("compare", "-", *systems, "--csv", stdin=gold.read_text())
    assert piped.out == corelax("compare", *files, "--csv").out
    text = corelax("compare", "-", *models, stdin="Ann saw Bo. Bo waved. Ann left.")
    assert "stdin: 1 difference" in text.out


def test_files_are_compared_without_torch(files: tuple) -> None:
    code = (
        "import sys; from corelax.cli import main\n"
        f"sys.argv = ['corelax', 'compare', *{list(map(str, files))!r}]\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def short(tmp_path: Path) -> list[Path]:
    """Gold and two systems whose mentions are words, which are their own heads; a text without."""
    paths = []
    for name, clusters in {"g": [[0, 2]], "a": [[0, 2]], "b": [[1, 2]], "t": []}.items():
        entities = [[(word, word + 1) for word in cluster] for cluster in clusters]
        doc = Document.from_sentences("d", [["Ann", "met", "her"]], clusters=entities)
        paths.append(tmp_path / f"{name}.conll")
        write([doc], paths[-1])
    return paths


@pytest.mark.parametrize(
    "options", [["--match", "head"], ["--profile", "corefud"], ["--zeros", "dependent"]]
)
def test_exact_spans_of_errors_and_passages_are_noted(
    corelax: Run, short: list[Path], options: list[str], tmp_path: Path
) -> None:
    files = short[:3]
    line = "errors and passages compare exact spans, whatever --match says"
    page = tmp_path / "page.html"
    done = corelax("compare", *files, *options, "--json", "--html", page)
    assert done.err.splitlines().count(line) == 1
    assert json.loads(done.out)["notes"][-1] == line
    assert line in page.read_text()
    assert line not in corelax("compare", *files).err


def test_nested_mentions_are_dropped_as_score_does(corelax: Run, files: tuple) -> None:
    gold, system, nothing = files
    text = [["Ann", "and", "Bo", "met", "them"]]
    inside = [[(0, 3), (2, 3), (4, 5)]]
    for path, clusters in ((gold, inside), (system, [[(0, 3), (4, 5)]]), (nothing, [])):
        write([Document.from_sentences("d", text, clusters=clusters)], path)
    scored = json.loads(corelax("score", gold, system, "--nested", "drop", "--json").out)
    done = corelax("compare", *files, "--nested", "drop", "--json")
    compared = json.loads(done.out)["systems"]["lea"]["scores"]
    assert compared["mentions"] == scored["mentions"]
    assert compared["mentions"]["recall"] == 1
    assert "errors and passages have all mentions, whatever --only and --nested say" in done.err


@pytest.fixture
def topics(tmp_path: Path) -> list[Path]:
    """Gold and two systems on two topics; entities go on in the next document of a topic."""
    paths = []
    for name, labels in {"g": "77", "a": "77", "b": "78"}.items():
        documents = []
        for topic in "tu":
            for doc, label in zip("xy", labels, strict=True):
                clusters = Clustering([[Span(0, 1), Span(2, 3)]], [label])
                words = ("Ann", "met", "her")
                documents.append(Document(id=f"{topic}_{doc}", words=words, clusters=clusters))
        paths.append(tmp_path / f"{name}.conll")
        write(documents, paths[-1])
    return paths


def test_topics_are_compared_as_one_document(corelax: Run, topics: list[Path]) -> None:
    options = ["--cross-document", "_", "--json"]
    scored = json.loads(corelax("score", topics[0], topics[2], *options).out)
    done = corelax("compare", *topics, *options)
    result = json.loads(done.out)
    assert result["documents"] == 2
    assert result["systems"]["b"]["scores"]["muc"] == scored["muc"]
    assert scored["muc"]["recall"] == pytest.approx(2 / 3)


# What goes wrong is one line.


def test_topics_are_of_files(
    corelax: Run, topics: list[Path], models: list[str], tmp_path: Path
) -> None:
    line = failure(corelax("compare", *topics, models[0], "--cross-document", "_"))
    assert line.startswith("--cross-document compares files of annotated documents")
    text = tmp_path / "text.txt"
    text.write_text("Ann saw Bo.")
    line = failure(corelax("compare", *topics, "--cross-document", text, "--html", text))
    assert "is an input" in line
    line = failure(corelax("compare", text, *topics[1:], "--cross-document", "_"))
    assert line == "--cross-document needs annotated files, not a text"


def test_standard_input_is_read_once(corelax: Run, files: tuple) -> None:
    line = failure(corelax("compare", "-", "a=-", files[0], stdin=files[0].read_text()))
    assert line == "standard input can be read once only"


def failure(done: Done) -> str:
    assert (done.code, done.out) == (1, "")
    [line] = done.err.splitlines()
    return line


def test_what_is_neither_file_nor_model_is_said(corelax: Run, files: tuple) -> None:
    line = failure(corelax("compare", *files[:2], "smal"))
    assert line.startswith("smal: no such file, and no model of that name is installed")


def test_runs_must_be_as_many(corelax: Run, files: tuple) -> None:
    gold, system, nothing = files
    line = failure(corelax("compare", gold, f"a={system},{nothing}", nothing))
    assert line.startswith("none and a have 1 and 2 runs")


def test_no_input_is_written_over(corelax: Run, files: tuple) -> None:
    gold, system, other = files
    before = system.read_bytes()
    for systems in ([system, other], [other, f"a={system}"], [f"a={other},{system}", other]):
        assert "is an input" in failure(corelax("compare", gold, *systems, "--html", system))
    folder = system.parent
    assert "is an input" in failure(corelax("compare", folder, folder, other, "--html", system))
    assert system.read_bytes() == before


@pytest.mark.parametrize(
    "options",
    [["--json", "--csv"], ["--html", "-", "--json"], ["--confidence", "2"], ["--scheme", "gum"]],
)
def test_options_that_make_no_sense_are_one_line(
    corelax: Run, files: tuple, options: list[str]
) -> None:
    failure(corelax("compare", *files, *options))


def test_an_unknown_metric_is_answered_with_all_that_there_are(corelax: Run, files: tuple) -> None:
    done = corelax("compare", *files, "--metric", "bleu")
    assert done.code == 2
    assert "mentions, mor, zero, conll" in " ".join(done.err.split())
