"""Progress of training: bars on a terminal, elsewhere a line for each epoch, or for each run of a study."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from corelax.cli.options import note
from corelax.core.printable import on_one_line
from corelax.core.printed import unfiltered
from corelax.study.runner import Progress as StudyProgress
from corelax.train.checkpoint import History
from corelax.train.loop import Progress as Callbacks
from corelax.train.settings import StageSettings

if TYPE_CHECKING:
    from rich.progress import Progress

REFRESH = 0.2  # seconds
ROOM = 40  # characters


class _Shown:
    """A bar that is shown inside a `with` block."""

    _bar: Progress

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()


class TrainingProgress(_Shown, Callbacks):
    """A line for each epoch on standard error, and a bar for the one that runs if that is a terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._console = Console(file=unfiltered(sys.stderr))
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("", total=1, left="")
        self._shown = self._began = time.monotonic()

    def __enter__(self) -> Self:
        return self  # the bar appears with the first document

    def document(self, stage: str, epoch: int, epochs: int, done: int, documents: int) -> None:
        """Moves the bar, a few times a second."""
        now = time.monotonic()
        if done == 1:
            self._bar.start()
            self._began = now
        if now - self._shown >= REFRESH or done == documents:
            self._shown = now
            speed = (now - self._began) / done
            left = speed * (documents - done + (epochs - epoch) * documents)
            self._bar.update(
                self._task,
                description=f"{stage} {epoch}/{epochs}",
                total=documents,
                completed=done,
                left=f"{_minutes(left)} left",
            )

    def epoch(self, config: StageSettings, history: History) -> None:
        """A line for the epoch that is done."""
        last, best = history.epochs[-1], history.best
        mark = "best so far" if best is None or best is last else f"best {100 * best.dev:.2f}"
        line = (
            f"{config.stage} {last.epoch}/{config.epochs}: loss {last.loss:.4f}, "
            f"dev {config.criterion} {100 * last.dev:.2f} ({mark}), {last.seconds:.1f} s"
        )
        if self._console.is_terminal:
            self._bar.print(line, highlight=False, markup=False)
        else:
            note(line)


class UnitsProgress(_Shown, StudyProgress):
    """A bar for the units of a study or a sweep on standard error; a line for each if that is no terminal.

    >>> with UnitsProgress() as progress:  # nothing is done yet
    ...     progress.update(0, 4, ["lea 1"])
    """

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        console = Console(file=unfiltered(sys.stderr))
        self._bar = Progress(
            BarColumn(),
            TextColumn("{task.fields[count]}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            TextColumn("{task.description}", markup=False),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=None, count="", left="")
        self._is_terminal = console.is_terminal
        self._before: int | None = None  # done by an earlier run, at the first update
        self._reported = 0
        self._began = time.monotonic()

    def update(self, done: int, wanted: int, running: Sequence[str]) -> None:
        """Moves the bar. The time left is rough: units are taken to be alike."""
        if self._before is None:
            self._before, self._began = done, time.monotonic()
            self._reported = done
        left = ""
        if done > self._before:
            speed = (time.monotonic() - self._began) / (done - self._before)
            left = f"about {_minutes(speed * (wanted - done))} left"
        if done > self._reported and not self._is_terminal:
            note(f"{done} of {wanted} runs done, {left}")
        self._reported = done
        self._bar.update(
            self._task,
            description=_name_list(running),
            total=wanted,
            completed=done,
            count=f"{done}/{wanted}",
            left=left,
        )


def _name_list(names: Sequence[str]) -> str:
    """The first names that there is room for. Names come from files and may hold any character.

    >>> _name_list(["baseline 1", "baseline 2", "lea_beta_squared=1.4_temperature=0.5 1"])
    'baseline 1, baseline 2 and 1 more'
    """
    shown = list(map(on_one_line, names[:1]))
    for name in map(on_one_line, names[1:]):
        if len(", ".join([*shown, name])) > ROOM:
            break
        shown.append(name)
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _minutes(seconds: float) -> str:
    """A duration.

    >>> _minutes(95), _minutes(4000)
    ('1:35', '1:06:40')
    """
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    clock = f"{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
    return f"{hours}:{clock}" if hours else clock
