"""Inputs cut into shards: which documents of which files belong together.

A piece is some documents of a file that lie together; a shard is a list of pieces. What a shard holds
depends on the inputs and its size alone, never on who works on it.
"""

from __future__ import annotations

import fnmatch
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.core.files import MAX_LINE, STANDARD, LineTooLong
from corelax.io import suffix_format
from corelax.io.cutting import cut_lines
from corelax.scale.places import is_folder, is_remote, open_place, size_of, sizes_in

SHARD_DOCUMENTS = 500
SHARD_BYTES = 1 << 23  # of input: books make smaller shards than letters
READABLE = ".txt", ".txt.gz", ".parquet"  # in folders, beside annotated files
PARQUET = ".parquet"


class Piece(NamedTuple):
    """Documents of a file that lie together.

    Attributes:
        kind: "text" (a file is a document), "lines" (jsonlines), "parquet" (rows), "annotated" (a whole file
            of another format), or "bad" (a file that could not be cut).
        path: The file.
        start: The first byte of the unpacked file, or the first row.
        stop: One past the last.
        line: How many lines are before it.
        reason: Why it is bad.
    """

    kind: str
    path: str
    start: int = 0
    stop: int = 0
    line: int = 0
    reason: str = ""


Shard = tuple[Piece, ...]


def input_sizes(names: Sequence[str], glob: str | None = None) -> dict[str, int]:
    """The files that names and folders stand for, in their order, with their sizes.

    Args:
        names: Files and folders, here or in a store.
        glob: Which files of folders are read; else texts, Parquet and annotated files.

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
    sizes: Iterable[tuple[str, int]],
    *,
    documents: int = SHARD_DOCUMENTS,
    format: str | None = None,
) -> Iterator[Shard]:
    """Shards of at most so many documents, and of little more than `SHARD_BYTES`.

    Args:
        sizes: Files and their sizes, as `input_sizes` gives them.
        documents: The most documents of a shard.
        format: Of all files that are neither texts nor Parquet; else by suffix.

    >>> [len(shard) for shard in cut_into_shards([("a.txt", 10), ("b.txt", 10), ("c.txt", 10)], documents=2)]
    [2, 1]
    """
    pieces: list[Piece] = []
    count = size = 0
    for path, file_size in sizes:
        for piece, weight in _documents(path, file_size, format):
            if count and (count == documents or size + weight > SHARD_BYTES):
                yield tuple(pieces)
                pieces, count, size = [], 0, 0
            if pieces and _goes_on(pieces[-1], piece):
                pieces[-1] = pieces[-1]._replace(stop=piece.stop)
            else:
                pieces.append(piece)
            count += 1
            size += weight
    if pieces:
        yield tuple(pieces)


def _goes_on(last: Piece, piece: Piece) -> bool:
    is_divided = piece.kind in ("lines", "parquet")
    return is_divided and last[:2] == piece[:2] and last.stop == piece.start


def _documents(path: str, size: int, format: str | None) -> Iterator[tuple[Piece, int]]:
    """A piece for each document of a file, and its weight in bytes."""
    if path.endswith(PARQUET):
        yield from _rows(path)
        return
    kind = format or suffix_format(path)
    if kind is None:
        yield Piece("text", path, 0, size), size
    elif kind != "jsonlines" and is_remote(path):
        raise CorelaxError(f"{path}: a store can have texts, jsonlines and Parquet; convert it")
    elif kind != "jsonlines":
        yield Piece("annotated", path, 0, size, reason=kind), size
    else:
        at = 0
        try:
            with open_place(path) as file:
                for stretch in cut_lines(file, kind):
                    at = stretch.stop
                    weight = stretch.stop - stretch.start
                    yield Piece("lines", path, stretch.start, stretch.stop, stretch.line), weight
        except LineTooLong:
            reason = f"a line of more than {MAX_LINE:,} characters; what follows it is not read"
            yield Piece("bad", path, at, at, reason=reason), 0
        except (CorelaxError, EOFError, OSError, zlib.error) as error:
            reason = str(error).removeprefix(f"{path}: ")
            yield Piece("bad", path, at, at, reason=f"{reason}; what follows is not read"), 0


def _rows(path: str) -> Iterator[tuple[Piece, int]]:
    from corelax.scale.parquet import row_weights

    try:
        weights = row_weights(path)
    except CorelaxError as error:
        yield Piece("bad", path, reason=str(error).removeprefix(f"{path}: ")), 0
        return
    row = 0
    for rows, weight in weights:
        for row in range(row, row + rows):  # noqa: B020  (goes on where the group before ended)
            yield Piece("parquet", path, row, row + 1), weight
        row += bool(rows)
