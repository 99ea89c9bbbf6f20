"""Runs targets: makes cases, checks them, and makes what failed smaller."""

from __future__ import annotations

import hashlib
import random
import signal
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.target import Target

FOUND = Path(__file__).parent / "found"
TURN = 2.0  # seconds that a target runs before the next one has its turn
SHRINKING = 20.0  # seconds for making one case smaller


class TooSlow(BaseException):
    """A check took longer than its target allows. (No `Exception`: the code under test might catch it.)"""


@dataclass
class Fault:
    """A case that failed.

    Attributes:
        target: Its target.
        number: Of the case; with the seed, it makes the case again.
        kind: The exception and the line that raised it. Faults of one kind are kept once.
        case: The smallest case found that fails in this way.
        trace: The traceback.
    """

    target: Target
    number: int
    kind: str
    case: bytes
    trace: str

    def save(self, folder: Path) -> Path:
        """Writes the case where the ordinary tests find it."""
        digest = hashlib.sha256(self.case).hexdigest()[:10]
        path = folder / f"{self.target.name}.{digest}{self.target.suffix}"
        folder.mkdir(exist_ok=True)
        path.write_bytes(self.case)
        return path


@dataclass
class Outcome:
    """What came of a run: cases tried, and the faults by kind."""

    tried: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    faults: dict[str, Fault] = field(default_factory=dict)


def make_case(target: Target, seed: int, number: int) -> bytes:
    """A case by its number: the same for the same seed."""
    return target.make(random.Random(f"{seed}/{target.name}/{number}"))


def run(targets: Sequence[Target], seconds: float, seed: int, first: int = 0) -> Iterator[Outcome]:
    """Tries targets in turns until the time is over; yields the outcome so far after each turn."""
    outcome, end = Outcome(), time.monotonic() + seconds
    turn = min(TURN, seconds / len(targets))
    while time.monotonic() < end:
        for target in targets:
            turn_end = min(time.monotonic() + turn, end)
            while time.monotonic() < turn_end:
                number = first + outcome.tried[target.name]
                outcome.tried[target.name] += 1
                case = make_case(target, seed, number)
                if failure := failure_of(target, case):
                    kind, trace = failure
                    outcome.failed[target.name] += 1
                    if kind not in outcome.faults:
                        case = shrink(target, case, kind)
                        outcome.faults[kind] = Fault(target, number, kind, case, trace)
            yield outcome


def failure_of(target: Target, case: bytes) -> tuple[str, str] | None:
    """The kind of failure and its traceback, or None if the case passes."""
    with tempfile.TemporaryDirectory(prefix="corelax-fuzz-") as folder:
        try:
            with time_limit(target.seconds):
                target.check(case, Path(folder))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            frames = traceback.extract_tb(error.__traceback__)
            ours = [frame for frame in frames if "corelax" in frame.filename] or frames
            place = " < ".join(
                f"{Path(frame.filename).name}:{frame.lineno}" for frame in ours[:-4:-1]
            )
            said = f" ({str(error)[:60]})" if isinstance(error, AssertionError) else ""
            kind = f"{target.name}: {type(error).__name__}{said} at {place}"
            return kind, "".join(traceback.format_exception(error, limit=-8))
    return None


def shrink(target: Target, case: bytes, kind: str) -> bytes:
    """The smallest case that was found to fail in the same way."""
    end = time.monotonic() + SHRINKING
    shrinks = True
    while shrinks:
        shrinks = False
        for smaller in target.smaller(case):
            if time.monotonic() > end:
                return case
            failure = failure_of(target, smaller)
            if failure is not None and failure[0] == kind:
                case, shrinks = smaller, True
                break
    return case


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises `TooSlow` in the middle of what takes longer."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals arrive in the main thread only
        return

    def stop(*_: object) -> None:
        raise TooSlow(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
