"""Reading and writing coreference data.

A format is chosen by name, by the file's suffix, or by looking at its content. Files may be gzipped;
`-` is standard input or output. Documents are read one at a time: `stream` holds one document and a
megabyte of the file.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Protocol

from corelax.core.errors import CorelaxError, FormatError
from corelax.core.files import STANDARD, open_for_writing, open_text, shown
from corelax.document import Document
from corelax.io.problems import Problems


class Reader(Protocol):
    """Yields documents from a file and reports what is wrong with them."""

    def __call__(self, file: IO[str], problems: Problems, *, layers: bool) -> Iterator[Document]:
        """Reads a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How to recognise, read and write a format.

    Attributes:
        suffix: Matches the end of a file's name, without `.gz`.
        looks_like: Whether the beginning of a file is of this format.
        read: Yields the documents of a file.
        write: A document as text.
        not_kept: What of a document the format cannot hold, and how often.
        always_has_parts: Whether every document is a part of one, so that `x` is written as part 0 of `x`.
    """

    suffix: re.Pattern[str]
    looks_like: Callable[[str], bool]
    read: Reader
    write: Callable[[Document], str]
    not_kept: Callable[[Document], Counter[str]]
    always_has_parts: bool = False

    def written_name(self, doc: Document) -> str:
        """The name that tells a document from the others of a file of this format."""
        return doc.name if self.always_has_parts else doc.key


def _of(module: str, function: str) -> Callable[..., Any]:
    """A function of a reader or writer, imported when it is called: few runs need more than one format."""

    def called(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f"corelax.io.{module}"), function)(*arguments, **options)

    return called


def _has(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> Callable[[str], bool]:
    """Whether a pattern is found in the beginning of a file; `^` is the start of any line."""
    return lambda head: re.search(pattern, head, flags | re.MULTILINE) is not None


# Other names for formats: their usual suffixes.
ALIASES = {"conll": "conll2012", "conllu": "corefud", "conllua": "ua", "jsonl": "jsonlines"}
FORMATS: dict[str, Format] = {
    "conll2012": Format(
        suffix=re.compile(r"(\.|_)conll(2012)?$"),
        looks_like=_has(r"^#\s*begin document"),
        read=_of("conll2012", "read"),
        write=_of("conll2012_write", "write"),
        not_kept=_of("conll2012_write", "not_kept"),
        always_has_parts=True,
    ),
    "corefud": Format(
        suffix=re.compile(r"\.(conllu|corefud)$"),
        looks_like=_has(r"^(# (newdoc|global\.|sent_id)|1\t([^\t\n]*\t){8})"),
        read=_of("corefud", "read"),
        write=_of("corefud_write", "write"),
        not_kept=_of("corefud_write", "not_kept"),
    ),
    "ua": Format(
        suffix=re.compile(r"\.(conllua|ua)$", re.IGNORECASE),
        looks_like=_has(r"^#\s*global\.columns\s*=.*\bIDENTITY\b", re.IGNORECASE),
        read=_of("ua", "read"),
        write=_of("ua_write", "write"),
        not_kept=_of("ua_write", "not_kept"),
    ),
    "jsonlines": Format(
        suffix=re.compile(r"\.(jsonl|jsonlines|json)$"),
        looks_like=_has(r"\A\s*\{"),
        read=_of("jsonlines", "read"),
        write=_of("jsonlines", "write"),
        not_kept=_of("jsonlines", "not_kept"),
    ),
}


def read(path: str | os.PathLike[str], format: str | None = None) -> list[Document]:
    """All documents of a file. See `stream` for files too large to hold.

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> line = '{"doc_key": "d", "sentences": [["Ann", "saw", "herself"]], "clusters": [[[0, 0], [2, 2]]]}'
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.jsonl").write_text(line)
    ...     [doc] = read(Path(folder, "a.jsonl"))
    >>> doc.clusters
    Clustering([(Span(0, 1), Span(2, 3))])
    """
    return list(stream(path, format))


def stream(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    layers: bool = True,
    problems: Problems | None = None,
) -> Iterator[Document]:
    """Documents one after the other, so that a large file is never held whole.

    Args:
        path: A file, gzipped or not, or `-`.
        format: A name from `FORMATS`; by default chosen by the suffix or the content.
        layers: False reads words and clusters only, which is faster and smaller.
        problems: Collects oddities. If it is not strict, it collects errors too and reading continues;
            otherwise the first error is raised as a `FormatError`.

    >>> for doc in stream("examples/data/gold.conll", layers=False):
    ...     print(doc.name, len(doc.words), len(doc.clusters))
    story/lighthouse 57 6
    story/letter 30 4
    """
    name = os.fspath(path)
    if problems is None:
        problems = Problems(shown(name))
    with open_text(name) as file:
        reader = FORMATS[format_of(name, format, head=file.head)].read
        empty = True
        for doc in reader(file, problems, layers=layers):
            empty = False
            yield doc
        if empty:
            problems.error(None, "no document in this file")


def write(
    documents: Iterable[Document], path: str | os.PathLike[str], format: str | None = None
) -> Counter[str]:
    """Writes documents one after the other; gzipped if the name ends in `.gz`.

    Returns what the format could not hold, and how often. The file appears when all is written.

    >>> from tempfile import TemporaryDirectory
    >>> doc = Document(id="d", words=("Ann", "ran"), layers={"upos": ("PROPN", "VERB")})
    >>> with TemporaryDirectory() as folder:
    ...     write([doc], Path(folder, "a.conll.gz"))
    Counter({'layer upos': 1})
    """
    if isinstance(documents, Document):
        raise CorelaxError("write takes a list of documents, not one")
    name = os.fspath(path)
    target = FORMATS[format_for(name, format)]
    not_kept: Counter[str] = Counter()
    written: set[str] = set()
    with open_for_writing(name) as out:
        for doc in documents:
            if (key := target.written_name(doc)) in written:
                raise CorelaxError(f"{shown(name)}: two documents have the name {key}")
            written.add(key)
            usual = doc.id and doc.id == doc.id.strip() and doc.id.isprintable()
            if not usual or (doc.part or 0) < 0:
                raise CorelaxError(f"{shown(name)}: a document cannot be named {doc.key!r}")
            not_kept.update(target.not_kept(doc))
            out.write(target.write(doc))
    return not_kept


def validate(path: str | os.PathLike[str], format: str | None = None) -> Problems:
    """All errors and oddities of a file, in the order of its lines.

    >>> validate("examples/data/gold.conll").items
    []
    """
    problems = Problems(shown(os.fspath(path)), strict=False)
    try:
        for _ in stream(path, format, problems=problems):
            pass
    except FormatError as error:  # the rest of the file cannot be read: damaged, not UTF-8
        problems.error(error.line, error.message)
    problems.items.sort(key=lambda problem: (problem.line is None, problem.line))
    return problems


def format_of(path: str | os.PathLike[str], format: str | None = None, *, head: str = "") -> str:
    """The format of a file to be read: as asked for, by its suffix, or by how it begins.

    >>> format_of("a.v4_gold_conll.gz"), format_of("-", head="{")
    ('conll2012', 'jsonlines')
    """
    name = os.fspath(path)
    if format is not None:
        return _check(format)
    if FORMATS["ua"].looks_like(head):  # such files have all kinds of suffixes
        return "ua"
    if (known := suffix_format(name)) is not None:
        return known
    for key, candidate in FORMATS.items():
        if candidate.looks_like(head):
            return key
    message = (
        f"cannot tell the format; use --format with one of {', '.join(FORMATS)} "
        "(plain text has no entities yet: `corelax resolve` finds them)"
    )
    raise FormatError(message if head else "the file is empty", path=shown(name), line=1)


def format_for(name: str, format: str | None) -> str:
    """The format of a file to be written: as asked for, or by its suffix.

    >>> format_for("out.conllu.gz", None), format_for("-", "jsonl")
    ('corefud', 'jsonlines')
    """
    if format is not None:
        return _check(format)
    by_suffix = suffix_format(name)
    if by_suffix is None:
        raise CorelaxError(
            f"{name if name != STANDARD else '<stdout>'}: cannot tell the format from the name; "
            f"use --format with one of {', '.join(FORMATS)}"
        )
    return by_suffix


def suffix_format(path: str | os.PathLike[str]) -> str | None:
    """The format that the suffix of a name stands for, gzipped or not; None for other suffixes.

    >>> suffix_format("a/b.v4_gold_conll.gz"), suffix_format("b.txt")
    ('conll2012', None)
    """
    stem = Path(path).name.removesuffix(".gz")
    return next((key for key, known in FORMATS.items() if known.suffix.search(stem)), None)


def _check(format: str) -> str:
    format = ALIASES.get(format, format)
    if format not in FORMATS:
        raise CorelaxError(f"unknown format {format!r}; choose from {', '.join(FORMATS)}")
    return format
