"""Progress of training: bars on a terminal, elsewhere a line for each epoch, or for each run of a study."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Self

from corelax.cli.bars import PiecesBar, Shown, minutes
from corelax.cli.options import note
from corelax.core.printable import unfiltered
from corelax.train.checkpoint import History
from corelax.train.loop import Progress as Callbacks
from corelax.train.settings import StageSettings

REFRESH = 0.2  # seconds


class TrainingProgress(Shown, Callbacks):
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
                left=f"{minutes(left)} left",
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


class UnitsProgress(PiecesBar):
    """A bar for the units of a study or a sweep on standard error; a line for each if that is no terminal."""

    def __init__(self) -> None:
        super().__init__()
        self._reported: int | None = None

    def update(self, done: int, wanted: int, running: Sequence[str]) -> None:
        """Moves the bar, or writes a line."""
        super().update(done, wanted, running)
        if self._reported is not None and done > self._reported and not self._is_terminal:
            left = self._left(done, wanted)
            note(f"{done} of {wanted} runs done" + (f", {left}" if left else ""))
        self._reported = done
