"""`corelax reproduce` as a user types it: quick, on files, killed, and with bad input."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from statistics import mean, stdev

import pytest

import corelax
from corelax.cli.app import main
from corelax.io import read, write
from corelax.synthetic import Shape, generate
from tests.command_server import Done, server

SETTINGS = [
    "hidden_mention=8", "hidden_pair=8", "anaphoricity.epochs=1", "antecedent.epochs=1", "epochs=1",
]  # fmt: skip
UNITS = ("baseline", "entity_ce", "b3", "lea")
SEEDS = (1, 2)


@pytest.fixture(scope="module", autouse=True)
def files(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("reproduce_files")
    shape = Shape.conll2012().scaled(15)
    write(list(generate(8, seed=1, shape=shape)), folder / "train.conll")
    write(list(generate(4, seed=9, shape=shape)), folder / "dev.conll")
    write(list(generate(4, seed=10, shape=shape)), folder / "test.conll")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CORELAX_CACHE", str(folder / "cache"))
        patch.setenv("CORELAX_LEXICONS", "none")
        patch.setenv("OMP_NUM_THREADS", "1")
        yield folder


def options(out: Path, *more: object, workers: int = 1) -> list[str]:
    changes = [part for setting in SETTINGS for part in ("--set", setting)]
    every = ["reproduce", "--out", out, "--device", "cpu", "--workers", workers, *changes, *more]
    return [str(argument) for argument in every]


def run(arguments: list[str]) -> Done:
    return server().run(*arguments)


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """A quick study that nobody disturbs."""
    out = tmp_path_factory.mktemp("quick")
    done = run(options(out, "--quick"))
    assert done.code == 0, done.err
    return out, done


def trained(out: Path) -> dict[Path, int]:
    """When each file of models and results was written."""
    every = [*(out / "runs").rglob("*"), *(out / "results").rglob("*")]
    return {path: path.stat().st_mtime_ns for path in every if path.is_file()}


def report(out: Path, *but: str) -> dict[str, bytes]:
    folder = out / "report"
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.stem not in but
    }


def conll(out: Path, unit: str, seed: int, part: str = "test", gold: Path | None = None) -> float:
    """The score of what a unit predicted."""
    path = out / "results" / f"seed{seed}" / f"{unit}.{part}.links.json"
    predicted = json.loads(path.read_text())
    clusters = dict(zip(predicted["documents"], predicted["entities"], strict=True))
    docs = read(gold or out / "data" / f"{part}.conll")
    system = [
        doc.with_clusters(
            corelax.Clustering([[corelax.Span(*m) for m in e] for e in clusters[doc.key]])
        )
        for doc in docs
    ]
    return 100 * corelax.score(gold=docs, system=system, singletons="drop").conll


@pytest.mark.slow
def test_the_table_shows_what_the_predictions_score(quick: tuple[Path, Done]) -> None:
    out, done = quick
    header, rule, *lines = done.out.splitlines()
    assert header.split()[:2] == ["Test", "CoNLL"]
    assert set(rule) == {"─"}
    base = mean(conll(out, "baseline", seed) for seed in SEEDS)
    for unit, line in zip(UNITS, lines, strict=True):
        scores = [conll(out, unit, seed) for seed in SEEDS]
        assert f" {mean(scores):.2f} ± {stdev(scores):.2f} " in line
        gain = f"{mean(scores) - base:+.2f} [".replace("-", "−")
        assert (gain in line) == (unit != "baseline")
    assert done.err.splitlines()[-1] == str(out / "report" / "report.html")
    assert "\x1b" not in done.out + done.err


@pytest.mark.slow
def test_the_report_is_written(quick: tuple[Path, Done]) -> None:
    out, _ = quick
    tables = (
        "answers",
        "scores",
        "dev_scores",
        "order",
        "errors",
        "error_changes",
        "gains",
        "times",
    )
    assert set(report(out)) == {
        "report.html",
        "report.md",
        *(f"tables/{name}.{suffix}" for name in tables for suffix in ("csv", "json")),
        *(f"figures/curves.{suffix}" for suffix in ("png", "svg")),
    }
    page = (out / "report" / "report.md").read_text()
    assert f"corelax reproduce --out {out}" in page
    scores = json.loads((out / "report" / "tables" / "scores.json").read_text())
    for unit, row in zip(UNITS, scores, strict=True):
        assert row["CoNLL"]["mean"] == pytest.approx(mean(conll(out, unit, s) for s in SEEDS))
    dev = json.loads((out / "report" / "tables" / "dev_scores.json").read_text())
    for unit, row in zip(UNITS, dev, strict=True):
        expected = mean(conll(out, unit, seed, "dev") for seed in SEEDS)
        assert row["CoNLL"]["mean"] == pytest.approx(expected)


@pytest.mark.slow
def test_a_second_time_nothing_is_trained_and_the_report_is_the_same(
    quick: tuple[Path, Done],
) -> None:
    out, first = quick
    before, written = trained(out), report(out)
    again = run(options(out, "--quick"))
    assert (again.code, again.out) == (0, first.out)
    assert trained(out) == before
    assert report(out) == written


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_study_that_was_killed_goes_on_to_the_same_report(
    quick: tuple[Path, Done], tmp_path: Path, workers: int
) -> None:
    process = server().start(*options(tmp_path, "--quick", workers=workers))
    results = tmp_path / "results"
    process.wait_until(lambda: len(list(results.glob("seed*/*.links.json"))) >= 3)
    process.send(signal.SIGKILL, group=True)  # as when the power fails
    assert process.wait().out == ""
    kept = {path: written for path, written in trained(results.parent).items() if is_record(path)}
    assert 0 < len(kept) < len(SEEDS) * len(UNITS)
    assert not (tmp_path / "report").exists()
    done = run(options(tmp_path, "--quick", workers=workers))
    assert (done.code, "Traceback" in done.err) == (0, False)
    assert done.out == quick[1].out
    after = trained(tmp_path)
    assert {path: after[path] for path in kept} == kept
    ours, theirs = report(tmp_path, "times", "report"), report(quick[0], "times", "report")
    assert set(ours) == set(theirs)
    assert [name for name in ours if ours[name] != theirs[name]] == []


def is_record(path: Path) -> bool:
    """A finished unit, and not what a kill in the middle of writing one leaves."""
    return path.match("results/seed*/*.json") and ".links" not in path.name


# On files


@pytest.fixture(scope="module")
def on_files(files: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """The paper's rows on files, dev held out, one seed."""
    out = tmp_path_factory.mktemp("on_files")
    corpora = ["--train", files / "train.conll", "--hold-out", 3, "--test", files / "test.conll"]
    done = run(options(out, *corpora, "--no-tune", "--seeds", 1))
    assert done.code == 0, done.err
    return out, done


