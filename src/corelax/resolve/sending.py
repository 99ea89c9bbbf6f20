"""What goes between processes about many texts: a few long arrays.

An array for each property of each text would take longer to send than to compute.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.document import Document
from corelax.rankers.encoder.inputs import TextWindow
from corelax.rankers.encoder.items import Item
from corelax.text.raw import CutText

Arrays = tuple[NDArray[Any], ...]
LONG = 16_000  # bytes of an array that is sent as it is: another copy would take as long as to send it alone
_NOTHING = np.zeros((0, 2), np.int64), np.zeros(0, np.int64)


class Row(NamedTuple):
    """Arrays one after the other; or a list of them, if they are long.

    Attributes:
        shapes: The shape of each.
        values: [value] those of all; or the arrays themselves.
    """

    shapes: list[tuple[int, ...]]
    values: NDArray[Any] | list[NDArray[Any]]

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Each array, perhaps as a view of the row."""
        if isinstance(self.values, list):
            yield from self.values
            return
        end = 0
        for shape in self.shapes:
            start, end = end, end + math.prod(shape)
            part = self.values[start:end]
            yield part if len(shape) == 1 else part.reshape(shape)

    def kept(self) -> Iterator[NDArray[Any]]:
        """The same for who keeps them: a view would keep all others as well."""
        if isinstance(self.values, list):
            return iter(self.values)
        return (array.copy() for array in self.arrays())


def rows_of(tuples: Sequence[Arrays]) -> list[Row]:
    """A row for each place of some tuples; the first arrays of all, the second arrays, and so on.

    >>> rows = rows_of([(np.array([1, 2]), np.array([[3]])), (np.array([4]), np.array([[5, 6]]))])
    >>> rows[0].values.tolist(), rows[1].shapes
    ([1, 2, 4], [(1, 1), (1, 2)])
    >>> [[array.tolist() for array in arrays] for arrays in tuples_of(rows)]
    [[[1, 2], [[3]]], [[4], [[5, 6]]]]
    """
    return [_in_a_row(arrays) for arrays in zip(*tuples, strict=True)]


def tuples_of(rows: Sequence[Row]) -> Iterator[Arrays]:
    """The tuples that rows were made of, for who does not keep them."""
    return zip(*(row.arrays() for row in rows), strict=True)


def kept_tuples(rows: Sequence[Row]) -> Iterator[Arrays]:
    """The same for who keeps them."""
    return zip(*(row.kept() for row in rows), strict=True)


def _in_a_row(arrays: Arrays) -> Row:
    if sum(array.nbytes for array in arrays) > LONG * len(arrays):
        return Row([], list(arrays))
    # Arrays without values may be of any type, which must not change that of the others.
    full = [array.ravel() for array in arrays if array.size]
    values = np.concatenate(full) if full else arrays[0].ravel()
    return Row([array.shape for array in arrays], values)


class SentCuts(NamedTuple):
    """Where the tokens and sentences of texts are.

    Attributes:
        rows: Of the arrays `spans` and `starts` of each `CutText`; empty ones for a document.
        others: What else it has, its name and turns; None for a document.
    """

    rows: list[Row]
    others: list[tuple[Any, ...] | None]

    def sources(self, given: Sequence[str | Document]) -> Iterator[CutText | Document]:
        """Texts that are cut, and documents as they are; for who keeps them."""
        for text, arrays, other in zip(given, kept_tuples(self.rows), self.others, strict=True):
            if isinstance(text, Document) or other is None:
                yield text  # type: ignore[misc]
            else:
                (spans, starts), (name, turns) = arrays, other
                yield CutText(text, name, spans, starts, turns)


class SentItems(NamedTuple):
    """What the network reads of texts.

    Attributes:
        rows: Of the arrays `pieces`, `owners` and `layers` of all windows.
        firsts: [window] its first word.
        counts: [text] how many windows it has.
        schemes: [text] the number of its scheme.
    """

    rows: list[Row]
    firsts: list[int]
    counts: list[int]
    schemes: list[int]

    def items(self) -> Iterator[Item]:
        """The items, whose windows are parts of the rows."""
        every = zip(self.firsts, tuples_of(self.rows), strict=True)
        windows = (TextWindow(first, *arrays) for first, arrays in every)
        for count, scheme in zip(self.counts, self.schemes, strict=True):
            yield Item(tuple(islice(windows, count)), scheme)


def sent_cuts(sources: Sequence[CutText | Document]) -> SentCuts:
    """Texts without their letters, which the other process has."""
    arrays = [_NOTHING if isinstance(s, Document) else (s.spans, s.starts) for s in sources]
    others = [None if isinstance(s, Document) else (s.id, s.turns) for s in sources]
    return SentCuts(rows_of(arrays), others)


def sent_items(items: Sequence[Item]) -> SentItems:
    """Items for which no mentions are given."""
    windows = [window for item in items for window in item.windows]
    return SentItems(
        rows_of([window[1:] for window in windows]),
        [window.first for window in windows],
        [len(item.windows) for item in items],
        [item.scheme for item in items],
    )
