"""What the strict reader says of a file that the reference scorer would read."""

from __future__ import annotations

import os
from collections.abc import Iterator

from corelax.core.errors import CorelaxError, FormatError
from corelax.core.files import STANDARD, open_text
from corelax.document import Document
from corelax.io import Problems, format_of, stream

HINT = "--profile reference, in Python profile='reference', reads this file"


def stream_with_hint(
    path: str | os.PathLike[str], format: str | None, *, layers: bool, problems: Problems
) -> Iterator[Document]:
    """The documents of a file. An error in it names the profile that would read it, if that is so."""
    try:
        yield from stream(path, format, layers=layers, problems=problems)
    except FormatError as error:
        if not _reference_reads(os.fspath(path), format):
            raise
        room = 199 - len(HINT) - 3
        message = f"{error.message[:room]} ({HINT})"
        raise FormatError(message, path=error.path, line=error.line) from None


def _reference_reads(path: str, format: str | None) -> bool:
    """Whether the reference scorer reads all documents of a CoNLL-2012 file."""
    if path == STANDARD:
        return False
    from corelax.metrics.reference.reading import stream_reference

    try:
        with open_text(path, encoding="latin-1") as file:
            if format_of(path, format, head=file.head) != "conll2012":
                return False
        return sum(doc.entities() is not None for doc in stream_reference(path)) > 0
    except CorelaxError:
        return False
