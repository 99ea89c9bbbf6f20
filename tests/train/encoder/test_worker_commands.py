"""`corelax train` with several workers, as a user starts it, loses one of them and goes on."""

from __future__ import annotations

import os
import signal
import sys

import pytest

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


@pytest.mark.slow
def test_a_sparse_ranker_has_one_worker(files, tmp_path):
    paths = [
        "--train",
        files / "train.conll",
        "--dev",
        files / "dev.conll",
        "--out",
        tmp_path / "o",
    ]
    done = run([*TORCHRUN, "-m", "corelax", "train", "--device", "cpu", *map(str, paths)])
    assert done.code != 0
    assert "config 'lea' takes a document a step; train it in one process" in done.err
