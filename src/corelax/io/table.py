"""Rows and columns of a text, found with numpy: a megabyte at a time instead of line by line.

Splitting every row in Python makes a dozen strings of which scoring needs two. Here a row is a range
of numbers, and only the columns that are asked for become strings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from corelax.core import files

Array = NDArray[Any]

_CHUNK = 1 << 20  # characters read at a time
_TAB, _NEWLINE, _BLANK, _HASH = b"\t\n #"


def pieces(file: IO[str]) -> Iterator[str]:
    """The text of a file, about a megabyte at a time, cut after empty lines or before marks.

    >>> from io import StringIO
    >>> list(pieces(StringIO("a\\n\\nb")))
    ['a\\n\\n', 'b\\n']
    """
    waiting: list[str] = []  # what was read and not cut yet: nowhere in it is a place to cut
    length = 0  # of the line that it ends in
    while text := file.read(_CHUNK):
        line_end = text.find("\n")
        length += line_end if line_end >= 0 else len(text)
        if length > files.MAX_LINE:
            raise files.LineTooLong
        if line_end >= 0:
            length = len(text) - 1 - text.rfind("\n")
        before = waiting[-1][-1] if waiting else ""
        seam = before + text
        blank, mark = seam.rfind("\n\n"), seam.rfind("\n#")
        if max(blank, mark) >= 0:
            cut = max(blank + 2 if blank >= 0 else 0, mark + 1) - len(before)
            yield "".join([*waiting, text[:cut]])
            waiting, text = [], text[cut:]
        if text:
            waiting.append(text)
    if rest := "".join(waiting):
        yield rest if rest.endswith("\n") else rest + "\n"


class Table:
    r"""The lines of a text and the fields of its rows.

    A line that begins with `#` is a mark, one of nothing but white space is blank, any other is a row.
    Fields are apart by single tabs in a row that has a tab, else by runs of blanks.

    >>> table = Table("# x\nd 0 Ann  -\nd 1 saw (0)\n\nd 2 it -\n")
    >>> table.marks.tolist(), table.rows.tolist(), table.column(2)
    ([0], [1, 2, 4], ['Ann', 'saw', 'it'])
    >>> table.width.tolist(), table.block.tolist()
    ([4, 4, 4], [1, 1, 2])

    Attributes:
        lines: The number of lines.
        marks: Numbers of the lines that are marks.
        rows: [row] their line numbers.
        block: [row] number of the blank or marked lines before it: rows of a sentence share it.
        width: [row] number of fields.
    """

    def __init__(self, text: str) -> None:
        # A line end in front makes every field, the first one too, lie between two separators.
        self._raw = raw = np.frombuffer(f"\n{text}".encode(), dtype=np.uint8)
        cuts = np.flatnonzero((raw == _TAB) | (raw == _NEWLINE))
        line_cuts = np.flatnonzero(raw[cuts] == _NEWLINE)
        self._edges = edges = cuts[line_cuts]  # line i lies between edges i and i + 1
        first = raw[edges[:-1] + 1]
        marked = first == _HASH
        blank = first == _NEWLINE
        # Lines that begin with white space are rare enough to be looked at one by one.
        for line in np.flatnonzero((first == _BLANK) | (first == _TAB)).tolist():
            blank[line] = not self.line(line).strip()
        breaks = marked | blank
        self.lines = len(first)
        self.marks = np.flatnonzero(marked)
        self.rows = np.flatnonzero(~breaks)
        self.block = np.cumsum(breaks)[self.rows]
        self._before, self._after = cuts[:-1], cuts[1:]
        self._first, self.width = line_cuts[:-1][self.rows], np.diff(line_cuts)[self.rows]
        without_tab = self.width == 1
        if without_tab.any():
            self._split_at_blanks(without_tab)

    def _split_at_blanks(self, rows: Array) -> None:
        """Adds the fields between runs of blanks, and lets some rows have them for theirs."""
        raw, known = self._raw, len(self._before)
        space = (raw == _BLANK) | (raw == _TAB) | (raw == _NEWLINE)
        changes = np.flatnonzero(space[1:] != space[:-1])  # before a field, its end, before, ...
        fields = np.searchsorted(changes[::2], self._edges)
        self._first[rows] = known + fields[:-1][self.rows][rows]
        self.width[rows] = np.diff(fields)[self.rows][rows]
        self._before = np.concatenate((self._before, changes[::2]))
        self._after = np.concatenate((self._after, changes[1::2] + 1))

    def line(self, number: int) -> str:
        return self._raw[self._edges[number] + 1 : self._edges[number + 1]].tobytes().decode()

    def column(self, number: int, rows: Array | slice = slice(None)) -> list[str]:
        """One field of each row (or of the rows chosen), all of which must have it; -1 is the last."""
        first = self._first[rows] + (self.width[rows] if number < 0 else 0)
        return self._cells(first + number)

    def fields(self, start: int, stop: int, rows: Array | slice = slice(None)) -> list[list[str]]:
        """[row] its fields from `start` on, without the last `stop` ones."""
        counts = np.maximum(self.width[rows] - start - stop, 0)
        ends = np.cumsum(counts)
        shifts = self._first[rows] + start - (ends - counts)
        cells = self._cells(np.arange(counts.sum()) + np.repeat(shifts, counts))
        return [
            cells[end - size : end]
            for end, size in zip(ends.tolist(), counts.tolist(), strict=True)
        ]

    def last_is(self, character: str) -> Array:
        """[row] whether the last field is just this character."""
        fields = self._first + self.width - 1
        before = self._before[fields]
        is_single: Array = self._after[fields] == before + 2
        same: Array = self._raw[before + 1] == ord(character)
        return is_single & same

    def _cells(self, fields: Array) -> list[str]:
        """Gathers the bytes of all cells into one string, each with the byte after it, and splits."""
        if not len(fields):
            return []
        before = self._before[fields]
        sizes = self._after[fields] - before
        stops = np.cumsum(sizes)
        where = np.arange(1, stops[-1] + 1) + np.repeat(before - (stops - sizes), sizes)
        text = self._raw[where]
        text[stops - 1] = _NEWLINE
        joined: str = text[:-1].tobytes().decode()
        return joined.split("\n")
