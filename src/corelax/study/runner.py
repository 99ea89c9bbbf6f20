"""Does the runs of a list, each as soon as the stages that it starts from are finished.

Nothing is done twice: a run with its record and predictions is done, a stage with its model folder is
finished, and a stage that was interrupted continues from its last epoch. So a study can be killed at any
moment.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.core.locks import lock_folder, remove_leftovers, remove_stale_lock
from corelax.core.workers import WAIT, WorkerEnded, map_in_processes
from corelax.study.folder import RUNS, Run, StudyFolder
from corelax.study.work import make_worker
from corelax.train.stage import Note, ignore

GPU_WORKERS = 4  # one process with a small network leaves a GPU idle most of the time

# Called after each change with the numbers of runs that are done and wanted, and the names of those at work.
Update = Callable[[int, int, Sequence[str]], None]


class Runner:
    """Does runs in a folder, in processes beside this one, or in this one if there is one worker.

    No run is started after `minutes`, and runs at work are finished; with 0 nothing is done.
    """

    def __init__(
        self,
        folder: StudyFolder,
        *,
        device: str = "auto",
        workers: int | None = None,
        minutes: float | None = None,
        note: Note = ignore,
        update: Update = lambda *_: None,
    ) -> None:
        self.folder, self._note, self._update = folder, note, update
        self._end = None if minutes is None else time.monotonic() + 60 * minutes
        self.is_idle = minutes == 0
        self._device = choose_device(device)
        self._workers = workers or default_workers(self._device)
        self.failed: dict[tuple[int, str], Exception] = {}  # by seed and stage; not tried again

    @property
    def out_of_time(self) -> bool:
        """Whether nothing is trained any more."""
        return self._end is not None and time.monotonic() >= self._end

    def run(self, runs: Iterable[Run], *, late: bool = False) -> bool:
        """Does runs in the order of their importance; returns whether all are done.

        Else time was up, or runs have `failed`, which does not stop the others.
        """
        wanted = merged(runs)
        waiting = self._undone(wanted)
        number = len({*wanted, *waiting})
        at_work: dict[tuple[int, str], Run] = {}

        def update() -> None:
            done = number - len(waiting) - len(at_work)
            self._update(done, number, [f"{stage} {seed}" for seed, stage in at_work])

        def startable() -> Iterator[Run | None]:
            while waiting and (late or not self.out_of_time):
                run = next(filter(self._can_start, waiting.values()), None)
                if run is not None:
                    at_work[run.key] = waiting.pop(run.key)
                    update()
                    yield run
                elif at_work:
                    yield WAIT
                else:
                    return  # what is left starts from stages that failed

        update()
        self._clean()
        if not waiting or (self.out_of_time and not late):
            return not waiting
        arguments = (self.folder.out, self.folder.files, self._device)
        results: Any = map_in_processes(startable(), self._workers, make_worker, arguments, ahead=1)
        with lock_folder(self.folder.out), closing(results):
            try:
                for _, (key, error) in results:
                    run = at_work.pop(key)
                    if error is not None:
                        waiting[key], self.failed[key] = run, error
                        self._note(f"{run.stage}, seed {run.seed}: {error}")
                    update()
            except WorkerEnded:
                names = " or ".join(f"{stage}, seed {seed}" for seed, stage in at_work)
                raise CorelaxError(
                    f"a process ended in the middle of {names} (too little memory?); the same command "
                    "continues, with fewer --workers if need be"
                ) from None
        return not waiting

    def _undone(self, wanted: Mapping[tuple[int, str], Run]) -> dict[tuple[int, str], Run]:
        """The runs that are not done, each stage once and after those it starts from."""
        undone: dict[tuple[int, str], Run] = {}
        for run in wanted.values():
            if self.folder.is_done(run):
                continue
            for number in range(1, len(run.chain)):
                before = Run(run.chain[:number], ())
                if not self.folder.is_finished(*before.key):
                    undone.setdefault(before.key, wanted.get(before.key, before))
            undone.setdefault(run.key, run)
        return undone

    def _can_start(self, run: Run) -> bool:
        return run.key not in self.failed and all(
            self.folder.is_finished(run.seed, config.stage) for config in run.chain[:-1]
        )

    def _clean(self) -> None:
        """Removes what a command that was killed has left."""
        out = self.folder.out
        for folder in (out, *out.glob(f"{RUNS}/*/*")):
            remove_stale_lock(folder)
            remove_leftovers(folder)


def merged(runs: Iterable[Run]) -> dict[tuple[int, str], Run]:
    """Each unit and seed once, with everything that it is to predict."""
    every: dict[tuple[int, str], Run] = {}
    for run in runs:
        known = every.get(run.key, run)
        every[run.key] = run._replace(predict=tuple(dict.fromkeys((*known.predict, *run.predict))))
    return every


def default_workers(device: str) -> int:
    """How many runs at a time: one for each core that this process may use, or a few that share a GPU."""
    if device.startswith("cuda"):
        return GPU_WORKERS
    if hasattr(os, "sched_getaffinity"):  # in a container or on a cluster, not all of the machine
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_failed(failed: Mapping[tuple[int, str], Exception]) -> None:
    """Raises the first of the errors of runs, by seed and stage, if there is one.

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
