"""Inputs cut into shards: which documents of which files belong together.

A piece is some documents of a file that lie together; a shard is a list of pieces. What a shard holds
depends on the inputs and its size alone, never on who works on it.
"""

from __future__ import annotations

import fnmatch
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import IO, NamedTuple

from corelax.core.errors import CorelaxError
from corelax.core.files import MAX_LINE, STANDARD
from corelax.io import suffix_format
from corelax.scale.parquet import row_weights
from corelax.scale.places import is_folder, is_remote, open_place, size_of, sizes_in

SHARD_BYTES = 1 << 23  # of input: books make smaller shards than letters
READABLE = ".txt", ".txt.gz", ".parquet"  # in folders, beside annotated files


class Piece(NamedTuple):
    """Documents of a file that lie together.

    Attributes:
        kind: "text" (a file is a document), "lines" (jsonlines), "parquet" (rows), "annotated" (a whole file
            of another format), or "bad" (a file that could not be cut).
        path: The file.
        start: The first byte of the unpacked file, or the first row.
        stop: One past the last.
        line: How many lines are before it.
        note: Why it is bad, or the format of an annotated file.
    """

    kind: str
    path: str
    start: int = 0
    stop: int = 0
    line: int = 0
    note: str = ""


Shard = tuple[Piece, ...]


def input_sizes(names: Sequence[str], glob: str | None = None) -> dict[str, int]:
    """The files that names and folders stand for, here or in a store, in their order, with their sizes.

    >>> list(input_sizes(["examples/data"], "*.conll"))
    ['examples/data/gold.conll', 'examples/data/system.conll']
    """
    sizes: dict[str, int] = {}
    for name in names:
        if name == STANDARD:
            raise CorelaxError("<stdin>: shards need files, which can be read again; name files")
        if not is_folder(name):
            sizes[name] = size_of(name)
            continue
        inside = {
            f"{name.rstrip('/')}/{file}": size
            for file, size in sizes_in(name).items()
            if _is_wanted(file, glob)
        }
        if not inside:
            raise CorelaxError(f"{name}: no {glob or 'text, Parquet or annotated'} file in it")
        sizes |= inside
    return sizes


def _is_wanted(file: str, glob: str | None) -> bool:
    name = PurePath(file).name
    if glob is not None:
        return fnmatch.fnmatchcase(name, glob)
    return not name.startswith(".") and (file.endswith(READABLE) or suffix_format(file) is not None)


def cut_into_shards(
    sizes: Mapping[str, int], *, documents: int, format: str | None = None
) -> Iterator[Shard]:
    """Shards of at most so many documents, and of little more than `SHARD_BYTES`.

    Args:
        sizes: Files and their sizes, as `input_sizes` gives them.
        documents: The most documents of a shard.
        format: Of all files that are neither texts nor Parquet; else by suffix.

    >>> [len(shard) for shard in cut_into_shards({"a.txt": 10, "b.txt": 10, "c.txt": 10}, documents=2)]
    [2, 1]
    """
    pieces: list[Piece] = []
    count = size = 0
    for path, file_size in sizes.items():
        for piece, weight in _documents(path, file_size, format):
            if count and (count == documents or size + weight > SHARD_BYTES):
                yield tuple(pieces)
                pieces, count, size = [], 0, 0
            last = pieces[-1] if pieces else None
            if (
                last is not None
                and piece.kind in ("lines", "parquet")
                and (last.kind, last.path, last.stop) == (piece.kind, path, piece.start)
            ):
                pieces[-1] = last._replace(stop=piece.stop)
            else:
                pieces.append(piece)
            count += 1
            size += weight
    if pieces:
        yield tuple(pieces)


def _documents(path: str, size: int, format: str | None) -> Iterator[tuple[Piece, int]]:
    """A piece for each document of a file, and its weight in bytes."""
    kind = None if path.endswith(".parquet") else format or suffix_format(path)
    if path.endswith(".parquet"):
        yield from _rows(path)
    elif kind is None:
        yield Piece("text", path, 0, size), size
    elif kind == "jsonlines":
        yield from _lines(path)
    elif is_remote(path):
        raise CorelaxError(f"{path}: a store can have texts, jsonlines and Parquet; convert it")
    else:
        yield Piece("annotated", path, 0, size, note=kind), size


def _lines(path: str) -> Iterator[tuple[Piece, int]]:
    """A piece for each line of a file, with the blank lines before it."""
    start = line = 0
    try:
        with open_place(path) as file:
            for stop, number in _ends_of_lines(file):
                yield Piece("lines", path, start, stop, line), stop - start
                start, line = stop, number
    except (CorelaxError, EOFError, OSError, zlib.error) as error:
        reason = str(error).removeprefix(f"{path}: ")
        yield Piece("bad", path, start, start, note=f"{reason}; what follows is not read"), 0


def _ends_of_lines(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    at = number = 0
    while line := file.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            raise CorelaxError(f"a line of more than {MAX_LINE:,} characters")
        at, number = at + len(line), number + 1
        if not line.isspace():
            yield at, number


def _rows(path: str) -> Iterator[tuple[Piece, int]]:
    try:
        weights = row_weights(path)
    except CorelaxError as error:
        yield Piece("bad", path, note=str(error).removeprefix(f"{path}: ")), 0
        return
    first = 0
    for rows, weight in weights:
        for row in range(first, first + rows):
            yield Piece("parquet", path, row, row + 1), weight
        first += rows
