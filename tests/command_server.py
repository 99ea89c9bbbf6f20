"""Runs `corelax` commands in processes of their own, forked from one that has imported everything.

A process that starts from nothing spends two seconds on imports; a forked one can be killed as well. A
command has the environment and the working folder of the test that starts it, and a session of its own, in
which interrupts are not ignored (tests that run in the background ignore them). Orders and answers are
lines of JSON. What happens to a process on the way is part of its order:

    kill: [what, k]         SIGKILL before the k-th "fsync", "replace" or "unlink", or after
                            the k-th training "document"
    interrupt: k            SIGINT after the k-th training document
    largest_file: bytes     no file may grow larger, as if the disk were full

The order itself can also be {"wait": pid} or {"poll": pid}; the answer is the exit code, or null.
"""

from __future__ import annotations

import atexit
import itertools
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SECONDS = 300  # more than a command may need for one step, on a busy machine too
MODULES = """rich.progress safetensors.torch torch._dynamo scipy.optimize jinja2
matplotlib.backends.backend_agg matplotlib.backends.backend_svg
corelax.cli.app corelax.cli.progress corelax.io corelax.metrics.scoring corelax.resolve.resolver
corelax.study.api""".split()


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Running:
    """A command that was started."""

    def __init__(self, server: Server, pid: int, out: Path, err: Path) -> None:
        self.pid, self._server, self._out, self._err = pid, server, out, err

    def wait(self) -> Done:
        return Done(self._server.ask(wait=self.pid), self._out.read_text(), self._err.read_text())

    @property
    def code(self) -> int | None:
        """The exit code; None while the command runs."""
        return self._server.ask(poll=self.pid)

    def wait_until(self, is_time: Callable[[], object]) -> None:
        """Fails if the command ends before."""
        end = time.monotonic() + SECONDS
        while not is_time():
            assert self.code is None, self._err.read_text()
            assert time.monotonic() < end, "it takes too long"
            time.sleep(0.005)

    def send(self, number: int, *, group: bool = False) -> None:
        """Sends a signal to the command, or to its workers as well."""
        (os.killpg if group else os.kill)(self.pid, number)


class Server:
    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        self._numbers = itertools.count()
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.command_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        )

    def ask(self, **order: object) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def start(self, *arguments: object, stdin: str = "", **more: object) -> Running:
        number = next(self._numbers)
        files = {
            name: Path(self._folder.name) / f"{number}.{name}" for name in ("in", "out", "err")
        }
        files["in"].write_text(stdin)
        pid = self.ask(
            arguments=[str(argument) for argument in arguments],
            files={name: str(path) for name, path in files.items()},
            environment=dict(os.environ),
            cwd=str(Path.cwd()),
            **more,
        )
        return Running(self, pid, files["out"], files["err"])

    def run(self, *arguments: object, stdin: str = "", **more: object) -> Done:
        return self.start(*arguments, stdin=stdin, **more).wait()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._folder.cleanup()


@cache
def server() -> Server:
    """The server of this process, started when it is first asked for."""
    made = Server()
    atexit.register(made.close)
    return made


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
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["environment"])
    files = order["files"]
    os.dup2(os.open(files["in"], os.O_RDONLY), 0)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(files[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    sys.stdin = open(0)  # noqa: SIM115  (the one before has read ahead)
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
    for module in MODULES:
        import_module(module)
    codes: dict[int, int] = {}
    for line in sys.stdin:
        order = json.loads(line)
        if "arguments" in order:
            answer = os.fork()
            if answer == 0:
                child(order)
        else:
            pid = order.get("wait") or order["poll"]
            if pid not in codes:
                ended, status = os.waitpid(pid, 0 if "wait" in order else os.WNOHANG)
                if ended:
                    codes[pid] = os.waitstatus_to_exitcode(status)
            answer = codes.get(pid)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
