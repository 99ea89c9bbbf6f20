"""The commands as a user types them, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from corelax.core.options import FormatName
from corelax.io import ALIASES, FORMATS
from corelax.metrics import METRICS
from tests.command_server import Done, server

SUFFIXES = [".conll", ".conllu", ".jsonl"]


def run(*arguments: object, stdin: str = "") -> Done:
    return server().run(*arguments, stdin=stdin)


@pytest.fixture
def gold(examples: Path) -> Path:
    return examples / "data" / "gold.conll"


@pytest.fixture
def system(examples: Path) -> Path:
    return examples / "data" / "system.conll"


def test_the_table_fits_80_columns(gold: Path, system: Path) -> None:
    done = run("score", gold, system, "--per-document")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80


def test_the_table_shows_percentages_with_two_decimals(gold: Path) -> None:
    lines = run("score", gold, gold).out.splitlines()
    [row] = [line for line in lines if line.startswith("B³")]
    assert row.split() == ["B³", "100.00", "100.00", "100.00"]


def test_json_has_all_metrics_and_the_conll_score(gold: Path, system: Path) -> None:
    result = json.loads(run("score", gold, system, "--json").out)
    names = ["muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "mentions"]
    assert list(result) == [*names, "conll"]
    assert all(set(result[name]) == {"recall", "precision", "f1"} for name in names)
    mean = sum(result[name]["f1"] for name in ("muc", "b_cubed", "ceaf_e")) / 3
    assert result["conll"] == pytest.approx(mean)


def test_metrics_can_be_chosen(gold: Path, system: Path) -> None:
    done = run("score", gold, system, "--json", "--metric", "lea", "--metric", "muc")
    assert list(json.loads(done.out)) == ["lea", "muc"]


def test_differences_are_shown_with_their_words(gold: Path, system: Path) -> None:
    shown = run("score", gold, system, "--differences").out
    assert "missed    a neighbour [17–18]" in shown
    assert "merged    Mara [47] + the keeper [51–52]" in shown


def test_oddities_of_a_file_on_both_sides_are_shown_once(tmp_path: Path) -> None:
    odd = tmp_path / "odd.conll"
    odd.write_text("#begin document (d); part 000\nd 0 0 Ann (0)|(1)\n\n#end document\n")
    lines = run("score", odd, odd).err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"odd: {odd}:2: ")


def test_one_side_may_come_from_standard_input(gold: Path, system: Path) -> None:
    piped = run("score", "-", system, "--json", stdin=gold.read_text())
    assert piped.out == run("score", gold, system, "--json").out


def test_both_sides_cannot_come_from_standard_input() -> None:
    done = run("score", "-", "-", stdin="")
    assert (done.code, done.out) == (1, "")


def test_the_reference_profile_cuts_its_percentages(tmp_path: Path) -> None:
    header, end = "#begin document (d); part 000\n", "\n#end document\n"
    (tmp_path / "k").write_text(header + "w\t(0)\nw\t(0)\nw\t(0)" + end)
    (tmp_path / "r").write_text(header + "w\t(0)\nw\t(0)\nw\t-" + end)
    done = run("score", tmp_path / "k", tmp_path / "r", "--profile", "reference")
    [row] = [line for line in done.out.splitlines() if line.startswith("Mentions")]
    assert row.split() == ["Mentions", "66.66", "100", "80"]


def test_an_error_is_one_line_and_exit_code_1(tmp_path: Path, gold: Path) -> None:
    broken = tmp_path / "broken.conll"
    broken.write_text(gold.read_text().replace("(0)", "0)", 1))
    done = run("score", gold, broken)
    assert done.code == 1
    assert done.out == ""
    assert done.err == f"{broken}:2: entity 0 closes but was never opened\n"


@pytest.mark.parametrize(
    "arguments",
    [["score"], ["score", "a"], ["score", "a", "b", "--metric", "bleu"], ["nonsense"]],
)
def test_wrong_usage_is_exit_code_2(arguments: list[str]) -> None:
    assert run(*arguments).code == 2


def test_a_file_that_does_not_exist_is_named(gold: Path) -> None:
    done = run("score", gold, "nowhere.conll")
    assert (done.code, done.err) == (1, "nowhere.conll: no such file\n")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_converting_and_scoring_against_the_original_is_perfect(
    tmp_path: Path, gold: Path, suffix: str
) -> None:
    target = tmp_path / f"out{suffix}.gz"
    assert run("convert", gold, target).code == 0
    assert json.loads(run("score", gold, target, "--json").out)["conll"] == 1


def test_conversion_says_what_is_not_kept(tmp_path: Path) -> None:
    source = tmp_path / "in.conllu"
    source.write_text("# newdoc id = d\n1\tAnn\t_\tPROPN\t_\t_\t_\t_\t_\tEntity=(e1-person)\n\n")
    done = run("convert", source, tmp_path / "out.conll")
    assert "not kept: layer upos (1)" in done.err.splitlines()
    assert "not kept: entity names (numbered instead) (1)" in done.err.splitlines()


def test_a_failed_conversion_leaves_nothing_behind(tmp_path: Path) -> None:
    source = tmp_path / "in.conll"
    source.write_text("#begin document (d); part 000\nd 0 0 Ann 0)\n#end document\n")
    assert run("convert", source, tmp_path / "out.jsonl").code == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.conll"]


def test_validate_lists_all_problems_of_all_files(tmp_path: Path, gold: Path) -> None:
    broken = tmp_path / "broken.conll"
    rows = "d 0 0 Ann 7)\nd 0 1 saw (8\nd 0 2 it\n"
    broken.write_text(f"#begin document (d); part 000\n{rows}#end document\n")
    done = run("validate", gold, broken, tmp_path / "none.conll")
    assert done.code == 1
    assert done.out.splitlines() == [
        f"{broken}:2: entity 7 closes but was never opened",
        f"{broken}:3: entity 8 opens but is never closed",
        f"{broken}:4: 4 columns; document, part, number, word and coreference are needed",
        f"{tmp_path / 'none.conll'}: no such file",
    ]
    assert done.err == "3 files: 4 errors, 0 oddities\n"


def test_valid_files_are_exit_code_0(gold: Path, system: Path) -> None:
    assert run("validate", gold, system).code == 0


def test_stats_counts_the_example(gold: Path) -> None:
    size = json.loads(run("stats", gold, "--json").out)[str(gold)]
    assert (size["documents"], size["sentences"], size["entities"]) == (2, 7, 10)


def test_a_closed_pipe_is_no_traceback(gold: Path, system: Path) -> None:
    command = f"{sys.executable} -m corelax score {gold} {system} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", ["--help", "score {gold} {system}", "stats {gold}"])
def test_neither_torch_nor_scipy_is_imported(arguments: str, gold: Path, system: Path) -> None:
    script = (
        "import sys; from corelax.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "sys.exit(str([m for m in ('torch', 'transformers', 'scipy') if m in sys.modules]))"
    )
    words = arguments.format(gold=gold, system=system).split()
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_scoring_loads_only_what_it_needs(gold: Path, system: Path) -> None:
    """Two small files are scored in the time that imports take: what other formats and rules need waits."""
    script = (
        "import sys, click, numpy  # whatever these load, in whatever version\n"
        "before = set(sys.modules)\n"
        "from corelax.cli import main\n"
        f"sys.argv = ['corelax', 'score', {str(gold)!r}, {str(system)!r}]\n"
        "try: main()\n"
        "finally: print(*(set(sys.modules) - before), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    loaded = set(done.stderr.split())
    assert "corelax.io.conll2012" in loaded
    allowed = {"conll2012", "reading", "table", "problems", "formats", "file_sets", "topics"}
    assert {name for name in loaded if name.startswith("corelax.io.")} == {
        f"corelax.io.{name}" for name in allowed
    }
    of_rules = ("corefud", "coval", "matching", "nodes", "last_entity", "reference_files")
    of_rules += ("repeated_mentions", "minimum_span", "assignment")
    unneeded = tuple(f"corelax.metrics.{name}" for name in of_rules)
    unneeded += ("corelax.document.statistics", "corelax.core.device")
    assert [name for name in loaded if name.startswith(unneeded)] == []
    assert loaded & {"difflib", "hashlib", "json", "random", "rich", "shutil", "tempfile"} == set()


def test_long_names_are_neither_cut_nor_folded(tmp_path: Path, gold: Path) -> None:
    name = "bc/cctv/00/a_name_that_is_longer_than_most_names_are"
    path = tmp_path / "a.conll"
    path.write_text(gold.read_text().replace("story/letter", name))
    assert any(
        line.startswith(f"{name} ")
        for line in run("score", path, path, "--per-document").out.splitlines()
    )


def test_a_terminal_that_knows_no_superscripts_gets_a_table(gold: Path) -> None:
    command = [sys.executable, "-m", "corelax", "score", str(gold), str(gold)]
    done = subprocess.run(
        command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}, check=True
    )
    assert b"B? " in done.stdout


def test_help_names_all_metrics_and_a_wrong_name_does_too() -> None:
    for done in (run("score", "--help"), run("score", "a", "b", "--metric", "bleu")):
        shown = done.out + done.err
        assert [name for name in METRICS if name not in shown] == []


def test_json_of_another_beta_has_f_and_no_conll_score(gold: Path, system: Path) -> None:
    scores = json.loads(run("score", gold, system, "--json", "--beta", "2").out)
    assert scores["beta"] == 2
    assert set(scores["muc"]) == {"recall", "precision", "f"}
    assert "conll" not in scores
    assert "CoNLL" not in run("score", gold, system, "--beta", "2").out


def test_options_offer_all_formats() -> None:
    # The commands spell them out so that --help need not import the library.
    assert list(get_args(FormatName)) == [*FORMATS, *ALIASES]
