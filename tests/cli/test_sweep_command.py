"""`corelax sweep` as a user types it: tables, going on after a kill, bad input."""

from __future__ import annotations

import csv
import json
import signal
import sys
import time
from pathlib import Path
from statistics import mean, stdev

import pytest

from corelax.cli.app import main
from corelax.io import write
from corelax.synthetic import Shape, generate
from tests.command_server import Done, server

SETTINGS = [
    "hidden_mention=8", "hidden_pair=8", "anaphoricity.epochs=1", "antecedent.epochs=1",
    "baseline.epochs=2", "epochs=6",
]  # fmt: skip
GRID = ["beta_squared=1,4", "baseline.learning_rate=0.05,0.2"]
SEEDS = (1, 2)
UNITS = [
    f"lea_beta_squared={beta}_baseline.learning_rate={rate}"
    for beta in ("1", "4")
    for rate in ("0.05", "0.2")
]


@pytest.fixture(scope="module", autouse=True)
def files(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("sweep_files")
    shape = Shape.conll2012().scaled(15)
    write(list(generate(8, seed=1, shape=shape)), folder / "train.conll")
    write(list(generate(4, seed=9, shape=shape)), folder / "dev.conll")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CORELAX_CACHE", str(folder / "cache"))
        patch.setenv("CORELAX_LEXICONS", "none")
        patch.setenv("OMP_NUM_THREADS", "1")
        yield folder


def options(files: Path, out: Path, *more: str, grid: list[str] = GRID) -> list[str]:
    corpora = ["--train", files / "train.conll", "--dev", files / "dev.conll", "--out", out]
    values = [part for item in grid for part in ("--grid", item)]
    changes = [part for setting in SETTINGS for part in ("--set", setting)]
    every = ["sweep", *corpora, *values, *changes, "--seeds", len(SEEDS), "--device", "cpu", *more]
    return [str(argument) for argument in every]


def run(arguments: list[str]) -> Done:
    return server().run(*arguments)


@pytest.fixture(scope="module")
def whole(files: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """A sweep that nobody disturbs."""
    out = tmp_path_factory.mktemp("whole_sweep")
    done = run(options(files, out, "--workers", "1"))
    assert done.code == 0, done.err
    return out, done


def record(out: Path, unit: str, seed: int) -> dict:
    return json.loads((out / "results" / f"seed{seed}" / f"{unit}.json").read_text())


def without_seconds(out: Path) -> list[list[str]]:
    with (out / "sweep.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header[-1] == "seconds"
    return [row[:-1] for row in (header, *rows)]


def state(out: Path) -> dict[Path, int]:
    """When each file of models and results was written."""
    every = [*(out / "runs").rglob("*"), *(out / "results").rglob("*")]
    return {path: path.stat().st_mtime_ns for path in every if path.is_file()}


def test_the_table_shows_what_the_records_hold(whole: tuple[Path, Done]) -> None:
    out, done = whole
    header, rule, *lines = done.out.splitlines()
    assert header.split()[:6] == "beta_squared baseline.learning_rate CoNLL F1 MUC B³".split()
    assert set(rule) == {"─"}
    shown = {tuple(line.split()[:2]): line.split()[2:5] for line in lines}
    means = []
    for unit in UNITS:
        beta, rate = (part.split("=")[1] for part in unit.removeprefix("lea_").split("_baseline"))
        scores = [100 * record(out, unit, seed)["dev"] for seed in SEEDS]
        means.append(mean(scores))
        assert shown[beta, rate] == [f"{mean(scores):.2f}", "±", f"{stdev(scores):.2f}"]
    assert [line.split()[2] for line in lines] == [f"{m:.2f}" for m in sorted(means, reverse=True)]
    table = json.loads((out / "sweep.json").read_text())
    assert [row["CoNLL F1"]["mean"] for row in table] == pytest.approx(sorted(means, reverse=True))
    assert [row["seeds"] for row in table] == [len(SEEDS)] * len(UNITS)
    assert (out / "sweep.md").read_text().count("\n| ") == len(UNITS) + 2
    best = done.err.splitlines()[-1].removeprefix("best: ")
    assert (Path(best) / "model.safetensors").exists()


def test_a_stage_is_trained_once_for_each_setting_it_has(whole: tuple[Path, Done]) -> None:
    out, _ = whole
    baselines = ["baseline_learning_rate=0.05", "baseline_learning_rate=0.2"]
    for seed in SEEDS:
        trained = sorted(path.name for path in (out / "runs" / f"seed{seed}").iterdir())
        assert trained == sorted(["anaphoricity", "antecedent", *baselines, *UNITS])
        for unit in UNITS:
            folder = out / "runs" / f"seed{seed}" / unit
            training = json.loads((folder / "config.json").read_text())["training"]
            assert list(training["start"]) == [f"baseline_{unit.rpartition('baseline.')[2]}"]


def test_finished_runs_are_not_repeated(whole: tuple[Path, Done], files: Path) -> None:
    out, first = whole
    before = state(out)
    again = run(options(files, out, "--workers", "1", "--json"))
    assert again.code == 0
    assert state(out) == before
    result = json.loads(again.out)
    assert result["runs"] == {"done": 8, "wanted": 8}
    assert [f"{100 * row['mean']:.2f}" for row in result["rows"]] == [
        line.split()[2] for line in first.out.splitlines()[2:]
    ]
    for row in result["rows"]:
        assert row["dev"] == [record(out, row["unit"], seed)["dev"] for seed in SEEDS]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_sweep_that_was_stopped_goes_on(
    whole: tuple[Path, Done], files: Path, tmp_path: Path, number: signal.Signals
) -> None:
    process = server().start(*options(files, tmp_path, "--workers", "2"))
    results = tmp_path / "results" / "seed1"
    process.wait_until(lambda: any((results / f"{unit}.json").exists() for unit in UNITS))
    # Workers see by themselves that a killed command is gone; a terminal interrupts them as well.
    process.send(number, group=number == signal.SIGINT)
    code, out, err = process.wait()
    assert out == ""
    if number != signal.SIGKILL:
        assert code == 128 + number
        assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".")]
        assert err.splitlines()[-1].endswith("the same command continues")
        assert "Traceback" not in err
        assert len(without_seconds(tmp_path)) == 1 + len(UNITS)
    time.sleep(1.5)
    records = [
        tmp_path / "results" / f"seed{seed}" / f"{unit}.json" for seed in SEEDS for unit in UNITS
    ]
    kept = {path: path.stat().st_mtime_ns for path in records if path.exists()}
    assert 0 < len(kept) < len(records)
    done = run(options(files, tmp_path, "--workers", "2"))
    assert (done.code, "Traceback" in done.err) == (0, False)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert without_seconds(tmp_path) == without_seconds(whole[0])


def test_locks_that_a_kill_left_in_a_finished_sweep_are_removed(
    whole: tuple[Path, Done], files: Path
) -> None:
    out, _ = whole
    stage = out / "runs" / "seed1" / UNITS[0]
    for folder in (out, stage):
        (folder / ".lock").touch()
    (stage / ".corelax-a1b2c3d4.part").touch()
    assert run(options(files, out, "--workers", "1")).code == 0
    assert not [path for path in out.rglob("*") if path.name.startswith(".")]


def test_a_larger_grid_adds_to_what_is_there(whole: tuple[Path, Done], files: Path) -> None:
    out, _ = whole
    before = state(out)
    larger = run(options(files, out, "--minutes", "0", grid=["beta_squared=4,2,1", GRID[1]]))
    assert larger.code == 0
    assert "8 of 12 runs are done" in larger.err.splitlines()[-1]
    assert [line.split()[2] for line in larger.out.splitlines()[-2:]] == ["–", "–"]
    assert state(out) == before


def test_other_settings_in_the_same_folder_are_named(whole: tuple[Path, Done], files: Path) -> None:
    out, _ = whole
    before = state(out)
    done = run(options(files, out, "--set", "epochs=7"))
    assert done.code == 1
    [line] = done.err.splitlines()
    assert "epochs" in line
    assert "use another --out" in line
    assert state(out) == before


@pytest.fixture
def refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, files: Path, tmp_path: Path
):
    """The line that a command ends with which must train nothing."""

    def run_here(*more: str, grid: list[str] = GRID) -> str:
        out = tmp_path / "out"
        monkeypatch.setattr(sys, "argv", ["corelax", *options(files, out, *more, grid=grid)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main()
        assert not out.exists()
        assert capsys.readouterr().out == ""
        assert isinstance(caught.value.code, str)  # which Python prints, with exit code 1
        [line] = caught.value.code.splitlines()
        return line

    return run_here


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ([], "--grid"),
        (["beta_squared="], "--grid"),
        (["beta_squared=1,1.0"], "same value"),
        (["beta_square=1,2"], "did you mean"),
        (["beta_squared=1,x"], "must be a number"),
        (["epochs=1,2"], "--set and in --grid"),
        (["seed=1,2"], "--seeds"),
    ],
)
def test_a_bad_grid_is_one_line(refused, grid: list[str], words: str) -> None:
    assert words in refused(grid=grid)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--config", "leah"], "leah: no such configuration; did you mean 'lea'?"),
        (["--train", "nowhere.conll"], "nowhere.conll: "),
        (["--set", "epoch=3"], "did you mean"),
        (["--set", "epochs"], "key=value"),
    ],
)
def test_other_bad_input_is_one_line(refused, more: list[str], words: str) -> None:
    assert words in refused(*more)


def test_the_folder_must_not_be_a_file(files: Path, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "out").write_text("")
    monkeypatch.setattr(sys, "argv", ["corelax", *options(files, tmp_path / "out")])
    with pytest.raises(SystemExit) as caught:
        main()
    assert str(caught.value.code) == f"{tmp_path / 'out'}: is a file; name a folder"


def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere(capsys, monkeypatch) -> None:
    from corelax.cli.progress import UnitsProgress

    for terminal in (False, True):
        monkeypatch.setenv("FORCE_COLOR", "1" if terminal else "")
        monkeypatch.setenv("COLUMNS", "120")
        with UnitsProgress() as progress:
            progress.update(3, 8, ["baseline 1"])
            progress.update(4, 8, ["lea 1", "lea 2"])
        out, err = capsys.readouterr()
        assert out == ""
        assert ("4/8" in err, "lea 1, lea 2" in err) == (terminal,) * 2
        assert " left" in err
        assert terminal or err.startswith("4 of 8 runs done, about ")
        assert terminal or err.count("\n") == 1
