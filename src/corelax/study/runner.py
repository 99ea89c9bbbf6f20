"""Runs units, each as soon as the stages that it starts from are finished.

Nothing is done twice: a unit with its record and predictions is done, a stage with its model folder is
finished, and a stage that was interrupted continues from its last epoch. So a run can be killed at any
moment, and parts of it can be made elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from corelax.core.errors import CorelaxError
from corelax.core.files import file_digest, remove_leftovers
from corelax.core.locks import lock_folder, remove_stale_lock
from corelax.rankers.sparse.folder import is_finished
from corelax.study.executors import Executor, InProcess
from corelax.study.files import DEV, TEST, Files, uses_vectors
from corelax.study.folder import RUNS, predicted_path, record_path, seed_folder
from corelax.study.records import (
    Predicted,
    Record,
    check_record,
    load_predicted,
    load_record,
)
from corelax.study.units import Unit, unit_chain
from corelax.study.work import Job
from corelax.train.sparse.config import Config

LINKS = "links"


class Wish(NamedTuple):
    """A unit that is wanted with a seed, and what it is to predict: (part, decoding)."""

    unit: Unit
    seed: int
    predict: tuple[tuple[str, str], ...] = ((DEV, LINKS),)


class Progress:
    """Progress callbacks; the default ignores them."""

    def update(self, done: int, wanted: int, running: Sequence[str]) -> None:
        """Called after each change.

        Args:
            done: The number of units that are done.
            wanted: The number of all units.
            running: Stage and seed of each job that runs or is queued.
        """


class Runner:
    """A folder of units, their files and settings.

    Args:
        out: The folder.
        files: The documents.
        common: Settings of all units.
        device: "auto", "cpu" or "cuda".
        executor: Where jobs run; else in this process.
        note: Called with a line for each event that a user should know of.
        progress: Called after each change.
        minutes: No stage is trained after this time; jobs that run are finished. 0: nothing is done.
    """

    def __init__(
        self,
        out: Path,
        files: Files,
        common: Mapping[str, Any],
        *,
        device: str = "auto",
        executor: Executor | None = None,
        note: Callable[[str], None] = lambda _: None,
        progress: Progress | None = None,
        minutes: float | None = None,
    ) -> None:
        self.out, self.files, self.common = out, files, common
        self._device, self._executor = device, executor or InProcess()
        self._note, self._progress = note, progress or Progress()
        self._end = None if minutes is None else time.monotonic() + 60 * minutes
        self._is_idle = minutes == 0
        # Files that were read once: they do not change, and are asked for again after each job.
        self._chains: dict[tuple[str, int], list[Config]] = {}
        self._records: dict[Path, Record] = {}
        self._done: set[tuple[str, int, tuple[tuple[str, str], ...]]] = set()
        self._finished: set[Path] = set()
        self._identities: dict[
            bool, dict[str, str]
        ] = {}  # of documents; with word vectors, and without
        self.failed: dict[tuple[int, str], BaseException] = {}  # by seed and stage; not tried again

    @property
    def out_of_time(self) -> bool:
        """Whether nothing is trained any more."""
        return self._end is not None and time.monotonic() >= self._end

    def chain(self, unit: Unit, seed: int) -> list[Config]:
        """The stages of a unit."""
        key = (repr(unit), seed)
        if key not in self._chains:
            self._chains[key] = unit_chain(unit, seed, self.common)
        return self._chains[key]

    def prepare(self, config: Config) -> dict[str, str]:
        """Extracts features once, before several processes ask for them; returns hashes of their inputs."""
        identity = self.files.load(config, self._note).identity
        self._identities[uses_vectors(config)] = identity
        return identity

    def record(self, unit: Unit, seed: int) -> Record | None:
        """The record of a unit, if it is done; an error if it belongs to another study."""
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
        """Raises an error if a record has other settings or files. Before `prepare` nothing is compared."""
        if identity := self._identities.get(uses_vectors(chain[-1])):
            check_record(path, record, chain, identity, but)

    def is_done(self, wish: Wish) -> bool:
        """Whether a unit is trained and has predicted everything that is wished for."""
        if not wish.predict:  # a stage that others start from
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
        """What a unit has predicted; an error if it belongs to another test file."""
        predicted = load_predicted(path)
        if f".{TEST}." in path.name and predicted.digest != self._test_digest:
            raise CorelaxError(f"{path}: is of another test file; use another --out, or delete it")
        return predicted

    @cached_property
    def _test_digest(self) -> str:
        return file_digest(self.files.test) if self.files.test else ""

    def run(self, *phases: Callable[[], Iterable[Wish]]) -> bool:
        """As `attempt`, but a failed job is an error when everything else is done."""
        done = self.attempt(*phases)
        self.check()
        return done

    def attempt(self, *phases: Callable[[], Iterable[Wish]]) -> bool:
        """Does what is wished for; returns whether all of it is done (else time was up, or jobs `failed`).

        Args:
            phases: Each a function that lists wishes in the order of their importance. It is called again
                whenever a job has ended, since wishes may depend on results. A phase starts when
                nothing of the one before can be done any more.
        """
        is_done = True
        with self._working() as submit:
            for wishes in phases:
                if not is_done and not self.failed:  # time was up
                    return False
                is_done = self._phase(wishes, submit) and is_done
        return is_done

    def predict(self, wishes: Callable[[], Iterable[Wish]]) -> None:
        """Predicts with the models that are here, even if time is up: a borrowed machine takes them along.

        Args:
            wishes: Lists wishes; those of units whose models are elsewhere are left out.
        """

        def here() -> Iterator[Wish]:
            for wish in wishes():
                folder = seed_folder(self.out, wish.seed)
                chain = self.chain(wish.unit, wish.seed)
                if all(self._is_finished(folder / config.stage) for config in chain):
                    yield wish

        if not self._is_idle:
            with self._working() as submit:
                self._phase(here, submit, late=True)

    def _phase(
        self,
        wishes: Callable[[], Iterable[Wish]],
        submit: Callable[[Job], None],
        *,
        late: bool = False,
    ) -> bool:
        running: dict[tuple[int, str], Job] = {}
        while True:
            wanted = _merged(wishes())
            undone = [wish for wish in wanted if not self.is_done(wish)]
            self._update(wanted, undone, running)
            busy = {*running, *self.failed}
            before = len(running)
            for job in self._ready(undone, busy):
                is_over = self.out_of_time and not late
                if is_over or len(running) >= self._executor.capacity:
                    break
                submit(job)
                running[job.seed, job.stage] = job
            if not running:
                return not undone
            if len(running) > before:
                self._update(wanted, undone, running)
            for job, error in self._executor.wait():
                del running[job.seed, job.stage]
                if error is not None:  # other units can be done all the same
                    self.failed[job.seed, job.stage] = error
                    self._note(f"{job.stage}, seed {job.seed}: {error}")

    @contextmanager
    def _working(self) -> Iterator[Callable[[Job], None]]:
        """Yields a function that submits a job. From the first job on, the folder is locked."""
        for folder in (self.out, *self.out.glob(f"{RUNS}/*/*")):  # of a command that was killed
            remove_stale_lock(folder)
            remove_leftovers(folder)
        with ExitStack() as stack:
            is_locked = False

            def submit(job: Job) -> None:
                nonlocal is_locked
                if not is_locked:
                    stack.enter_context(lock_folder(self.out))
                    is_locked = True
                self._executor.submit(job)

            try:
                yield submit
            except BaseException:
                self._executor.shutdown(cancel=True)
                raise
            self._executor.shutdown()

    def _update(
        self, wanted: Sequence[Wish], undone: Sequence[Wish], running: Mapping[tuple[int, str], Job]
    ) -> None:
        names = [f"{stage} {seed}" for seed, stage in running]
        self._progress.update(len(wanted) - len(undone), len(wanted), names)

    def check(self) -> None:
        """Raises the error of the first job that failed, if any did."""
        check_failed(self.failed)

    def _ready(self, undone: Iterable[Wish], busy: set[tuple[int, str]]) -> Iterator[Job]:
        """The jobs that can start now: the first unfinished stage of each unit, each stage once."""
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
                parts = predict if is_last else ()
                yield Job(tuple(chain[: first + 1]), self.out, self.files, self._device, parts)

    def _is_finished(self, folder: Path) -> bool:
        if folder not in self._finished:
            if not is_finished(folder):
                return False
            self._finished.add(folder)
        return True


def check_failed(failed: Mapping[tuple[int, str], BaseException]) -> None:
    """Raises the first of the errors of jobs, by seed and stage, if there is one.

    >>> check_failed({(1, "lea"): CorelaxError("the loss is not a number")})
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: lea, seed 1: the loss is not a number
    """
    for (seed, stage), error in failed.items():
        if isinstance(error, CorelaxError):
            more = f" ({len(failed)} runs failed)" if len(failed) > 1 else ""
            raise CorelaxError(f"{stage}, seed {seed}: {error}{more}")
        raise error


def _merged(wishes: Iterable[Wish]) -> list[Wish]:
    """Each unit and seed once, with everything that it is to predict."""
    merged: dict[tuple[str, int], Wish] = {}
    for wish in wishes:
        known = merged.get((wish.unit.name, wish.seed))
        before = known.predict if known else ()
        predict = tuple(dict.fromkeys((*before, *wish.predict)))
        merged[wish.unit.name, wish.seed] = wish._replace(predict=predict)
    return list(merged.values())
