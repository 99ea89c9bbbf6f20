"""`corelax resolve --shards` killed at random moments, and its processes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from corelax.core.workers import WorkerEnded, map_in_processes
from tests.scale.scale_inputs import contents, write_texts

KILLS = 20
SHARDS = 200
MORE = 8  # shards at most that are waited for before a kill


def start(texts, out):
    command = ["resolve", texts, "--shards", "--out", out, "--shard-size", "1", "--jobs", "2"]
    return subprocess.Popen(
        [sys.executable, "-m", "corelax", *map(str, command), "--device", "cpu", "--quiet"],
        stderr=subprocess.PIPE,
    )


def finish(texts, out):
    """Runs to the end."""
    process = start(texts, out)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (0, b"")


def done(out):
    """Parts that are done, with what tells a file from one that was written again."""
    names = [path.stem for path in out.glob("done/*.json")]
    return {
        name: (status.st_ino, status.st_mtime_ns)
        for name in names
        if (status := (out / f"part-{name}.jsonl").stat())
    }


@pytest.mark.slow
def test_twenty_kills_lose_nothing_and_do_nothing_twice(tmp_path):
    texts = write_texts(tmp_path / "texts", SHARDS)
    finish(texts, tmp_path / "whole")
    out, draw = tmp_path / "out", random.Random(7)
    seen = {}
    in_the_middle = 0
    for _ in range(KILLS):
        process = start(texts, out)
        if more := draw.randint(0, MORE):  # while the next ones are written, however fast that is
            while process.poll() is None and len(done(out)) < len(seen) + more:
                time.sleep(0.001)
            time.sleep(draw.uniform(0, 0.03))
        else:  # while it starts
            time.sleep(draw.uniform(0, 1))
        process.kill()
        process.communicate()
        now = done(out) if out.exists() else {}
        assert seen.items() <= now.items()  # none was lost, none was written again
        in_the_middle += 0 < len(now) < SHARDS
        seen = now
    assert in_the_middle >= 5
    finish(texts, out)
    assert seen.items() <= done(out).items()
    assert contents(out) == contents(tmp_path / "whole")


@pytest.mark.slow
def test_an_interrupted_run_says_that_it_can_be_continued(tmp_path):
    texts = write_texts(tmp_path / "texts", SHARDS)
    process = start(texts, tmp_path / "out")
    while not (tmp_path / "out" / "done").exists():
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.decode().splitlines() == [
        "interrupted; what is finished is kept: the same command continues"
    ]
    assert not (tmp_path / "out" / ".lock").exists()


def ending_at(word):
    def work(item):
        if item == word:
            os.kill(os.getpid(), signal.SIGKILL)  # as the system does where memory ends
        return item.upper()

    return work


def test_a_process_without_memory_is_told_in_one_line():
    with pytest.raises(WorkerEnded, match=r"a process ended .*too little memory.*fewer --jobs"):
        list(map_in_processes(["a", "b", "c"], 2, ending_at, ("b",)))


def test_results_come_in_order_if_that_is_wanted():
    results = map_in_processes("abcdefgh", 2, ending_at, ("",), in_order=True)
    assert list(results) == list(enumerate("ABCDEFGH"))


def test_processes_end_when_nobody_takes_results():
    results = map_in_processes("abcdefgh", 2, ending_at, ("",))
    next(results)
    results.close()  # and does not wait for the others
    assert sorted(r for _, r in map_in_processes("ab", 2, ending_at, ("",))) == ["A", "B"]
