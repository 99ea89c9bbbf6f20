"""`corelax train` with several workers, as a user starts it, loses one of them and goes on."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.command_server import SECONDS
from tests.train.encoder.running import (
    COMMAND,
    TORCHRUN,
    arguments,
    descendants,
    losses,
    run,
    started,
    wait_for,
    weights,
)

needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.mark.slow
def test_two_workers_have_the_losses_of_one_process(files, trained, tmp_path):
    done = run([*COMMAND, *arguments(files, tmp_path)])
    assert done.code == 0, done.err
    assert losses(trained) == pytest.approx(losses(tmp_path), rel=1e-4, abs=1e-5)
    assert len(losses(trained)) == 8


@pytest.mark.slow
@needs_proc
def test_a_lost_worker_is_told_in_one_line_and_the_same_command_continues(files, trained, tmp_path):
    command = [*COMMAND, *arguments(files, tmp_path / "out", "--workers", 2, "--resume")]
    with started(command, tmp_path) as process:
        wait_for("likelihood 2/6", tmp_path, process)
        [worker] = [p for p, name in descendants(process.pid).items() if "spawn_main" in name]
        os.kill(worker, signal.SIGKILL)
        process.wait()
    *epochs, last = (tmp_path / "stderr").read_text().splitlines()
    assert (process.returncode, (tmp_path / "stdout").read_text()) == (1, "")
    assert last.startswith("worker 1 was ended by signal 9; finished epochs are kept")
    assert all(line.startswith("likelihood ") for line in epochs)
    done = run(command)
    assert done.code == 0, done.err
    assert weights(tmp_path / "out") == weights(trained)
    assert len(losses(tmp_path / "out")) == 8


@pytest.mark.slow
@needs_proc
def test_workers_end_with_the_first_one(files, tmp_path):
    command = [*COMMAND, *arguments(files, tmp_path / "out", "--workers", 2)]
    with started(command, tmp_path) as process:
        wait_for("likelihood 1/6", tmp_path, process)
        workers = [p for p, name in descendants(process.pid).items() if "spawn_main" in name]
        os.kill(process.pid, signal.SIGKILL)
    until = time.monotonic() + SECONDS
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert len(workers) == 1


@pytest.mark.slow
@needs_proc
def test_torchrun_starts_lost_workers_anew_and_they_continue(files, trained, tmp_path):
    command = [
        *TORCHRUN,
        "--max-restarts",
        "1",
        "-m",
        "corelax",
        *arguments(files, tmp_path / "out"),
    ]
    with started(command, tmp_path) as process:
        wait_for("likelihood 2/6", tmp_path, process)
        [*_, last] = [p for p, name in descendants(process.pid).items() if "-m corelax" in name]
        os.kill(last, signal.SIGKILL)
        process.wait()
    assert process.returncode == 0, (tmp_path / "stderr").read_text()
    assert (tmp_path / "stdout").read_text().count("CoNLL") == 1  # the scores, once
    assert weights(tmp_path / "out") == weights(trained)
    assert len(losses(tmp_path / "out")) == 8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "line"),
    [
        (["--set", "batch=many"], "batch must be a whole number, not 'many'"),
        (["--dev", "nowhere.conll"], "nowhere.conll: no such file"),
        (["--device", "cuda:99"], "device cuda:99: there "),
    ],
)
def test_bad_input_is_told_once(files, tmp_path, more, line):
    done = run([*TORCHRUN, "-m", "corelax", *arguments(files, tmp_path / "out", *more)])
    assert done.code != 0
    assert done.out == ""
    assert sum(text.startswith(line) for text in done.err.splitlines()) == 1
    assert not (tmp_path / "out").exists()
    alone = run([*COMMAND, *arguments(files, tmp_path / "out", *more, "--workers", 2)])
    assert alone.code == 1
    [told] = alone.err.splitlines()
    assert told.startswith(line)


def test_a_sparse_ranker_has_one_worker(corelax, files, tmp_path):
    paths = [
        "--train",
        files / "train.conll",
        "--dev",
        files / "dev.conll",
        "--out",
        tmp_path / "o",
    ]
    for option in (["--workers", 2], ["--ray"], ["--ray", "10.0.0.1:6379"]):
        done = corelax("train", "--config", "lea", *paths, *option)
        assert done.code == 2
        assert f"{option[0]} does not go with --config lea" in done.err


def test_without_ray_there_is_advice(corelax, files, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    done = corelax(*arguments(files, tmp_path / "out", "--ray"))
    assert (done.code, done.out) == (1, "")
    assert done.err == "corelax: ray is not installed; pip install 'corelax[ray]'\n"


@pytest.mark.parametrize("workers", ["0", "two", "100000"])
def test_a_number_of_workers_that_makes_no_sense_is_an_error(corelax, files, tmp_path, workers):
    done = corelax(*arguments(files, tmp_path / "out", "--workers", workers))
    assert done.code == 2
    assert "--workers" in done.err
