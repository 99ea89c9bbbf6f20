"""Processes that help this one while it does something else: tasks in, results out, through pipes.

Unlike those of `workers.py` they never run the program of their user: they are started as Python alone and
import what they are told. So a script needs no `if __name__ == "__main__"`, and a notebook can have them too.
They end with this process, however it ends.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import IO, Any

from corelax.core.errors import CorelaxError
from corelax.core.workers import Maker, WorkerEnded, interrupts_blocked, work_for

# The first thing that a helper reads is where to import from.
_PROGRAM = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from corelax.core.helpers import help_parent; help_parent()"
)
# Each helper computes with one thread.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1"
) | {"TOKENIZERS_PARALLELISM": "false"}
_STOP = None


class Helpers:
    """A few processes that work on tasks; used as a context, at whose end they end.

    Args:
        count: How many processes.
        make: A function of a module, which makes the function of a task in each process.
        arguments: The arguments of `make`.

    >>> from operator import methodcaller
    >>> with Helpers(2, methodcaller, ("upper",)) as helpers:
    ...     [helpers.submit(letter).result() for letter in "ab"]
    ['A', 'B']
    """

    def __init__(self, count: int, make: Maker, arguments: tuple[Any, ...] = ()) -> None:
        if not can_start():
            raise CorelaxError("there is no Python to start helpers with; use workers=0")
        self._parent = os.getpid()
        start = pickle.dumps(sys.path) + pickle.dumps((os.getpid(), make, arguments))
        self._tasks: queue.SimpleQueue[tuple[Any, Future[Any]] | None] = queue.SimpleQueue()
        self._processes = [_started() for _ in range(count)]
        self._threads = [
            threading.Thread(target=self._feed, args=(process, start), daemon=True)
            for process in self._processes
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, task: Any) -> Future[Any]:
        """The result of a task, as soon as a helper has it; it raises what `make` or the task raised."""
        future: Future[Any] = Future()
        self._tasks.put((task, future))
        return future

    def __enter__(self) -> Helpers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if os.getpid() != self._parent:  # a fork, which has none of the threads
            return
        with suppress(queue.Empty):  # what nobody has begun is not done
            while True:
                self._tasks.get_nowait()
        for _ in self._threads:
            self._tasks.put(_STOP)
        for process in self._processes:
            process.terminate()  # what runs now may take long, and nobody waits for it
        for process in self._processes:
            process.wait()
        for thread in self._threads:
            thread.join()

    def _feed(self, process: subprocess.Popen[bytes], start: bytes) -> None:
        """Gives tasks to a process one by one, until there are no more or it has ended."""
        with suppress(OSError), _pipe(process.stdin) as tasks, _pipe(process.stdout) as results:
            try:
                tasks.write(start)
                tasks.flush()
            except OSError:  # it has ended at once
                self._refuse()
                return
            while (taken := self._tasks.get()) is not _STOP:
                task, future = taken
                try:
                    content = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
                except Exception as problem:  # it cannot be sent
                    future.set_exception(problem)
                    continue
                try:
                    tasks.write(content)
                    tasks.flush()
                    result, error = pickle.load(results)
                except Exception:  # it has ended, or what it has sent cannot be read
                    future.set_exception(WorkerEnded(_ENDED))
                    self._refuse()
                    return
                if error is None:
                    future.set_result(result)
                else:
                    future.set_exception(error)

    def _refuse(self) -> None:
        """Fails what is still to be done: if one process was ended, others will be."""
        while (taken := self._tasks.get()) is not _STOP:
            taken[1].set_exception(WorkerEnded(_ENDED))


def can_start() -> bool:
    """Whether there is a Python to start; a program that was frozen into a file has none.

    >>> can_start()
    True
    """
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("a helper has no pipes")
    return pipe


_ENDED = "a process ended in the middle of its work (too little memory?); use fewer workers"


def _started() -> subprocess.Popen[bytes]:
    """A new process that reads what it is to do."""
    with interrupts_blocked():
        return subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM],  # nothing from the working directory
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_ONE_THREAD},
        )


def help_parent() -> None:
    """What a helper does: reads tasks, writes results, ends with its parent or when that closes the pipe."""
    tasks = sys.stdin.buffer
    results = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what is printed must not come between
    parent, make, arguments = pickle.load(tasks)
    work_for(parent)
    worker: Callable[[Any], Any] | None = None
    while True:
        try:
            task = pickle.load(tasks)
        except EOFError:
            return
        try:
            if worker is None:
                worker = make(*arguments)
            answer: tuple[Any, Exception | None] = (worker(task), None)
        except Exception as error:
            answer = (None, error)
        try:
            content = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # an error that cannot be sent is told all the same
            content = pickle.dumps((None, CorelaxError(f"{answer[1] or error}")))
        try:
            results.write(content)
            results.flush()
        except OSError:  # nobody reads it
            return
