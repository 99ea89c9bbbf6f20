"""`corelax score` with `--csv` and `--latex`, on folders and on several files."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_server import Done

Run = Callable[..., Done]


@pytest.fixture
def pair(examples: Path) -> tuple[Path, Path]:
    return examples / "data" / "gold.conll", examples / "data" / "system.conll"


@pytest.fixture
def folders(pair: tuple[Path, Path], tmp_path: Path) -> tuple[Path, Path]:
    """`a` with errors, and `b` that is perfect."""
    gold, system = tmp_path / "gold", tmp_path / "system"
    for side, a in ((gold, pair[0]), (system, pair[1])):
        side.mkdir()
        shutil.copy(a, side / "a.conll")
        shutil.copy(pair[0], side / "b.conll")
    return gold, system


def rows(done: Done) -> list[dict[str, str]]:
    assert done.code == 0, done.err
    return list(csv.DictReader(io.StringIO(done.out)))


def test_csv_has_the_unrounded_scores(corelax: Run, pair: tuple[Path, Path]) -> None:
    report = json.loads(corelax("score", *pair, "--json").out)
    table = {row["metric"]: row for row in rows(corelax("score", *pair, "--csv"))}
    assert list(table) == ["MUC", "B³", "CEAF-m", "CEAF-e", "BLANC", "LEA", "Mentions", "CoNLL"]
    assert float(table["LEA"]["precision"]) == 100 * report["lea"]["precision"]
    assert float(table["CoNLL"]["F1"]) == 100 * report["conll"]
    assert table["CoNLL"]["recall"] == ""


def test_csv_has_a_row_for_each_document_and_no_total(
    corelax: Run, pair: tuple[Path, Path]
) -> None:
    report = json.loads(corelax("score", *pair, "--json", "--per-document").out)["documents"]
    table = rows(corelax("score", *pair, "--csv", "--per-document"))
    assert [row["document"] for row in table] == list(report)
    for row in table:
        expected = report[row["document"]]
        assert float(row["B³ recall"]) == 100 * expected["b_cubed"]["recall"]
        assert float(row["CoNLL"]) == 100 * expected["conll"]


def test_latex_rounds_as_the_table_does(corelax: Run, pair: tuple[Path, Path]) -> None:
    shown = corelax("score", *pair, "--metric", "b_cubed").out.splitlines()[-1].split()
    lines = corelax("score", *pair, "--metric", "b_cubed", "--latex").out.splitlines()
    assert f"B$^3$ & {' & '.join(shown[1:])} \\\\" in lines


def test_folders_get_a_row_for_each_file_their_mean_and_the_pooled_score(
    corelax: Run, folders: tuple[Path, Path]
) -> None:
    shown = corelax("score", *folders).out
    table = [line for line in shown.splitlines() if line.endswith(("100.00", "74.19", "87.10"))]
    assert [line.split("  ")[0] for line in table] == ["a", "b", "mean of files"]
    cells = rows(corelax("score", *folders, "--csv"))
    assert [row["file"] for row in cells] == ["a", "b", "mean of files", "all pooled"]
    a, b, mean, pooled = (float(row["CoNLL"]) for row in cells)
    assert b == 100
    assert mean == pytest.approx((a + b) / 2)
    assert pooled == pytest.approx(
        100 * json.loads(corelax("score", *folders, "--json").out)["conll"]
    )


def test_documents_of_several_files_are_told_apart(
    corelax: Run, folders: tuple[Path, Path]
) -> None:
    table = rows(corelax("score", *folders, "--csv", "--per-document"))
    assert [(row["file"], row["document"]) for row in table] == [
        (file, f"story/{name}") for file in "ab" for name in ("lighthouse", "letter")
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--csv", "--json"], "--json and --csv are different outputs; choose one"),
        (
            ["--csv", "--differences"],
            "--differences are lines of text; leave out --csv and --latex",
        ),
    ],
)
def test_outputs_that_exclude_each_other(
    corelax: Run, pair: tuple[Path, Path], options: list[str], message: str
) -> None:
    done = corelax("score", *pair, *options)
    assert (done.code, done.out, done.err) == (1, "", message + "\n")


def test_files_that_do_not_pair_are_said(corelax: Run, folders: tuple[Path, Path]) -> None:
    gold, system = folders
    done = corelax("score", gold / "a.conll", gold / "b.conll", system / "a.conll")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("3 files cannot be scored in pairs")
    (system / "b.conll").unlink()
    done = corelax("score", gold, system)
    assert done.err.startswith(f"{gold / 'b.conll'}: in GOLD, but SYSTEM has no file of that name")
