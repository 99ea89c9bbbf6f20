"""A bar on a terminal for work that consists of pieces: documents, or the runs of a study."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from corelax.core.printable import on_one_line, unfiltered

if TYPE_CHECKING:
    from rich.progress import Progress

ROOM = 40  # characters


class Shown:
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


class PiecesBar(Shown):
    """A bar on standard error, if that is a terminal.

    Args:
        noun: What the pieces are, if they are counted in something else, such as "words".

    >>> with PiecesBar() as bar:  # nothing is done yet
    ...     bar.update(0, 4, ["lea 1"])
    """

    def __init__(self, noun: str = "") -> None:
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
        self._noun = f" {noun}" if noun else ""
        self._is_terminal = console.is_terminal
        self._before: int | None = None  # done by an earlier run, at the first update
        self._began = time.monotonic()

    def update(self, done: int, wanted: int, running: Sequence[str]) -> None:
        """Moves the bar. The time left is rough: pieces are taken to be alike.

        Args:
            done: How many are done.
            wanted: How many there are.
            running: The names of those that run.
        """
        if self._before is None:
            self._before, self._began = done, time.monotonic()
        self._bar.update(
            self._task,
            description=_name_list(running),
            total=wanted,
            completed=done,
            count=f"{done:,}/{wanted:,}{self._noun}",
            left=self._left(done, wanted),
        )

    def _left(self, done: int, wanted: int) -> str:
        """The time left, in words; nothing before the first piece is done."""
        if self._before is None or done <= self._before:
            return ""
        speed = (time.monotonic() - self._began) / (done - self._before)
        return f"about {minutes(speed * (wanted - done))} left"


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


def minutes(seconds: float) -> str:
    """A duration.

    >>> minutes(95), minutes(4000)
    ('1:35', '1:06:40')
    """
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    clock = f"{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
    return f"{hours}:{clock}" if hours else clock
