"""Documents to be scored, and how their windows are taken together."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from corelax.core.errors import CorelaxError
from corelax.decode.arrays import Ints
from corelax.rankers.encoder.inputs import TextWindow

LEAST_LOGIT = -3.0  # spans that are less likely mentions (5 %) are dropped

Given = Sequence[tuple[int, int]]


class Item(NamedTuple):
    """A document to be scored.

    Attributes:
        windows: What the encoder reads.
        scheme: The number of the scheme.
        given: The mentions in order, as (first word, one past the last), if they are known.
    """

    windows: tuple[TextWindow, ...]
    scheme: int
    given: Given | None = None


class Reading(NamedTuple):
    """A few windows that the encoder reads together, of one document or of several.

    Attributes:
        places: Their numbers among the windows of all documents.
        windows: What is read.
        schemes: The number of the scheme of each.
        given: [span, 3] the mentions that are given: window, first word in it, width less one; None if spans
            are to be found.
    """

    places: list[int]
    windows: list[TextWindow]
    schemes: list[int]
    given: Ints | None


def readings(items: Sequence[Item], pieces: int) -> Iterator[Reading]:
    """The windows of all documents; those of like lengths together, so that little is filled up.

    Args:
        items: The documents.
        pieces: How many pieces are read at a time, or one window if that is longer.
    """
    are_given = {item.given is not None for item in items}
    if len(are_given) > 1:
        raise CorelaxError("mentions must be given for all documents, or for none")
    every = [(item, window) for item in items for window in item.windows]
    order = sorted(range(len(every)), key=lambda at: -len(every[at][1].pieces))
    for places in runs(order, [len(every[at][1].pieces) for at in order], pieces):
        chosen = [every[at] for at in places]
        given = [(item.given, window) for item, window in chosen if item.given is not None]
        yield Reading(
            places,
            [window for _, window in chosen],
            [item.scheme for item, _ in chosen],
            _given(given) if are_given == {True} else None,
        )


def owners(items: Sequence[Item]) -> Ints:
    """[window] the document of each window of all documents."""
    return np.repeat(np.arange(len(items)), [len(item.windows) for item in items])


def runs(order: Sequence[int], sizes: Sequence[int], most: int) -> Iterator[list[int]]:
    """Runs of `order` whose sizes, filled up to the largest, are at most `most` together.

    >>> list(runs([7, 8, 9], [5, 4, 1], 10))
    [[7, 8], [9]]
    """
    run: list[int] = []
    largest = 0
    for item, size in zip(order, sizes, strict=True):
        if run and max(largest, size) * (len(run) + 1) > most:
            yield run
            run, largest = [], 0
        run.append(item)
        largest = max(largest, size)
    if run:
        yield run


def most_spans(items: Sequence[Item], span_ratio: float) -> int:
    """The most spans that can be kept: a share of the words of each window, or those that are given."""
    return sum(
        math.ceil(window.size * span_ratio) if item.given is None else len(item.given)
        for item in items
        for window in item.windows
    )


def _given(windows: Sequence[tuple[Given, TextWindow]]) -> Ints:
    """[span, 3] the given mentions that lie in each window: window, first word in it, width less one."""
    rows = []
    for row, (given, window) in enumerate(windows):
        beyond = window.first + window.size
        inside = given[bisect_left(given, (window.first, 0)) : bisect_left(given, (beyond, 0))]
        rows += [(row, s - window.first, e - s - 1) for s, e in inside if e <= beyond]
    return np.array(rows, np.int64).reshape(-1, 3)


def filled(rows: Sequence[Ints], value: int) -> Ints:
    """[row, longest, ...] rows of different lengths, filled up.

    >>> filled([np.array([1, 2]), np.array([3])], -1).tolist()
    [[1, 2], [3, -1]]
    """
    table = np.empty(filled_shape(rows), np.int64)
    fill(table, rows, value)
    return table


def filled_shape(rows: Sequence[Ints]) -> tuple[int, ...]:
    """The shape of a table of rows: [row, longest, ...]."""
    return len(rows), max(len(row) for row in rows), *rows[0].shape[1:]


def fill(table: Ints, rows: Sequence[Ints], value: int) -> None:
    """Writes rows into a table [row, longest, ...], and a value behind them."""
    table.fill(value)
    for line, row in zip(table, rows, strict=True):
        line[: len(row)] = row
