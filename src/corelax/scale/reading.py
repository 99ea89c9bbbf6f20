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
from corelax.scale.options import ShardOptions
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


def read_piece(piece: Piece, options: ShardOptions) -> Iterator[Document | Bad]:
    """The documents of a piece, in their order.

    >>> [doc] = read_piece(Piece("text", "examples/data/curie.txt"), ShardOptions())
    >>> doc.id
    'examples/data/curie.txt'
    """
    readers = {"text": _text, "lines": _lines, "parquet": _rows, "annotated": _annotated}
    if not is_remote(piece.path) and not Path(piece.path).exists():
        # It was there when it was cut: the file is not bad, and other nodes may see it.
        raise CorelaxError(
            f"{piece.path}: not there on {socket.gethostname()}; every node must see the inputs"
        )
    if piece.kind == "bad":
        yield Bad("", piece.path, piece.note)
    else:
        yield from readers[piece.kind](piece, options)


def _text(piece: Piece, options: ShardOptions) -> Iterator[Document | Bad]:
    path = piece.path
    try:
        if is_remote(path):
            text = decoded(read_place(path), path, options.encoding)
        else:
            text = read_text(path, options.encoding)
        yield _raw(text, path, options)
    except CorelaxError as error:
        yield _refused(path, path, error)


def _raw(text: str, name: str, options: ShardOptions) -> Document:
    return document_of(text, name, speakers_of(text) if options.dialogue else None)


def _lines(piece: Piece, options: ShardOptions) -> Iterator[Document | Bad]:
    number = piece.line
    try:
        for number, line in enumerate(_raw_lines(piece), piece.line + 1):
            if line.strip():
                yield _from_line(line, piece.path, number, options)
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


def _from_line(line: bytes, path: str, number: int, options: ShardOptions) -> Document | Bad:
    """The document in a line of JSON: annotated, or a raw text."""
    name, source = f"{PurePath(path).name}:{number}", f"{path}:{number}"
    try:
        text = line.decode().removeprefix("\ufeff")
        fields = json.loads(text)
        if isinstance(fields, dict):
            name = _name(fields) or name
            if options.column in fields and not any(field in fields for field in WORD_FIELDS):
                return _raw(fields[options.column], name, options)
    except (ValueError, RecursionError) as error:
        return Bad(name, source, f"not a JSON object on one line ({error})")
    except CorelaxError as error:
        return _refused(name, source, error)
    try:
        [document] = FORMATS["jsonlines"].read(iter([text]), Problems(path), layers=True)  # type: ignore[arg-type]
    except CorelaxError as error:
        reason = str(error).removeprefix(f"{path}:1: ")
        return Bad(name, source, f"{reason} (or a text as {options.column!r})")
    return document if _name(fields) else replace(document, id=name)


def _name(fields: dict[str, Any]) -> str | None:
    """What a line calls its document, if it says so as the reader of jsonlines expects it."""
    for field in NAME_FIELDS:
        if (value := fields.get(field)) not in (None, "") and not isinstance(value, bool):
            return str(value) if isinstance(value, str | int) else None
    return None


def _rows(piece: Piece, options: ShardOptions) -> Iterator[Document | Bad]:
    path, row = piece.path, piece.start
    try:
        for row, key, text in read_rows(path, piece.start, piece.stop, options.column):
            name = key or f"{PurePath(path).name}:{row + 1}"
            try:
                yield _raw(text, name, options)
            except CorelaxError as error:
                yield _refused(name, f"{path}: row {row + 1}", error)
            row += 1
    except DamagedFile as error:
        yield _refused("", f"{path}: rows {row + 1} to {piece.stop}", error)


def _annotated(piece: Piece, _: ShardOptions) -> Iterator[Document | Bad]:
    try:
        yield from stream(piece.path, piece.note)
    except CorelaxError as error:
        yield _refused("", piece.path, error)


def _refused(name: str, source: str, error: CorelaxError) -> Bad:
    return Bad(name, source, str(error).removeprefix(f"{source}: "))