@pytest.mark.slow
def test_dev_documents_are_held_out(on_files: tuple[Path, Done], files: Path) -> None:
    out, _ = on_files
    train, dev = (read(out / "data" / f"{part}.conll") for part in ("train", "dev"))
    assert (len(train), len(dev)) == (5, 3)
    keys = [doc.key for doc in read(files / "train.conll")]
    assert sorted(doc.key for doc in (*train, *dev)) == sorted(keys)
    predicted = json.loads((out / "results/seed1/baseline.dev.links.json").read_text())
    assert predicted["documents"] == [doc.key for doc in dev]


@pytest.mark.slow
def test_results_are_reported_without_training(
    on_files: tuple[Path, Done], files: Path, tmp_path: Path
) -> None:
    """The same documents as files of their own: --hold-out wrote them."""
    out, first = on_files
    copied = tmp_path / "copied"
    shutil.copytree(out / "results", copied / "results")
    corpora = [
        "--train", out / "data" / "train.conll", "--dev", out / "data" / "dev.conll",
        "--test", files / "test.conll",
    ]  # fmt: skip
    more = ["--no-tune", "--seeds", 1, "--minutes", 0]
    done = run(options(copied, *corpora, *more))
    assert (done.code, done.out) == (0, first.out)
    assert not (copied / "runs").exists()
    assert report(copied, "report") == report(out, "report")
    [line] = [line for line in done.out.splitlines() if line.startswith("Baseline (heur")]
    score = conll(out, "baseline", 1, gold=files / "test.conll")
    assert re.split(r"  +", line)[1] == f"{score:.2f}"
    more[2] = 2  # another seed, which is not done
    done = run(options(copied, *corpora, *more))
    assert done.code == 0
    assert "not all runs are done; the same command without --minutes continues" in done.err
    assert done.out.startswith("Dev ")
    assert "Not all runs are done" in (copied / "report" / "report.md").read_text()


@pytest.mark.slow
def test_without_test_documents_the_report_is_about_dev(
    on_files: tuple[Path, Done], tmp_path: Path
) -> None:
    out, _ = on_files
    shutil.copytree(out / "results", tmp_path / "dev" / "results")
    corpora = ["--train", out / "data" / "train.conll", "--dev", out / "data" / "dev.conll"]
    more = ["--no-tune", "--seeds", 1, "--title", "Only dev", "--examples", 0]
    done = run(options(tmp_path / "dev", *corpora, *more, "--minutes", 0))
    assert done.code == 0, done.err
    assert "not all runs" not in done.err
    assert done.out.startswith("Dev ")
    score = conll(out, "baseline", 1, "dev")
    [line] = [line for line in done.out.splitlines() if line.startswith("Baseline (heur")]
    assert re.split(r"  +", line)[1] == f"{score:.2f}"
    text = (tmp_path / "dev" / "report" / "report.md").read_text()
    assert text.startswith("# Only dev\n")
    assert "--minutes" not in text  # that command would train nothing
    assert "Where systems differ" not in text


