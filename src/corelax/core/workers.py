"""Processes that work for another one, and end with it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import active_children, get_context
from types import FrameType
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.locks import remove_unfinished

AHEAD = 2  # items that wait for each process
WAIT = None  # instead of an item: there is none until a result is there

# What workers are made by: called in each process, it returns a function of an item.
Maker = Callable[..., Callable[[Any], Any]]


class WorkerEnded(CorelaxError):
    """A process that ended in the middle of its work: the system took its memory, or somebody killed it."""


def map_in_processes(
    items: Iterable[Any],
    jobs: int,
    make: Maker,
    arguments: tuple[Any, ...] = (),
    *,
    in_order: bool = False,
    ahead: int = AHEAD,
) -> Iterator[tuple[int, Any]]:
    """What workers make of items, each worker in a process of its own: (number of the item, result).

    The first error of a worker is raised here. Processes end when the iterator is closed, in the middle of
    their work if need be.

    Args:
        items: Gone through a few items ahead of the results. Items may depend on results: where none can
            be given before the next result, `WAIT` is.
        jobs: The number of processes; with one, this process does the work.
        make: A function of a module, which makes a worker when its process gets its first item.
        arguments: The arguments of `make`.
        in_order: Whether results come in the order of the items; else as they are ready.
        ahead: How many items wait for each process.

    >>> from operator import methodcaller
    >>> list(map_in_processes(["a", "b"], 2, methodcaller, ("upper",), in_order=True))
    [(0, 'A'), (1, 'B')]
    """
    if jobs == 1:
        yield from enumerate(map(make(*arguments), items))
        return
    others = set(active_children())
    pool = ProcessPoolExecutor(
        jobs,
        mp_context=get_context("spawn"),  # a fork would copy threads that do not run
        initializer=_start,
        initargs=(os.getpid(), make, arguments),
    )
    waiting: dict[Future[Any], int] = {}
    is_done = False
    try:
        for number, item in enumerate(items):
            if item is not WAIT:
                with interrupts_blocked():
                    waiting[pool.submit(_work, item)] = number
            if item is WAIT or len(waiting) > ahead * jobs:
                yield from _ended(waiting, in_order)
        while waiting:
            yield from _ended(waiting, in_order)
        is_done = True
    except BrokenProcessPool:
        raise WorkerEnded(
            "a process ended in the middle of its work (too little memory?); use fewer --jobs"
        ) from None
    finally:
        if not is_done:  # what runs now may take long, and nobody waits for it
            for process in set(active_children()) - others:
                process.terminate()
        pool.shutdown(cancel_futures=True)


def _ended(waiting: dict[Future[Any], int], in_order: bool) -> Iterator[tuple[int, Any]]:
    """The next results, at least one."""
    if in_order:
        done = {next(iter(waiting))}
    else:
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        yield waiting.pop(future), future.result()


_make: Callable[[], Callable[[Any], Any]] | None = None  # of a process that was started here
_worker: Callable[[Any], Any] | None = None


def _start(parent: int, make: Maker, arguments: tuple[Any, ...]) -> None:
    global _make
    work_for(parent)
    signal.signal(signal.SIGTERM, _end)
    _make = partial(make, *arguments)


def _end(number: int, _: FrameType | None) -> None:
    """Ends a process in the middle of its work, without the file that it is writing."""
    remove_unfinished()
    os._exit(128 + number)


def _work(item: Any) -> Any:
    global _worker
    if _worker is None:  # here and not in `_start`, where an error could not be told
        if _make is None:
            raise RuntimeError("the process was not started by map_in_processes")
        _worker = _make()
    return _worker(item)


def work_for(parent: int) -> None:
    """From now on this process leaves interrupts to its parent, and ends when that has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, and ends its workers

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """While a process starts, which inherits it: Ctrl-C would end it with a traceback of its own."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
