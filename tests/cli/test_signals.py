"""Commands that are told to end, or killed, while they write."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from corelax.core.locks import TEMPORARY
from tests.command_server import Running, server


def unfinished(folder: Path) -> list[Path]:
    prefix, suffix = TEMPORARY
    return list(folder.glob(f"{prefix}*{suffix}"))


@pytest.fixture
def writing(examples: Path, tmp_path: Path) -> Iterator[Running]:
    """A conversion that has begun to write, and waits for the rest of its input."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.jsonl").write_text("old")
    out = tmp_path / "out" / "a.jsonl"
    running = server().start("convert", pipe, out, "--from", "conll2012")
    with pipe.open("w") as source:
        source.write((examples / "data" / "gold.conll").read_text())
        source.flush()
        running.wait_until(lambda: unfinished(out.parent))
        yield running


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_command_that_is_told_to_end_leaves_nothing(
    writing: Running, tmp_path: Path, number: signal.Signals
) -> None:
    writing.send(number)
    assert writing.wait().code == 128 + number
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.jsonl"]
    assert (tmp_path / "out" / "a.jsonl").read_text() == "old"


def test_the_next_command_removes_what_a_killed_one_left(
    writing: Running, examples: Path, tmp_path: Path
) -> None:
    writing.send(signal.SIGKILL)
    writing.wait()
    assert len(unfinished(tmp_path / "out")) == 1
    server().run("convert", examples / "data" / "gold.conll", tmp_path / "out" / "b.jsonl")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.jsonl", "b.jsonl"]


@pytest.mark.usefixtures("writing")
def test_two_commands_can_write_to_one_folder(examples: Path, tmp_path: Path) -> None:
    server().run("convert", examples / "data" / "gold.conll", tmp_path / "out" / "b.jsonl")
    assert len(unfinished(tmp_path / "out")) == 1
