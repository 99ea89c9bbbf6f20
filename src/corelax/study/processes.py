"""Processes that do jobs: made when they are first needed, ended with the one that made them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import active_children, get_context
from pathlib import Path

from corelax.core.device import choose_device
from corelax.study.lock import only_one
from corelax.study.work import Job, do_job, start_worker

GPU_WORKERS = 4  # a small network alone leaves a GPU waiting for its process


@contextmanager
def worker_pool(
    folder: Path, workers: int, threads: int
) -> Iterator[Callable[[Job], Future[None]]]:
    """Yields a function that gives a job to one of some processes.

    Args:
        folder: What they write to; another command must not do so at the same time.
        workers: How many processes.
        threads: Of each.
    """
    made: list[ProcessPoolExecutor] = []
    others = set(active_children())

    def submit(job: Job) -> Future[None]:
        if not made:
            held.enter_context(only_one(folder))
            made.append(
                ProcessPoolExecutor(
                    workers,
                    mp_context=get_context("spawn"),
                    initializer=start_worker,
                    initargs=(threads, os.getpid()),
                )
            )
        with _interrupts_held_back():
            return made[0].submit(do_job, job)

    with ExitStack() as held:
        try:
            yield submit
        except BaseException:
            for process in set(active_children()) - others:  # finished epochs are kept
                process.terminate()
            for pool in made:
                pool.shutdown(wait=True, cancel_futures=True)
            raise
        for pool in made:
            pool.shutdown()


def default_workers(device: str) -> int:
    """How many processes to run: one for each core that this one may use, or a few that share a GPU.

    >>> default_workers("cpu") >= 1
    True
    """
    if choose_device(device) == "cuda":
        return GPU_WORKERS
    if hasattr(os, "sched_getaffinity"):  # in a container or on a cluster, not all of the machine
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """For the start of a process, which inherits it: Ctrl-C would end it with a traceback of its own."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
