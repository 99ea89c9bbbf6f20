"""Where the jobs of a study run: in this process, or in several processes beside it.

`Runner` knows an executor by three methods and a number; see `Executor`.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import NamedTuple, Protocol

import torch

from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.core.locks import remove_unfinished
from corelax.core.workers import interrupts_blocked, work_for
from corelax.study.work import Job, Worker

GPU_WORKERS = 4  # one process with a small network leaves a GPU idle most of the time


class Ended(NamedTuple):
    """A job that has ended, and its error if it failed."""

    job: Job
    error: BaseException | None = None


class Executor(Protocol):
    """Runs jobs. A job depends on no other job that has not ended, and leaves its results in files.

    Attributes:
        capacity: The most jobs that may be submitted and not yet ended.
    """

    @property
    def capacity(self) -> int:
        """The most jobs that may be submitted and not yet ended."""

    def submit(self, job: Job) -> None:
        """Accepts a job; starts workers if there are none yet."""

    def wait(self) -> Sequence[Ended]:
        """Waits until at least one job has ended; returns those that have, each once.

        A job that fails is returned with its error. If a worker dies, an error is raised.
        """

    def shutdown(self, *, cancel: bool = False) -> None:
        """Ends the workers.

        A later `submit` starts new ones.

        Args:
            cancel: Whether to stop jobs that run; finished epochs are kept. Else all jobs have ended.
        """


class InProcess:
    """Runs one job after another in this process, when `wait` is called.

    The results are the same as those of `Processes`, bit for bit.

    Args:
        threads: Threads for each job; the number that torch had is restored afterwards.
    """

    capacity = 1

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._waiting: deque[Job] = deque()
        self._worker = Worker()

    def submit(self, job: Job) -> None:
        """Accepts a job."""
        self._waiting.append(job)

    def wait(self) -> Sequence[Ended]:
        """Runs the next job."""
        job = self._waiting.popleft()
        threads = torch.get_num_threads()
        torch.set_num_threads(self._threads)
        try:
            self._worker.run(job)
        except Exception as error:
            return [Ended(job, error)]
        finally:
            torch.set_num_threads(threads)
        return [Ended(job)]

    def shutdown(self, *, cancel: bool = False) -> None:  # noqa: ARG002  (no job runs now)
        """Forgets the documents that were loaded."""
        self._waiting.clear()
        self._worker = Worker()


class Processes:
    """Runs jobs in processes, which are started when the first job is submitted.

    They end with the process that started them, even if it is killed.

    Args:
        workers: How many processes.
        threads: Threads of each process.
    """

    def __init__(self, workers: int, threads: int = 1) -> None:
        self.workers, self.threads = workers, threads
        self._pool: ProcessPoolExecutor | None = None
        self._others: set[BaseProcess] = set()  # which this one has started for other purposes
        self._running: dict[Future[None], Job] = {}

    @property
    def capacity(self) -> int:
        """One job more than there are processes, so that none waits for its next job."""
        return self.workers + 1

    def submit(self, job: Job) -> None:
        """Gives a job to a process, or queues it."""
        if self._pool is None:
            self._others = set(active_children())
            self._pool = ProcessPoolExecutor(
                self.workers,
                mp_context=get_context("spawn"),
                initializer=_start_worker,
                initargs=(self.threads, os.getpid()),
            )
        with interrupts_blocked():
            self._running[self._pool.submit(_run, job)] = job

    def wait(self) -> Sequence[Ended]:
        """Waits until a job has ended."""
        done, _ = wait(self._running, return_when=FIRST_COMPLETED)
        jobs = []
        for future in done:
            job, error = self._running.pop(future), future.exception()
            if isinstance(error, BrokenProcessPool):
                raise CorelaxError(
                    f"a process ended in the middle of {job.stage}, seed {job.seed} (too little "
                    "memory?); the same command continues, with fewer --workers if need be"
                )
            jobs.append(Ended(job, error))
        return jobs

    def shutdown(self, *, cancel: bool = False) -> None:
        """Ends the processes."""
        pool, self._pool = self._pool, None
        self._running.clear()
        if pool is not None:
            if cancel:
                for process in set(active_children()) - self._others:
                    process.terminate()
            pool.shutdown(wait=True, cancel_futures=cancel)


def make_executor(workers: int, threads: int = 1) -> Executor:
    """An executor for some number of jobs at a time: this process for one, else processes.

    >>> make_executor(3).capacity
    4
    """
    return InProcess(threads) if workers == 1 else Processes(workers, threads)


def default_workers(device: str) -> int:
    """How many jobs to run at a time: one for each core that this process may use, or a few that share a GPU.

    >>> default_workers("cpu") >= 1
    True
    """
    if choose_device(device) == "cuda":
        return GPU_WORKERS
    if hasattr(os, "sched_getaffinity"):  # in a container or on a cluster, not all of the machine
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_worker: Worker | None = None  # set once in each process of a pool, by `_start_worker`


def _start_worker(threads: int, parent: int) -> None:
    """Prepares a process for jobs: few threads, and an end when its parent has ended.

    Args:
        threads: Its number of threads.
        parent: The process that it works for, which may have ended by now.
    """
    global _worker
    _worker = Worker()
    torch.set_num_threads(threads)
    signal.signal(signal.SIGTERM, _end_worker)
    work_for(parent)


def _end_worker(number: int, _: FrameType | None) -> None:
    """Ends a process in the middle of a job, without the file that it is writing."""
    remove_unfinished()
    os._exit(128 + number)


def _run(job: Job) -> None:
    if _worker is None:
        raise RuntimeError("jobs run in processes that _start_worker has prepared")
    _worker.run(job)
