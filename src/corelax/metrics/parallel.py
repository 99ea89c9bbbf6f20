"""Two files scored by several processes, or on a Ray cluster, with the report of one process to the bit.

Both files are cut after the same number of documents, and workers count blocks of them. That needs files
whose documents come in the same order. Everything else, errors too, is left to the process that reads both
files from the beginning and can tell what is wrong in which line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from corelax.core.clusters import Cluster, map_on_cluster
from corelax.core.errors import CorelaxError
from corelax.core.files import STANDARD, LineTooLong, shown
from corelax.core.workers import map_in_processes
from corelax.document import Document
from corelax.io import FORMATS, Problem, Problems, format_of
from corelax.io.cutting import STARTS, Stretch, cut, joined, open_stretch
from corelax.metrics.blocks import (
    BLOCK,
    Counted,
    Pair,
    Wanted,
    blocks_of,
    count_block,
    summed,
)
from corelax.metrics.report import Report

TASK_BYTES = 1 << 22  # of both sides; a task is at least one block

Pairing = Callable[..., Iterator[Pair]]


class Side(NamedTuple):
    """One of two files.

    Attributes:
        path: The file.
        format: A name from `corelax.io.FORMATS`.
        layers: Whether more than words and clusters is needed.
    """

    path: str
    format: str
    layers: bool


class Answer(NamedTuple):
    """What a worker has counted.

    Attributes:
        names: The names of the documents.
        blocks: The counts of each block.
        oddities: What was odd on each side.
        once: The messages among them that are told once for a file.
    """

    names: Sequence[str]
    blocks: Sequence[Counted]
    oddities: tuple[Sequence[Problem], Sequence[Problem]]
    once: frozenset[str]


def side_of(path: str, format: str | None, *, layers: bool) -> Side | None:
    """A file that can be cut; None for standard input, gzipped files and other formats."""
    if path == STANDARD or not Path(path).is_file():
        return None
    try:
        with Path(path).open("rb") as file:
            head = file.read(1 << 14)
        format = format_of(path, format, head=head.decode("utf-8", errors="replace"))
    except (OSError, CorelaxError):
        return None
    is_plain = not head.startswith(b"\x1f\x8b") and format in STARTS
    return Side(path, format, layers) if is_plain else None


def score_in_parallel(
    gold: Side,
    system: Side,
    wanted: Wanted,
    pairing: Pairing,
    *,
    jobs: int,
    cluster: Cluster | None = None,
) -> Report | None:
    """The report of two files; None if they are not regular, so that one process must read them.

    Args:
        gold: The right answers.
        system: The answers to score.
        wanted: What is counted.
        pairing: Pairs the documents of two streams, as `gold` and `system`.
        jobs: How many processes.
        cluster: A Ray cluster, instead of processes.
    """
    sides = gold, system
    try:
        tasks: Sequence[Sequence[Stretch]] | Iterator[Sequence[Stretch]] = _tasks(sides)
        arguments = (sides, wanted, pairing)
        if cluster is None:
            answers = map_in_processes(tasks, jobs, block_counter, arguments)
        else:
            answers = map_on_cluster(list(tasks), cluster, block_counter, arguments)
        ordered = sorted(answers)
    except (_Irregular, LineTooLong):
        return None
    names = [name for _, answer in ordered for name in answer.names]
    if not names or len(set(names)) < len(names):
        return None
    blocks = (block for _, answer in ordered for block in answer.blocks)
    report, _ = summed(blocks, wanted)
    return replace(report, oddities=_told([answer for _, answer in ordered]))


class _Irregular(CorelaxError):
    """What only the process that reads from the beginning can score, or tell."""


def _tasks(sides: tuple[Side, Side]) -> Iterator[tuple[Stretch, Stretch]]:
    """Stretches of both files with the same number of documents: some blocks, the last perhaps less."""
    both = zip_longest(*(cut(side.path, side.format) for side in sides))
    whole: tuple[Stretch, Stretch] | None = None
    for number, (ours, theirs) in enumerate(both):
        if ours is None or theirs is None:
            raise _Irregular("one side has more documents")
        if whole is None:
            whole = ours, theirs
        elif number % BLOCK == 0 and _size(whole) >= TASK_BYTES:
            yield whole
            whole = ours, theirs
        else:
            whole = joined(whole[0], ours), joined(whole[1], theirs)
    if whole is not None:
        yield whole


def _size(stretches: Sequence[Stretch]) -> int:
    return sum(stretch.stop - stretch.start for stretch in stretches)


def block_counter(
    sides: tuple[Side, Side], wanted: Wanted, pairing: Pairing
) -> Callable[[tuple[Stretch, Stretch]], Answer]:
    """What counts the documents of a task."""
    return partial(_count, sides, wanted, pairing)


def _count(
    sides: tuple[Side, Side],
    wanted: Wanted,
    pairing: Pairing,
    task: tuple[Stretch, Stretch],
) -> Answer:
    problems = Problems(shown(sides[0].path)), Problems(shown(sides[1].path))
    readers = [
        _documents(side, stretch, of_side)
        for side, stretch, of_side in zip(sides, task, problems, strict=True)
    ]
    names: list[str] = []

    def noted() -> Iterator[Pair]:
        for pair in pairing(wanted, gold=readers[0], system=readers[1]):
            names.append(pair.key)
            yield pair

    try:
        blocks = [count_block(block, wanted) for block in blocks_of(noted())]
    except (CorelaxError, UnicodeDecodeError, LineTooLong) as error:
        raise _Irregular(str(error)) from None
    ours, theirs = (
        [_moved(problem, stretch) for problem in of_side.oddities]
        for of_side, stretch in zip(problems, task, strict=True)
    )
    return Answer(names, blocks, (ours, theirs), problems[0].once | problems[1].once)


def _documents(side: Side, stretch: Stretch, problems: Problems) -> Iterator[Document]:
    with open_stretch(side.path, stretch) as file:
        yield from FORMATS[side.format].read(file, problems, layers=side.layers)


def _moved(problem: Problem, stretch: Stretch) -> Problem:
    """A finding with its line in the whole file."""
    before = stretch.line - bool(stretch.before)
    return problem if problem.line is None else replace(problem, line=problem.line + before)


def _told(answers: Sequence[Answer]) -> list[str]:
    """All oddities of gold, then those of the system, in the order of the lines."""
    lines = []
    for side in (0, 1):
        seen: set[str] = set()
        for answer in answers:
            found = answer.oddities[side]
            lines += [str(problem) for problem in found if problem.message not in seen]
            seen |= answer.once
    return lines
