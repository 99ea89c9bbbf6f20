"""CoNLL-2012 files as the reference scorer v8.01 reads them, oddities and all.

It knows no sentences and no columns but the last one after a tab, looks for bracket patterns with
digits in it, and takes every line inside a document that is not blank for a token. Use this reading to
reproduce its numbers; `conll2012.py` says what is wrong with a file instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from corelax.core.errors import FormatError
from corelax.core.files import open_text, shown
from corelax.document import Span

_WHITE = " \t\n\r\f\v"
_BEGIN = re.compile(r"#\s*begin document (.*?)\r?\n?", re.ASCII | re.DOTALL)
_END = re.compile(r"#\s*end document", re.ASCII)
_MAYBE_BRACKET = re.compile(r"\([0-9]|[0-9]\)")
_TWO_ANTECEDENTS = re.compile(r"\([0-9]+\+[0-9]\)")
_SINGLE = re.compile(r"\(([0-9]+)\)")
_OPEN = re.compile(r"\(([0-9]+)")
_CLOSE = re.compile(r"([0-9]+)\)")


@dataclass(slots=True)
class ReferenceDocument:
    """A document's clusters. `error` says why the reference scorer could not use them."""

    name: str
    clusters: dict[str, list[Span]] = field(default_factory=dict)
    error: FormatError | None = None
    _open: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    _tokens: int = 0

    def entities(self) -> list[list[Span]]:
        """The clusters, or the error that stops the reference scorer when it uses the document."""
        if self.error is not None:
            raise self.error
        return [cluster for cluster in self.clusters.values() if cluster]

    def token(self, line: str, number: int, path: str) -> None:
        """Any line that is not blank."""
        cell = line.rstrip("\n").rstrip("\t")  # empty columns at the end do not count
        cell = cell[cell.rfind("\t") + 1 :]
        if cell != "-" and _MAYBE_BRACKET.search(cell):
            self._cell(cell, number, path)
        self._tokens += 1

    def _cell(self, cell: str, number: int, path: str) -> None:
        """Four passes; each deletes the leftmost match and looks again from the start."""
        here = self._tokens
        while match := _TWO_ANTECEDENTS.search(cell):
            cell = cell[: match.start()] + cell[match.end() :]
        while match := _SINGLE.search(cell):
            self.clusters.setdefault(match[1], []).append(Span(here, here + 1))
            cell = cell[: match.start()] + cell[match.end() :]
        while match := _OPEN.search(cell):
            self.clusters.setdefault(match[1], [])
            self._open.setdefault(match[1], []).append((here, number))
            cell = cell[: match.start()] + cell[match.end() :]
        while match := _CLOSE.search(cell):
            if stack := self._open.get(match[1]):
                self.clusters[match[1]].append(Span(stack.pop()[0], here + 1))
            elif self.error is None:
                message = f"entity {match[1]} closes but was never opened"
                self.error = FormatError(message, path=path, line=number)
            cell = cell[: match.start()] + cell[match.end() :]

    def end(self, path: str) -> None:
        """The end line: nothing may be open."""
        for entity, stack in self._open.items():
            if stack and self.error is None:
                message = f"entity {entity} opens but is never closed"
                self.error = FormatError(message, path=path, line=stack[-1][1])


def stream_reference(path: str) -> Iterator[ReferenceDocument]:
    """The documents of a file. It is bytes to the reference scorer, so any encoding will do."""
    with open_text(path, encoding="latin-1", newline="\n") as lines:
        yield from read_reference(lines, shown(path))


def read_reference(lines: Iterable[str], path: str) -> Iterator[ReferenceDocument]:
    r"""Yields the documents of a file, each when its end is reached.

    A document without an end line goes on to the next one, header lines in between being tokens of
    it; the documents that start there are also read on their own.

    >>> lines = ["#begin document (d); part 000\n", "w\t(0|(1)\n", "w\t0)\n", "#end document\n"]
    >>> [doc.entities() for doc in read_reference(lines, "d.conll")]
    [[[Span(0, 1)], [Span(0, 2)]]]
    """
    reading: list[ReferenceDocument] = []
    for number, line in enumerate(lines, 1):
        if "document" in line and _END.search(line):
            for doc in reading:
                doc.end(path)
            yield from reading
            reading = []
        elif reading and line.strip(_WHITE):
            for doc in reading:
                doc.token(line, number, path)
        if line[:1] == "#" and (begin := _BEGIN.fullmatch(line)):
            reading.append(ReferenceDocument(begin[1]))
    yield from reading  # the file ends first: what is open is forgotten
