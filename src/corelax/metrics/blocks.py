"""Documents counted in blocks: a corpus is the sum of its blocks, whoever has counted them.

Sums of fractions depend on their order in the last bits. A block is always the same documents, counted by
themselves, and blocks are added in their order; so several processes give the bits of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple, TypeVar

from corelax.document import Document
from corelax.metrics.counting import Counting
from corelax.metrics.metric import AnyCounts
from corelax.metrics.prepared import Prepared
from corelax.metrics.report import Report
from corelax.metrics.rules import Rules

BLOCK = 128  # documents

T = TypeVar("T")


class Pair(NamedTuple):
    """A document as it is counted, and its two sides where they were read."""

    key: str
    prepared: Prepared
    documents: tuple[Document, Document] | None = None


class Counted(NamedTuple):
    """What was counted of some documents.

    Attributes:
        counts: The counts of each metric.
        removed: Repeated system mentions that were taken out.
        reports: A report for each document, where they were asked for.
        differences: Where the sides differ, by document, where it was asked for.
    """

    counts: Mapping[str, AnyCounts]
    removed: int
    reports: Mapping[str, Report]
    differences: Mapping[str, Sequence[str]]


class Wanted(NamedTuple):
    """What is counted.

    Attributes:
        metrics: Names of metrics.
        rules: The rules of the run.
        beta: β of the F-measure.
        per_document: Whether each document gets a report.
        differences: Whether it is told where the sides differ.
    """

    metrics: Sequence[str]
    rules: Rules
    beta: float
    per_document: bool
    differences: bool


def blocks_of(items: Iterable[T], size: int | None = BLOCK) -> Iterator[Iterator[T]]:
    """The items in stretches of `size`, each to be gone through before the next; None is one stretch.

    >>> [list(block) for block in blocks_of("abcde", 2)]
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(items)
    for first in rest:
        yield chain([first], rest if size is None else islice(rest, size - 1))


def count_block(pairs: Iterable[Pair], wanted: Wanted) -> Counted:
    """Counts some documents."""
    metrics, rules, beta, per_document, differences = wanted
    counting = Counting(metrics, rules)
    reports: dict[str, Report] = {}
    lines: dict[str, Sequence[str]] = {}
    for key, prepared, documents in pairs:
        if per_document:
            alone = Counting(metrics, rules)
            alone.add(prepared)
            reports[key] = Report(alone.counts(), beta=beta)
        if differences and documents is not None and (described := _described(*documents, rules)):
            lines[key] = described
        counting.add(prepared)
    return Counted(counting.counts(), counting.removed, reports, lines)


def _described(gold: Document, system: Document, rules: Rules) -> list[str]:
    """Where the sides of a document differ."""
    from corelax.document import describe_differences
    from corelax.metrics.preparing import matched_clusters

    ours, theirs = matched_clusters(gold=gold, system=system, rules=rules)
    return list(describe_differences(gold, gold=ours, system=theirs))


def summed(blocks: Iterable[Counted], wanted: Wanted) -> tuple[Report, int]:
    """The report of all blocks, and how many repeated system mentions were taken out."""
    counts = Counting(wanted.metrics, wanted.rules).counts()
    removed = 0
    reports: dict[str, Report] = {}
    lines: dict[str, Sequence[str]] = {}
    for block in blocks:
        counts = {name: counts[name] + block.counts[name] for name in counts}  # type: ignore[operator]
        removed += block.removed
        reports |= block.reports
        lines |= block.differences
    report = Report(counts, beta=wanted.beta, documents=reports, differences=lines)
    return report, removed
