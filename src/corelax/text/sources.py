"""The inputs of `corelax resolve`: texts, folders of texts, annotated files, standard input."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from corelax.core.errors import CorelaxError

if TYPE_CHECKING:
    from corelax.document import Document

STANDARD = "-"
# One to four words, the first with a capital, then a colon and what is said.
_TURN = re.compile(r"^[^\S\n]*([^\W\d_][\w.'’-]*(?:[^\S\n][\w.'’-]+){0,3}):[^\S\n]+(\S.*)", re.M)


class Source(NamedTuple):
    """A document to resolve, with its text if that is what it was made of."""

    document: Document
    text: str | None


def read_sources(
    names: Sequence[str], format: str | None = None, *, dialogue: bool = False
) -> list[Source]:
    """All documents of files, folders and standard input (`-`), in the order given.

    Files are texts unless their suffix is that of an annotated format, or a `format` is given.

    >>> [doc.key for doc, text in read_sources(["examples/data/gold.conll"])]
    ['story/lighthouse_0', 'story/letter_0']
    """
    if list(names).count(STANDARD) > 1:
        raise CorelaxError("standard input can be read once only")
    return [source for path in input_files(names) for source in _sources(path, format, dialogue)]


def speakers_of(text: str) -> list[tuple[int, int, str]]:
    """Who says what is in which characters: lines that look like `Name: what is said`.

    >>> speakers_of("A hall.\\nAnn: Hello!\\nDr. Bo Li:  At 5:30?")
    [(13, 19, 'Ann'), (32, 40, 'Dr. Bo Li')]
    """
    turns = (match for match in _TURN.finditer(text) if match[1][0].isupper())
    return [(*match.span(2), match[1]) for match in turns]


def input_files(names: Sequence[str]) -> Iterator[str]:
    """Folders are replaced by the texts in them and in their folders."""
    for name in names:
        if name == STANDARD or not Path(name).is_dir():
            yield name
            continue
        found = sorted(path for path in Path(name).rglob("*.txt") if path.is_file())
        if not found:
            raise CorelaxError(f"{name}: no *.txt file in this folder")
        yield from map(str, found)


def _sources(path: str, format: str | None, dialogue: bool) -> Iterator[Source]:
    from corelax.io import stream, suffix_format
    from corelax.text import document_of

    if format is not None or suffix_format(path) is not None:
        for document in stream(path, format):
            yield Source(document, None)
        return
    text = read_text(path)
    name = "stdin" if path == STANDARD else path
    yield Source(document_of(text, name, speakers_of(text) if dialogue else None), text)


def read_text(path: str) -> str:
    """A UTF-8 text as it is, gzipped or not; an error names the first byte that is none."""
    from corelax.core.files import open_text, shown

    with open_text(path, encoding="latin-1", newline="") as file:  # for its bytes
        raw = file.read().encode("latin-1")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise CorelaxError(f"{shown(path)}: this is UTF-16; convert it to UTF-8")
    if (place := raw.find(b"\0")) >= 0:
        raise CorelaxError(
            f"{shown(path)}: byte 0 at offset {place:,}: this is no text file; give UTF-8 text"
        )
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise CorelaxError(
            f"{shown(path)}: not UTF-8 text: byte 0x{raw[error.start]:02x} at offset "
            f"{error.start:,}; convert it to UTF-8"
        ) from None


def is_same_file(name: str, other: str) -> bool:
    """Whether two names are those of one file that is there.

    >>> is_same_file("README.md", "./README.md"), is_same_file("README.md", "nowhere.md")
    (True, False)
    """
    try:
        return STANDARD not in (name, other) and Path(name).samefile(other)
    except OSError:
        return False
