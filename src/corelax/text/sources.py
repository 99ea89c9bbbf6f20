"""Documents from files and folders: raw texts, annotated files, standard input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import STANDARD, open_text, shown
from corelax.document import Document
from corelax.io import stream, suffix_format
from corelax.text.dialogue import speakers_of
from corelax.text.raw import document_of

MAX_TEXT = 1 << 28  # bytes of a text; a small gzip file may hold far more


def read_documents(
    names: Sequence[str], format: str | None = None, *, dialogue: bool = False
) -> list[Document]:
    """All documents of files, folders and standard input (`-`), in the order given.

    Args:
        names: Files, or folders whose `*.txt` files are read. A file is raw text unless its suffix is that
            of an annotated format.
        format: A name from `corelax.io.FORMATS`: all files are of this format.
        dialogue: Whether lines of raw text such as `Ann: Hello!` name the speaker.

    >>> [doc.key for doc in read_documents(["examples/data/gold.conll"])]
    ['story/lighthouse_0', 'story/letter_0']
    """
    if list(names).count(STANDARD) > 1:
        raise CorelaxError("standard input can be read once only")
    return [doc for path in input_files(names) for doc in _documents(path, format, dialogue)]


def input_files(names: Sequence[str]) -> Iterator[str]:
    """The names, with folders replaced by the texts in them and in their subfolders.

    >>> list(input_files(["-", "examples/data/curie.txt"]))
    ['-', 'examples/data/curie.txt']
    """
    for name in names:
        if name == STANDARD or not Path(name).is_dir():
            yield name
            continue
        texts = sorted(path for path in Path(name).rglob("*.txt") if path.is_file())
        if not texts:
            raise CorelaxError(f"{name}: no *.txt file in this folder")
        yield from map(str, texts)


def _documents(path: str, format: str | None, dialogue: bool) -> Iterator[Document]:
    if format is not None or suffix_format(path) is not None:
        yield from stream(path, format)
        return
    text = read_text(path)
    name = "stdin" if path == STANDARD else path
    yield document_of(text, name, speakers_of(text) if dialogue else None)


def read_text(path: str) -> str:
    """A UTF-8 text as it is, gzipped or not; an error names the first byte that is not UTF-8."""
    with open_text(path, encoding="latin-1", newline="") as file:  # for its bytes
        raw = file.read(MAX_TEXT + 1).encode("latin-1")
    if len(raw) > MAX_TEXT:
        raise CorelaxError(f"{shown(path)}: longer than {MAX_TEXT:,} bytes; split the text")
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
