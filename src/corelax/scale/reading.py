"""The documents of a piece; what cannot be read comes as a bad document with the reason."""

from __future__ import annotations

import json
import socket
import zlib
from collections.abc import Iterator
from dataclasses import replace
from gzip import BadGzipFile
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.io import FORMATS, Problems, stream
from corelax.io.jsonlines import NAME_FIELDS, WORD_FIELDS
from corelax.resolve.options import FileOptions
from corelax.scale.parquet import DamagedFile, read_rows
from corelax.scale.places import is_remote, open_place, read_place
from corelax.scale.shards import Piece
from corelax.text import document_of, read_text, speakers_of
from corelax.text.decoding import decoded


class Bad(NamedTuple):
    """A document that could not be read or resolved, with the file and its line or row."""

    doc_id: str
    source: str
    reason: str


class Raw(NamedTuple):
    """A raw text, with the name of its document and the file and line or row that it is from."""

    doc_id: str
    source: str
    text: Any  # a str, if the file is right


def read_piece(
    piece: Piece, options: FileOptions, column: str = "text"
) -> Iterator[Document | Bad]:
    """The documents of a piece, in their order; `column` names the raw texts of rows.

    >>> [doc] = read_piece(Piece("text", "examples/data/curie.txt"), FileOptions())
    >>> doc.id
    'examples/data/curie.txt'
    """
    if not is_remote(piece.path) and not Path(piece.path).exists():
        # It was there when it was cut: the file is not bad, and other nodes may see it.
        raise CorelaxError(
            f"{piece.path}: not there on {socket.gethostname()}; every node must see the inputs"
        )
    for each in _read(piece, options.encoding, column):
        if not isinstance(each, Raw):
            yield each
            continue
        try:
            speakers = speakers_of(each.text) if options.dialogue else None
            yield document_of(each.text, each.doc_id, speakers)
        except CorelaxError as error:
            yield _refused(each.doc_id, each.source, error)


def _read(piece: Piece, encoding: str, column: str) -> Iterator[Document | Raw | Bad]:
    path = piece.path
    if piece.kind == "bad":
        yield Bad("", path, piece.note)
    elif piece.kind == "lines":
        yield from _lines(piece, column)
    elif piece.kind == "parquet":
        yield from _rows(piece, column)
    else:
        try:
            if piece.kind == "annotated":
                yield from stream(path, piece.note)
            elif is_remote(path):
                yield Raw(path, path, decoded(read_place(path), path, encoding))
            else:
                yield Raw(path, path, read_text(path, encoding))
        except CorelaxError as error:
            yield _refused("" if piece.kind == "annotated" else path, path, error)


def _lines(piece: Piece, column: str) -> Iterator[Document | Raw | Bad]:
    number = piece.line
    try:
        for number, line in enumerate(_raw_lines(piece), piece.line + 1):
            if line.strip():
                yield _from_line(line, piece.path, number, column)
    except (EOFError, zlib.error, BadGzipFile) as error:
        yield Bad("", f"{piece.path}: after line {number}", f"the gzip data is damaged ({error})")


def _raw_lines(piece: Piece) -> Iterator[bytes]:
    with open_place(piece.path) as file:
        file.seek(piece.start)
        at = piece.start
        while at < piece.stop:
            line: bytes = file.readline(piece.stop - at)
            if not line:
                raise CorelaxError(f"{piece.path}: has become shorter since it was cut")
            at += len(line)
            yield line


def _from_line(line: bytes, path: str, number: int, column: str) -> Document | Raw | Bad:
    """The document in a line of JSON: annotated, or a raw text."""
    name, source = f"{PurePath(path).name}:{number}", f"{path}:{number}"
    try:
        text = line.decode().removeprefix("\ufeff")
        fields = json.loads(text)
        if isinstance(fields, dict):
            name = _name(fields) or name
            if column in fields and not any(field in fields for field in WORD_FIELDS):
                return Raw(name, source, fields[column])
    except (ValueError, RecursionError) as error:
        return Bad(name, source, f"not a JSON object on one line ({error})")
    try:
        [document] = FORMATS["jsonlines"].read(iter([text]), Problems(path), layers=True)  # type: ignore[arg-type]
    except CorelaxError as error:
        reason = str(error).removeprefix(f"{path}:1: ")
        return Bad(name, source, f"{reason} (or a text as {column!r})")
    return document if _name(fields) else replace(document, id=name)


def _name(fields: dict[str, Any]) -> str | None:
    """What a line calls its document, if it says so as the reader of jsonlines expects it."""
    for field in NAME_FIELDS:
        if (value := fields.get(field)) not in (None, "") and not isinstance(value, bool):
            return str(value) if isinstance(value, str | int) else None
    return None


def _rows(piece: Piece, column: str) -> Iterator[Raw | Bad]:
    path, row = piece.path, piece.start
    try:
        for row, key, text in read_rows(path, piece.start, piece.stop, column):
            name = key or f"{PurePath(path).name}:{row + 1}"
            yield Raw(name, f"{path}: row {row + 1}", text)
            row += 1
    except DamagedFile as error:
        yield _refused("", f"{path}: rows {row + 1} to {piece.stop}", error)


def _refused(name: str, source: str, error: CorelaxError) -> Bad:
    return Bad(name, source, str(error).removeprefix(f"{source}: "))
