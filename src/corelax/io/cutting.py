"""Files cut between documents, so that several processes can read one file."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from corelax.core.files import MAX_LINE, LineTooLong, TextFile, open_bytes

# How the first line of a document begins; of jsonlines every line is a document.
STARTS = {
    "conll2012": re.compile(rb"#\s*begin document\b"),
    "corefud": re.compile(rb"#\s*newdoc\b"),
    "jsonlines": re.compile(rb"\s*\S"),
}
_PIECE = 1 << 17  # bytes; damaged gzip data cost as much before them
_FIELDS = re.compile(rb"#\s*global\.Entity\b")


class Stretch(NamedTuple):
    """Some documents of a file that lie together.

    Attributes:
        start: The first byte, of the unpacked file.
        stop: One past the last byte.
        line: How many lines are before it.
        before: A line that holds for it and stands further up in the file, if there is one.
    """

    start: int
    stop: int
    line: int = 0
    before: bytes = b""


def cut(path: str, format: str) -> Iterator[Stretch]:
    """A stretch for each document of a file; what is before the first belongs to it.

    Args:
        path: A file, gzipped or not.
        format: A name from `STARTS`.

    >>> [stretch.line for stretch in cut("examples/data/gold.conll", "conll2012")]
    [0, 63]
    """
    with open_bytes(path) as file:
        yield from cut_lines(file, format)


def cut_lines(file: io.BufferedIOBase, format: str) -> Iterator[Stretch]:
    """As `cut`, of an open file."""
    is_start = STARTS[format].match
    start, start_line, has_document = 0, 0, False
    fields = before = b""
    end = 0
    for at, line, text in _lines(file, marked=format != "jsonlines"):
        if is_start(text):
            if has_document:
                yield Stretch(start, at, start_line, before)
                start, start_line, before = at, line, fields
            has_document = True
        elif format == "corefud" and _FIELDS.match(text):
            fields = text
        end = at + len(text)
    if end > start:
        yield Stretch(start, end, start_line, before)


def _lines(file: io.BufferedIOBase, *, marked: bool) -> Iterator[tuple[int, int, bytes]]:
    """Lines with their place and number; if only `marked` ones are wanted, those that begin with #.

    The end of the file comes as an empty line, whatever is wanted.
    """
    sought = b"\n#" if marked else b"\n"
    here = number = 0  # of the text that is looked at
    rest = b""
    while piece := file.read(_PIECE):
        text = rest + piece
        end = text.rfind(b"\n") + 1
        at = 0 if not marked or text.startswith(b"#") else text.find(sought, 0, end) + 1 or end
        counted = 0
        while at < end:
            number += text.count(b"\n", counted, at)
            counted = at
            yield here + at, number, text[at : text.index(b"\n", at) + 1]
            at = text.find(sought, at, end) + 1 or end
        number += text.count(b"\n", counted, end)
        here, rest = here + end, text[end:]
        if len(rest) > MAX_LINE:
            raise LineTooLong
    if rest and (not marked or rest.startswith(b"#")):
        yield here, number, rest
    yield here + len(rest), number, b""


def joined(first: Stretch, last: Stretch) -> Stretch:
    """Two stretches of a file and all that is between them.

    >>> joined(Stretch(0, 5), Stretch(5, 9, 2))
    Stretch(start=0, stop=9, line=0, before=b'')
    """
    return first._replace(stop=last.stop)


@contextmanager
def open_stretch(path: str, stretch: Stretch) -> Iterator[TextFile]:
    """The text of a stretch, read piece by piece.

    >>> with open_stretch("examples/data/gold.conll", Stretch(0, 15)) as file:
    ...     file.read()
    '#begin document'
    """
    with open_bytes(path) as file:
        file.seek(stretch.start)
        raw = _Part(file, stretch.stop - stretch.start, stretch.before)
        text = TextFile(io.BufferedReader(raw, 1 << 17), encoding="utf-8")
        try:
            yield text
        finally:
            text.detach()


class _Part(io.RawIOBase):
    """The next bytes of a file, after some others."""

    def __init__(self, file: io.BufferedReader, size: int, before: bytes) -> None:
        self._file, self._left, self._before = file, size, before

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self._before:
            content, self._before = self._before[: len(buffer)], self._before[len(buffer) :]
        else:
            content = self._file.read(min(len(buffer), self._left))
            self._left -= len(content)
        buffer[: len(content)] = content
        return len(content)
