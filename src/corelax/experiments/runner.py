"""Runs units in parallel processes, each as soon as what it starts from is there.

Nothing is done twice: a unit with its record and predictions is done, a stage with its model folder is
finished, and a stage that was begun goes on from its last epoch. So a run can be killed at any moment, and
parts of it can be made elsewhere.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from corelax.errors import CorelaxError
from corelax.experiments.records import (
    Record,
    check_record,
    load_predicted,
    load_record,
    predicted_path,
    record_path,
)
from corelax.experiments.units import Unit, seed_folder, unit_chain
from corelax.experiments.work import DEV, TEST, Files, Job, do_job, start_worker
from corelax.features.cache import file_digest
from corelax.train.config import Config
from corelax.train.folder import CONFIG, load_settings
from corelax.train.loop import identity
from corelax.train.stages import choose_device, load_data

LINKS = "links"
IN_ADVANCE = 1  # jobs that wait in the queue, so that no process does
GPU_WORKERS = 4  # a small network alone leaves a GPU waiting for its process


class Wish(NamedTuple):
    """A unit that is wanted with a seed, and what it shall predict: (part, decoding)."""

    unit: Unit
    seed: int
    predict: tuple[tuple[str, str], ...] = ((DEV, LINKS),)


class Progress:
    """Is told how the units go, and does nothing about it."""

    def update(self, done: int, wanted: int, running: Sequence[str]) -> None:
        """After each change."""


class Runner:
    """A folder of units, their files and settings.

    Args:
        out: The folder.
        files: The documents.
        common: Settings of all units.
        device: "auto", "cpu" or "cuda".
        workers: Processes.
        threads: Of each process.
        note: Is told what is finished.
        progress: Is told how many are.
        minutes: Nothing new is begun after so long; what runs is finished.
    """

    def __init__(
        self,
        out: Path,
        files: Files,
        common: Mapping[str, Any],
        *,
        device: str = "auto",
        workers: int = 1,
        threads: int = 1,
        note: Callable[[str], None] = lambda _: None,
        progress: Progress | None = None,
        minutes: float | None = None,
    ) -> None:
        self.out, self.files, self.common = out, files, common
        self._device, self._workers, self._threads = device, workers, threads
        self._note, self._progress = note, progress or Progress()
        self._end = None if minutes is None else time.monotonic() + 60 * minutes
        # What was seen once stays so, and is asked for again after each of many jobs.
        self._chains: dict[tuple[str, int], list[Config]] = {}
        self._records: dict[Path, Record] = {}
        self._done: set[tuple[str, int, tuple[tuple[str, str], ...]]] = set()
        self._finished: set[Path] = set()
        self._identity: dict[str, str] | None = None

    @property
    def out_of_time(self) -> bool:
        """Whether nothing new is begun any more."""
        return self._end is not None and time.monotonic() >= self._end

    def chain(self, unit: Unit, seed: int) -> list[Config]:
        """The stages of a unit."""
        key = (repr(unit), seed)
        if key not in self._chains:
            self._chains[key] = unit_chain(unit, seed, self.common)
        return self._chains[key]

    def prepare(self, config: Config) -> None:
        """Extracts features once, before several processes ask for them, and looks at the files."""
        data = load_data(
            config, self.files.train, self.files.dev, self._note, format=self.files.format
        )
        self._identity = identity(data, ())["data"]

    def record(self, unit: Unit, seed: int) -> Record | None:
        """The record of a unit, if it is done; an error if it is of another study."""
        path = record_path(self.out, unit.name, seed)
        if path not in self._records:
            if not path.exists():
                return None
            record = load_record(path)
            if self._identity is not None:
                check_record(path, record, self.chain(unit, seed), self._identity)
            self._records[path] = record
        return self._records[path]

    def is_done(self, wish: Wish) -> bool:
        """Whether a unit is trained and has predicted all it should."""
        if not wish.predict:  # something that others start from
            return self._is_finished(seed_folder(self.out, wish.seed) / wish.unit.name)
        key = (wish.unit.name, wish.seed, wish.predict)
        if key not in self._done:
            if self.record(wish.unit, wish.seed) is None:
                return False
            for part, decoding in wish.predict:
                path = predicted_path(self.out, wish.unit.name, wish.seed, part, decoding)
                if not path.exists():
                    return False
                if part == TEST and load_predicted(path).digest != self._test_digest:
                    raise CorelaxError(
                        f"{path}: is of another test file; use another --out, or delete it"
                    )
            self._done.add(key)
        return True

    @cached_property
    def _test_digest(self) -> str:
        return file_digest(self.files.test) if self.files.test else ""

    def run(self, wishes: Callable[[], Iterable[Wish]]) -> bool:
        """Does all that is wished for; whether it is done (else the time was up).

        Args:
            wishes: What is wanted, in the order of its importance; asked again whenever a job is done, since
                some of it may depend on what was found.
        """
        failed: dict[tuple[int, str], BaseException] = {}
        running: dict[Future[None], Job] = {}
        with self._pool() as pool:
            while True:
                wanted = _merged(wishes())
                undone = [wish for wish in wanted if not self.is_done(wish)]
                names = [f"{job.stage} {job.seed}" for job in running.values()]
                self._progress.update(len(wanted) - len(undone), len(wanted), names)
                busy = {(job.seed, job.stage) for job in running.values()} | set(failed)
                for job in self._ready(undone, busy):
                    if self.out_of_time or len(running) >= self._workers + IN_ADVANCE:
                        break
                    processes = pool()
                    with _interrupts_held_back():
                        running[processes.submit(do_job, job)] = job
                if not running:
                    break
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    job = running.pop(future)
                    error = future.exception()
                    if isinstance(error, BrokenProcessPool):
                        raise CorelaxError(
                            f"a process ended in the middle of {job.stage}, seed {job.seed} (too little "
                            "memory?); the same command goes on, with fewer --workers if need be"
                        )
                    if error is not None:  # the other units can be done all the same
                        failed[job.seed, job.stage] = error
                        self._note(f"{job.stage}, seed {job.seed}: {error}")
        for (seed, stage), error in failed.items():
            if isinstance(error, CorelaxError):
                raise CorelaxError(f"{stage}, seed {seed}: {error}")
            raise error
        return not undone

    def _ready(self, undone: Iterable[Wish], busy: set[tuple[int, str]]) -> Iterator[Job]:
        """The jobs that wait for nothing: the first unfinished stage of each unit, each stage once."""
        for unit, seed, predict in undone:
            chain = self.chain(unit, seed)
            folder = seed_folder(self.out, seed)
            first = next(
                number
                for number, config in enumerate(chain)
                if number == len(chain) - 1 or not self._is_finished(folder / config.stage)
            )
            stage = chain[first].stage
            if (seed, stage) not in busy:
                busy.add((seed, stage))
                is_last = first == len(chain) - 1
                which = predict if is_last else ()
                yield Job(tuple(chain[: first + 1]), self.out, self.files, self._device, which)

    def _is_finished(self, folder: Path) -> bool:
        if folder not in self._finished:
            if not (folder / CONFIG).exists() or not load_settings(folder)[1]["finished"]:
                return False
            self._finished.add(folder)
        return True

    @contextmanager
    def _pool(self) -> Iterator[Callable[[], ProcessPoolExecutor]]:
        """A pool of processes that is made when it is first needed, and ends with this one."""
        made: list[ProcessPoolExecutor] = []

        def pool() -> ProcessPoolExecutor:
            if not made:
                made.append(
                    ProcessPoolExecutor(
                        self._workers,
                        mp_context=get_context("spawn"),
                        initializer=start_worker,
                        initargs=(self._threads, os.getpid()),
                    )
                )
            return made[0]

        try:
            yield pool
        except BaseException:
            for one in made:  # finished epochs are kept, so that nobody need wait for them
                for process in list((one._processes or {}).values()):
                    process.terminate()
                one.shutdown(wait=True, cancel_futures=True)
            raise
        for one in made:
            one.shutdown()


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


def default_workers(device: str) -> int:
    """How many processes to run: one for each core that this one may use, or a few that share a GPU.

    >>> default_workers("cpu") >= 1
    True
    """
    if choose_device(device) == "cuda":
        return GPU_WORKERS
    if hasattr(
        os, "sched_getaffinity"
    ):  # fewer than the machine has, in a container or on a cluster
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _merged(wishes: Iterable[Wish]) -> list[Wish]:
    """Each unit and seed once, with all that it shall predict."""
    merged: dict[tuple[str, int], Wish] = {}
    for wish in wishes:
        known = merged.get((wish.unit.name, wish.seed))
        before = known.predict if known else ()
        predict = tuple(dict.fromkeys((*before, *wish.predict)))
        merged[wish.unit.name, wish.seed] = wish._replace(predict=predict)
    return list(merged.values())
