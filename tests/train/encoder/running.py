"""`corelax train` in processes of its own, with workers that can be killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from corelax.core.folders import WEIGHTS
from corelax.io import write
from tests.command_server import SECONDS, Done
from tests.train.encoder.tiny_encoder import made, save_encoder

COMMAND = (sys.executable, "-m", "corelax")
TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
SETTINGS = {
    "window": 60, "max_width": 10, "span_size": 32, "hidden_size": 32, "dropout": 0,
    "likelihood.epochs": 6, "likelihood.batch": 4, "epochs": 2, "batch": 3, "pool": "batch",
}  # fmt: skip


def write_files(folder: Path) -> Path:
    """Documents and an encoder."""
    documents = made(8, mentions=30)
    write(documents, folder / "train.conll")
    write(documents[:3], folder / "dev.conll")
    save_encoder(folder / "encoder", documents)
    return folder


def arguments(files: Path, out: Path, *more: object) -> list[str]:
    """Of `corelax train`, on a CPU."""
    changes = [part for key, value in SETTINGS.items() for part in ("--set", f"{key}={value}")]
    return [
        "train", "--config", "own", "--train", str(files / "train.conll"), "--dev",
        str(files / "dev.conll"), "--encoder", str(files / "encoder"), "--out", str(out),
        "--device", "cpu", *changes, *map(str, more),
    ]  # fmt: skip


def run(command: Sequence[str]) -> Done:
    """Runs a command to its end."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    return Done(done.returncode, done.stdout, done.stderr)


@contextmanager
def started(command: Sequence[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A command that has just been started; its output goes to files `stdout` and `stderr` of a folder."""
    with (folder / "stdout").open("w") as stdout, (folder / "stderr").open("w") as stderr:
        process = subprocess.Popen(command, stdout=stdout, stderr=stderr)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def wait_for(line: str, folder: Path, process: subprocess.Popen[bytes]) -> None:
    """Waits until a line is on standard error."""
    until = time.monotonic() + SECONDS
    while line not in (errors := (folder / "stderr").read_text()):
        assert process.poll() is None, errors
        assert time.monotonic() < until, errors
        time.sleep(0.02)


def descendants(pid: int) -> dict[int, str]:
    """The processes that a process has started, and those that they have, with their command lines."""
    parents, names = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                parents[int(folder.name)] = int(
                    (folder / "stat").read_text().rpartition(")")[2].split()[1]
                )
                names[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
            except OSError:  # has ended
                continue
    below: dict[int, str] = {}
    for child in sorted(child for child, parent in parents.items() if parent == pid):
        below |= {child: names.get(child, ""), **descendants(child)}
    return below


def weights(out: Path) -> list[bytes]:
    """Of both stages."""
    return [(out / stage / WEIGHTS).read_bytes() for stage in ("likelihood", "metric")]


def losses(out: Path) -> list[float]:
    """Of all epochs of both stages."""
    return [
        json.loads(line)["loss"]
        for stage in ("likelihood", "metric")
        for line in (out / stage / "log.jsonl").read_text().splitlines()
    ]
