"""Documents from files and folders: raw texts, annotated files, standard input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import STANDARD, open_text, shown
from corelax.document import Document
from corelax.io import stream, suffix_format
from corelax.text.decoding import UTF8, check_encoding, decoded
from corelax.text.dialogue import speakers_of
from corelax.text.raw import document_of

MAX_TEXT = 1 << 28  # bytes of a text; a small gzip file may hold far more
TEXTS = "*.txt"


@dataclass(frozen=True, slots=True)
class Source:
    """A file and what it holds.

    Attributes:
        path: The file; `-` is standard input.
        name: Its name, below the folder that was given if it was one.
        documents: Its documents, in their order.
    """

    path: str
    name: str
    documents: tuple[Document, ...]


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
    sources = read_sources(names, format, dialogue=dialogue)
    return [doc for source in sources for doc in source.documents]


def read_sources(
    names: Sequence[str],
    format: str | None = None,
    *,
    dialogue: bool = False,
    encoding: str = UTF8,
    glob: str = TEXTS,
    skipped: Callable[[str, CorelaxError], None] | None = None,
) -> list[Source]:
    """Files, folders and standard input (`-`) with their documents, in the order given.

    Args:
        names: As in `read_documents`.
        format: As in `read_documents`.
        dialogue: As in `read_documents`.
        encoding: Of raw texts; annotated files are UTF-8.
        glob: Which files of folders are read.
        skipped: Called with the name of a file that cannot be read and the error, and reading goes on; None
            raises it.

    >>> [source] = read_sources(["examples/data"], glob="gold.*")
    >>> source.name, len(source.documents)
    ('gold.conll', 2)
    """
    if list(names).count(STANDARD) > 1:
        raise CorelaxError("standard input can be read once only")
    check_encoding(encoding)
    sources = []
    for given in names:
        try:
            files = _named_files(given, glob)
        except CorelaxError as error:
            _skip(given, error, skipped)
            continue
        for path, name in files:
            try:
                documents = tuple(_documents(path, format, dialogue, encoding))
            except CorelaxError as error:
                _skip(path, error, skipped)
            else:
                sources.append(Source(path, name, documents))
    return sources


def _skip(
    name: str, error: CorelaxError, skipped: Callable[[str, CorelaxError], None] | None
) -> None:
    if skipped is None:
        raise error
    skipped(name, error)


def _named_files(given: str, glob: str) -> list[tuple[str, str]]:
    """A file, or the files of a folder, with their names below it."""
    folder = Path(given)
    if given == STANDARD or not folder.is_dir():
        return [(given, "stdin" if given == STANDARD else folder.name)]
    try:
        texts = sorted(path for path in folder.rglob(glob) if path.is_file())
    except (ValueError, NotImplementedError) as error:  # an empty or absolute pattern
        raise CorelaxError(f"{glob!r} is no pattern of file names: {error}") from None
    if not texts:
        raise CorelaxError(f"{given}: no {glob} file in this folder")
    return [(str(path), str(path.relative_to(folder))) for path in texts]


def _documents(path: str, format: str | None, dialogue: bool, encoding: str) -> Iterator[Document]:
    if format is not None or suffix_format(path) is not None:
        yield from stream(path, format)
        return
    text = read_text(path, encoding)
    name = "stdin" if path == STANDARD else path
    yield document_of(text, name, speakers_of(text) if dialogue else None)


def read_text(path: str, encoding: str = UTF8) -> str:
    """A text as it is, gzipped or not; an error says what the file is if it is no text."""
    with open_text(path, encoding="latin-1", newline="") as file:  # for its bytes
        raw = file.read(MAX_TEXT + 1).encode("latin-1")
    if len(raw) > MAX_TEXT:
        raise CorelaxError(f"{shown(path)}: longer than {MAX_TEXT:,} bytes; split the text")
    return decoded(raw, path, encoding)