# Bad input


@pytest.fixture
def corelax_here(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Runs a command in this process."""

    def run_here(arguments: list[str]) -> Done:
        monkeypatch.setattr(sys, "argv", ["corelax", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main()
        code = caught.value.code
        out, err = capsys.readouterr()
        return Done(1, out, f"{err}{code}\n") if isinstance(code, str) else Done(code, out, err)

    return run_here


def refused(done: Done) -> str:
    assert (done.code, done.out) == (1, "")
    [line] = done.err.splitlines()
    return line


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--quick", "--train", "TRAIN"], "leave out the files"),
        (["--quick", "--test", "TEST"], "leave out the files"),
        (["--quick", "--hold-out", "2"], "leave out the files"),
        ([], "--quick"),
        (["--train", "TRAIN", "--dev", "DEV", "--row", "deep_heuristic"], "give --vectors"),
        (["--dev", "DEV"], "--train"),
        (["--train", "TRAIN"], "--hold-out"),
        (["--train", "TRAIN", "--dev", "DEV", "--hold-out", "2"], "--hold-out"),
        (["--train", "TRAIN", "--hold-out", "8"], "8"),
        (["--train", "TRAIN", "--dev", "DEV", "--test", "nowhere.conll"], "nowhere.conll: "),
        (["--train", "TRAIN", "--hold-out", "2", "--test", "nowhere.conll"], "nowhere.conll: "),
        (["--train", "nowhere.conll", "--dev", "DEV"], "nowhere.conll: "),
        (["--train", "nowhere.conll", "--hold-out", "2"], "nowhere.conll: "),
        (["--quick", "--set", "epoch=3"], "did you mean"),
        (["--quick", "--set", "lea.epoch=3"], "did you mean"),
        (["--quick", "--set", "epochs"], "key=value"),
        (["--train", "TRAIN", "--folds", "99"], "--folds 99: too many for 8 documents"),
        (["--train", "TRAIN", "--folds", "3", "--test", "TEST"], "leave out --test"),
        (["--dev", "DEV", "--folds", "3"], "--train"),
        (["--train", "TRAIN", "--dev", "DEV", "--vectors", "v"], "vectors"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    corelax_here, files: Path, tmp_path: Path, more: list[str], words: str
) -> None:
    names = {part.upper(): str(files / f"{part}.conll") for part in ("train", "dev", "test")}
    arguments = [names.get(argument, argument) for argument in more]
    done = corelax_here(options(tmp_path / "out", *arguments))
    assert words in refused(done)
    assert not (tmp_path / "out").exists()


def test_the_folder_must_not_be_a_file(corelax_here, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("mine")
    assert refused(corelax_here(options(out, "--quick"))) == f"{out}: is a file; name a folder"
    assert out.read_text() == "mine"


@pytest.mark.slow
def test_results_with_other_settings_are_refused(
    corelax_here, quick: tuple[Path, Done], tmp_path: Path
) -> None:
    shutil.copytree(quick[0], tmp_path / "out")
    before = trained(tmp_path / "out")
    done = corelax_here(options(tmp_path / "out", "--quick", "--set", "epochs=2"))
    assert (done.code, done.out) == (1, "")
    assert "epochs" in done.err.splitlines()[-1]
    assert "use another --out" in done.err.splitlines()[-1]
    assert trained(tmp_path / "out") == before


def test_without_time_and_without_results_there_is_nothing_to_report(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run(options(out, "--quick", "--minutes", 0))
    assert (done.code, done.out) == (1, "")
    last = done.err.splitlines()[-1]
    assert last.startswith(f"{out}: ")
    assert "nothing to report" in last
    assert "Traceback" not in done.err
    assert not (out / "report").exists()
    assert not (out / "runs").exists()


def test_usage_errors_have_code_2(corelax_here, tmp_path: Path) -> None:
    for more in (["--seeds", "0"], ["--minutes", "-1"], ["--device", "tpu"], ["--workers", "0"],
                 ["--folds", "1"]):  # fmt: skip
        assert corelax_here(options(tmp_path / "out", "--quick", *more)).code == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("arguments", [["--help"], ["reproduce", "--help"]])
def test_help_does_not_load_torch(arguments: list[str]) -> None:
    code = (
        "import sys; from corelax.cli.app import main\n"
        f"sys.argv = ['corelax', *{arguments!r}]\n"
        "try: main()\n"
        "finally: print([m for m in ('torch', 'matplotlib', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    *text, loaded = done.stdout.splitlines()
    assert "torch" not in loaded
    assert "matplotlib" not in loaded
    assert any("reproduce" in line for line in text)
    if len(arguments) > 1:
        assert {"--quick", "--hold-out", "--folds", "--row"} <= set(done.stdout.split())
