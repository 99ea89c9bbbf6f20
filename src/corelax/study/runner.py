"""Runs units in parallel processes, each as soon as what it starts from is there.

Nothing is done twice: a unit with its record and predictions is done, a stage with its model folder is
finished, and a stage that was begun goes on from its last epoch. So a run can be killed at any moment, and
parts of it can be made elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from corelax.core.errors import CorelaxError
from corelax.core.files import file_digest
from corelax.rankers.sparse.folder import is_finished
from corelax.study.processes import worker_pool
from corelax.study.records import (
    Predicted,
    Record,
    check_record,
    load_predicted,
    load_record,
    predicted_path,
    record_path,
)
from corelax.study.units import Unit, seed_folder, unit_chain
from corelax.study.work import DEV, TEST, Files, Job
from corelax.train.sparse.config import Config
from corelax.train.sparse.data import load_data

LINKS = "links"
IN_ADVANCE = 1  # jobs that wait in the queue, so that no process does


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
        self.failed: dict[tuple[int, str], BaseException] = {}  # by seed and stage; not tried again

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

    def prepare(self, config: Config) -> dict[str, str]:
        """Extracts features once, before several processes ask for them; hashes of all they depend on."""
        data = load_data(
            config, self.files.train, self.files.dev, self._note, format=self.files.format
        )
        self._identity = data.identity
        return self._identity

    def record(self, unit: Unit, seed: int) -> Record | None:
        """The record of a unit, if it is done; an error if it is of another study."""
        path = record_path(self.out, unit.name, seed)
        if path not in self._records:
            if not path.exists():
                return None
            record = load_record(path)
            self.check_record(path, record, self.chain(unit, seed))
            self._records[path] = record
        return self._records[path]

    def check_record(
        self, path: Path, record: Record, chain: Sequence[Config], but: Collection[str] = ()
    ) -> None:
        """An error if a record is of other settings or files, as far as these were looked at."""
        if self._identity is not None:
            check_record(path, record, chain, self._identity, but)

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
                if part == TEST:
                    self.predicted(path)
            self._done.add(key)
        return True

    def predicted(self, path: Path) -> Predicted:
        """What a unit has predicted; an error if it is of another test file."""
        found = load_predicted(path)
        if f".{TEST}." in path.name and found.digest != self._test_digest:
            raise CorelaxError(f"{path}: is of another test file; use another --out, or delete it")
        return found

    @cached_property
    def _test_digest(self) -> str:
        return file_digest(self.files.test) if self.files.test else ""

    def run(self, wishes: Callable[[], Iterable[Wish]]) -> bool:
        """As `attempt`; what failed is an error when all else is done."""
        done = self.attempt(wishes)
        self.check()
        return done

    def attempt(self, wishes: Callable[[], Iterable[Wish]]) -> bool:
        """Does all that is wished for; whether it is done (else the time was up, or something `failed`).

        Args:
            wishes: What is wanted, in the order of its importance; asked again whenever a job is done, since
                some of it may depend on what was found.
        """
        running: dict[Future[None], Job] = {}
        with worker_pool(self.out, self._workers, self._threads) as submit:
            while True:
                wanted = _merged(wishes())
                undone = [wish for wish in wanted if not self.is_done(wish)]
                names = [f"{job.stage} {job.seed}" for job in running.values()]
                self._progress.update(len(wanted) - len(undone), len(wanted), names)
                busy = {(job.seed, job.stage) for job in running.values()} | set(self.failed)
                for job in self._ready(undone, busy):
                    if self.out_of_time or len(running) >= self._workers + IN_ADVANCE:
                        break
                    running[submit(job)] = job
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
                        self.failed[job.seed, job.stage] = error
                        self._note(f"{job.stage}, seed {job.seed}: {error}")
        return not undone

    def check(self) -> None:
        """The first error of a job, if there was any."""
        for (seed, stage), error in self.failed.items():
            if isinstance(error, CorelaxError):
                more = f" ({len(self.failed)} runs failed)" if len(self.failed) > 1 else ""
                raise CorelaxError(f"{stage}, seed {seed}: {error}{more}")
            raise error

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
            if not is_finished(folder):
                return False
            self._finished.add(folder)
        return True


def _merged(wishes: Iterable[Wish]) -> list[Wish]:
    """Each unit and seed once, with all that it shall predict."""
    merged: dict[tuple[str, int], Wish] = {}
    for wish in wishes:
        known = merged.get((wish.unit.name, wish.seed))
        before = known.predict if known else ()
        predict = tuple(dict.fromkeys((*before, *wish.predict)))
        merged[wish.unit.name, wish.seed] = wish._replace(predict=predict)
    return list(merged.values())
