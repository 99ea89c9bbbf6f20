"""Runs `corelax` commands in processes of their own, forked from one that has imported everything.

A process that starts from nothing spends two seconds on imports; a forked one can be killed as well. Orders
and answers are lines of JSON. What happens to a process on the way is part of its order:

    kill: [what, k]         SIGKILL before the k-th "fsync", "replace" or "unlink", or after
                            the k-th training "document"
    interrupt: k            SIGINT after the k-th training document
    largest_file: bytes     no file may grow larger, as if the disk were full
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import NamedTuple


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Server:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        environment = {
            **os.environ,
            "CORELAX_CACHE": str(folder / "cache"),
            "CORELAX_LEXICONS": "none",
            "OMP_NUM_THREADS": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(self, *arguments: object, **what: object) -> Done:
        out, err = self._folder / "stdout", self._folder / "stderr"
        order = {"arguments": [str(a) for a in arguments], "out": str(out), "err": str(err), **what}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        code = json.loads(self._process.stdout.readline())
        return Done(code, out.read_text(), err.read_text())

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


class Counter:
    """Sends a signal to this process at the k-th call."""

    def __init__(self, k: int, number: int) -> None:
        self.left, self.number = k, number

    def __call__(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), self.number)


def arrange(order: dict) -> None:
    """What is to happen to this process."""
    from corelax.cli.progress import TrainingProgress

    what, k = order.get("kill", ("", 0))
    if "interrupt" in order:
        what, k = "document", order["interrupt"]
    count = Counter(k, signal.SIGINT if "interrupt" in order else signal.SIGKILL)
    fsync, replace, unlink = os.fsync, Path.replace, Path.unlink
    document = TrainingProgress.document

    def watched_fsync(handle):
        if what == "fsync":
            count()
        fsync(handle)

    def watched_replace(self, target):
        if what == "replace":
            count()
        return replace(self, target)

    def watched_unlink(self, **keywords):
        if what == "unlink":
            count()
        unlink(self, **keywords)

    def watched_document(self, *arguments):
        document(self, *arguments)
        if what == "document":
            count()

    os.fsync, Path.replace, Path.unlink = watched_fsync, watched_replace, watched_unlink
    TrainingProgress.document = watched_document
    if "largest_file" in order:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["largest_file"], resource.RLIM_INFINITY))


def child(order: dict) -> None:
    """Does a command, and never returns."""
    for stream, name in ((sys.stdout, "out"), (sys.stderr, "err")):
        os.dup2(os.open(order[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), stream.fileno())
    code = 0
    try:
        from corelax.cli.app import main

        arrange(order)
        sys.argv = ["corelax", *order["arguments"]]
        main()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 99
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def serve() -> None:
    for module in ("rich.progress", "safetensors.torch", "torch._dynamo"):
        import_module(module)
    for module in ("cli.app", "cli.progress", "train.sparse.stage", "resolve.predict", "io"):
        import_module(f"corelax.{module}")

    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            child(order)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    serve()
