"""CoNLL-2012 files as the reference scorer v8.01 reads them, oddities and all.

It knows no sentences and no columns but the last one after a tab, looks for bracket patterns with
digits in it, and takes every line inside a document that is not blank for a token. Use this reading to
reproduce its numbers; `conll2012.py` says what is wrong with a file instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple

from corelax.core.errors import FormatError
from corelax.core.files import STANDARD, open_text, shown
from corelax.document import Document, Span, without_singletons
from corelax.io import format_of, stream

_WHITE = " \t\n\r\f\v"
_BEGIN = re.compile(r"#\s*begin document (.*?)\r?\n?", re.ASCII | re.DOTALL)
_END = re.compile(r"#\s*end document", re.ASCII)
_MAYBE_BRACKET = re.compile(r"\([0-9]|[0-9]\)")
_SYMBOLS = re.compile(r"[0-9]+|[()+]|[^0-9()+]+")
_OPEN = re.compile(r"\(([0-9]+)")
_CLOSE = re.compile(r"([0-9]+)\)")
MAX_OPEN = 100  # documents without an end line, each of which reads all that follows


class CellBrackets(NamedTuple):
    single: tuple[str, ...]
    opening: tuple[str, ...]
    closing: tuple[str, ...]


@lru_cache(maxsize=1 << 12)
def parse_cell(cell: str) -> CellBrackets:
    """Four passes; each deletes the leftmost match and looks again from the start.

    In the first two, what a deletion brings together may match in turn.

    >>> parse_cell("(1(2))|(3|4)|(5+6)")
    CellBrackets(single=('2', '1'), opening=('3',), closing=('4',))
    """
    if "+" in cell:
        cell, _ = _without(cell, two_antecedents=True)
    cell, single = _without(cell, two_antecedents=False)
    opening = _OPEN.findall(cell)
    closing = _CLOSE.findall(_OPEN.sub("", cell))
    return CellBrackets(tuple(single), tuple(opening), tuple(closing))


def _without(cell: str, *, two_antecedents: bool) -> tuple[str, list[str]]:
    """Deletes every `(7)`, or every `(7+8)`, and returns what is left and their (first) numbers.

    Read from left to right with a stack: what is deleted ends at a closing bracket, and what is then brought
    together is the top of the stack and what comes next.
    """
    before = ["(", "0", "+", "0"] if two_antecedents else ["(", "0"]  # 0 for any number
    left: list[list[str]] = []  # symbols; a number that grew together has several pieces
    numbers = []
    for symbol in _SYMBOLS.findall(cell):
        if symbol == ")" and [_kind(pieces) for pieces in left[-len(before) :]] == before:
            one_digit = [len(piece) for piece in left[-1]] == [1]
            if one_digit or not two_antecedents:
                numbers.append("".join(left[1 - len(before)]))
                del left[-len(before) :]
                continue
        if left and _kind([symbol]) == "0" == _kind(left[-1]):
            left[-1].append(symbol)
        else:
            left.append([symbol])
    return "".join(chain.from_iterable(left)), numbers


def _kind(pieces: list[str]) -> str:
    return "0" if "0" <= pieces[0][0] <= "9" else pieces[0]


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
        cell = line.rstrip("\n").rstrip("\t")  # empty columns at the end do not count
        cell = cell[cell.rfind("\t") + 1 :]
        if cell != "-" and _MAYBE_BRACKET.search(cell):
            self._add(parse_cell(cell), number, path)
        self._tokens += 1

    def _add(self, brackets: CellBrackets, number: int, path: str) -> None:
        here = self._tokens
        for entity in brackets.single:
            self.clusters.setdefault(entity, []).append(Span(here, here + 1))
        for entity in brackets.opening:
            self.clusters.setdefault(entity, [])
            self._open.setdefault(entity, []).append((here, number))
        for entity in brackets.closing:
            if stack := self._open.get(entity):
                self.clusters[entity].append(Span(stack.pop()[0], here + 1))
            elif self.error is None:
                message = f"entity {entity} closes but was never opened"
                self.error = FormatError(message, path=path, line=number)

    def end(self, path: str) -> None:
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
    it; the documents that start there are also read on their own. More than `MAX_OPEN` of them are refused.

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
            if len(reading) == MAX_OPEN:
                message = f"{MAX_OPEN} documents before this have no '#end document'"
                raise FormatError(message, path=path, line=number)
            reading.append(ReferenceDocument(begin[1]))
    yield from reading  # the file ends first: what is open is forgotten


Entities = Sequence[Sequence[Span]]


def reference_entities(
    gold: tuple[str, str | None], system: tuple[str, str | None], singletons: str
) -> Iterator[tuple[str, tuple[Entities, Entities]]]:
    """The entities of both sides by document of the gold file; the last one of a name counts on each side."""
    formats = []
    for path, format in (gold, system):
        if format is None and path == STANDARD:
            format = "conll2012"  # it can be read only once, so not to look at it first
        with open_text(path, encoding="latin-1") as file:
            formats.append(format_of(path, format, head=file.head))
    is_mixed = formats[0] != formats[1]
    ours, theirs = (
        _entities_by_name(path, format, is_mixed)
        for (path, _), format in zip((gold, system), formats, strict=True)
    )
    for name, entities in ours.items():
        sides = entities(), theirs[name]() if name in theirs else []
        gold_side, system_side = (list(without_singletons(side, singletons)) for side in sides)
        yield name, (gold_side, system_side)


def _entities_by_name(path: str, format: str, is_mixed: bool) -> dict[str, Callable[[], Entities]]:
    """Entities by document name, made only when used: errors in ignored documents are not raised."""
    if format != "conll2012":
        documents = stream(path, format, layers=False)
        return {doc.name: partial(list, doc.clusters) for doc in documents}
    from corelax.io.conll2012 import parse_header

    side: dict[str, Callable[[], Entities]] = {}
    for doc in stream_reference(path):
        name = doc.name  # the whole rest of the header line, blanks at its end included
        if is_mixed:
            id, part = parse_header(name)
            name = Document(id=id, part=part, words=()).name
        side[name] = doc.entities
    return side
