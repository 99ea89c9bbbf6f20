"""CoNLL-2012: one token a row, columns apart by tabs or blanks, coreference in the last one. This
file reads, `conll2012_write.py` writes.

    #begin document (bc/cctv/00/cctv_0001); part 000
    bc/cctv/00/cctv_0001  0  0  John  NNP  (TOP(S(NP*)  -  -  -  Speaker#1  (PERSON)  (0)
    #end document

Columns: document, part, word number, word, part of speech, parse piece, lemma, frameset, sense,
speaker, name piece, then any number of predicate-argument columns, then coreference. Shorter rows are
read up to their end; document, part, number, word and coreference must be there. A cell that is `-`
(or `*` for brackets) has no value, and a layer without any value is left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.document import Document, Span, document_key
from corelax.io.problems import Problems, quote
from corelax.io.reading import OpenMentions
from corelax.io.table import Table, pieces

Array = NDArray[Any]

WORD = 3  # the column of the words
LAYERS = ("pos", "parse", "lemma", "frame", "sense", "speaker", "ner")  # columns 4 to 10
EMPTY = {name: "*" if name in ("parse", "ner") else "-" for name in LAYERS}
MIN_COLUMNS, FULL_COLUMNS = 5, 12
ARGUMENTS = FULL_COLUMNS - 1  # the first column of predicate-argument structure, if there is any
MAX_DIGITS = 18  # of an entity number
MAX_NAME = 1000  # characters of a document's name

_BEGIN = re.compile(r"#\s*begin document\b\s*(.*)")
_BRACKET = re.compile(r"\((\d+)(\)?)|(\d+)\)")
_NO_MENTION = ("-", "_", "*")
_END = re.compile(r"#\s*end document\b")
_NAME_AND_PART = re.compile(r"\((.*)\);\s*(?:part\s+(\d{1,9})\s*)?")


def read(file: IO[str], problems: Problems, *, layers: bool = True) -> Iterator[Document]:
    """Yields document after document. Without `layers`, words and clusters only."""
    document: _ConllReader | None = None
    before = 1  # the line number of the piece's first line
    for text in pieces(file):
        piece = _TablePiece(text, before, layers)
        for line, mark, rows in piece.runs():
            piece.report(problems, line)
            if begin := _BEGIN.match(mark):
                if document is not None:
                    problems.error(
                        line, f"document {document.key} has no '#end document' before this"
                    )
                    yield document.finish()
                document = _ConllReader(begin[1], line, problems)
            elif _END.match(mark):
                if document is None:
                    problems.error(line, "'#end document' without '#begin document'")
                else:
                    yield document.finish()
                document = None
            elif mark and document is not None:
                problems.odd(
                    line, "a comment inside a document (the reference scorer takes it for a token)"
                )
            if rows:
                if document is None:
                    line = piece.line(rows.start)
                    problems.error(
                        line, "a token outside any document; '#begin document' is missing"
                    )
                else:
                    document.add(piece, rows)
        before += piece.size
        piece.report(problems, before)
    if document is not None:
        message = f"document {document.key} has no '#end document'; is the file cut short?"
        problems.error(before - 1, message)
        yield document.finish()


def parse_header(name: str) -> tuple[str, int]:
    """Name and part from what follows `#begin document`.

    >>> parse_header("(bc/cctv/00/cctv_0001); part 003")
    ('bc/cctv/00/cctv_0001', 3)
    """
    match = _NAME_AND_PART.fullmatch(name)
    return (match[1], int(match[2] or 0)) if match else (name.strip(), 0)


class CorefCell(NamedTuple):
    """What a coreference cell says: `(3|(5)|4)` opens 3, has all of 5, and closes 4."""

    single: tuple[str, ...]  # entities with a mention of this one token
    opening: tuple[str, ...]
    closing: tuple[str, ...]
    remark: Callable[[Problems, int], None] | None = None  # reports what is wrong or odd


@lru_cache(maxsize=1 << 16)
def parse_cell(cell: str) -> CorefCell:
    """Reads a cell such as `(3|(5)|4)`.

    >>> parse_cell("(3|(5)|4)")[:3]
    (('5',), ('3',), ('4',))
    """
    brackets: tuple[list[str], list[str], list[str]] = ([], [], [])
    single, opening, closing = brackets
    closed_here: set[str] = set()
    error = oddity = None
    if cell.strip() in _NO_MENTION:
        return CorefCell((), (), ())
    for piece in cell.strip().split("|"):
        at, count = 0, 0
        while match := _BRACKET.match(piece, at):
            opened, closed, ended = match.groups()
            if ended is not None:
                closing.append(ended)
                closed_here.add(ended)
            elif closed:
                single.append(opened)
            else:
                if opened in closed_here:
                    error = f"entity {opened} closes and opens on one token, so its mentions cross"
                opening.append(opened)
            at, count = match.end(), count + 1
        if at < len(piece) or not count:
            error = f"cannot read the coreference cell {quote(cell)}"
        elif count > 1:
            oddity = f"no bars between the brackets of {quote(cell)}"
    if any(len(entity) > MAX_DIGITS for entities in brackets for entity in entities):
        error = f"an entity number of more than {MAX_DIGITS} digits in {quote(cell)}"

    def remark(problems: Problems, line: int) -> None:
        if error:
            problems.error(line, error)
        if oddity:
            problems.odd(line, oddity)

    return CorefCell(
        tuple(single), tuple(opening), tuple(closing), remark if error or oddity else None
    )


class _TablePiece:
    """A piece of a file, taken apart: whole sentences, perhaps of several documents.

    Attributes:
        size: Number of lines.
        words: [row].
        faults: (line, what is wrong) of rows that are not among them.
        columns: [column][row] up to the layer `ner`, or nothing where layers are not wanted.
        arguments: [row] the cells between `ner` and coreference, or nothing.
        starts_sentence: [row].
        cells: [cell] coreference cells that say something.
        cell_rows, cell_lines: [cell] their row, and its line number in the file.
        cell_sentences: [cell] the first row of their sentence.
    """

    def __init__(self, text: str, first_line: int, layers: bool) -> None:
        self._table = table = Table(text)
        self._first_line = first_line
        self.faults: deque[tuple[int, str]] = deque()
        good = self._check_widths()
        self.size = table.lines
        self._rows = table.rows[good]
        self.words = table.column(WORD, good)
        block = table.block[good]
        self.starts_sentence = np.diff(block, prepend=-1).astype(bool)
        marked = np.flatnonzero(good & ~table.last_is("-"))
        self.cells = table.column(-1, marked)
        cell_rows = (np.cumsum(good) - 1)[marked]
        sentences = np.maximum.accumulate(np.where(self.starts_sentence, np.arange(len(block)), 0))
        self.cell_rows, self.cell_sentences = cell_rows.tolist(), sentences[cell_rows].tolist()
        self.cell_lines = (self._rows[cell_rows] + first_line).tolist()
        self.columns = self._layer_columns(good) if layers else []
        self.arguments = table.fields(ARGUMENTS, 1, good) if layers else []
        if "" in self.words:
            empty = [row for row, word in enumerate(self.words) if not word]
            faults = [(self.line(row), "the word is empty") for row in empty]
            self.faults = deque(sorted([*self.faults, *faults]))

    def report(self, problems: Problems, before: int) -> None:
        """Reports what is wrong with rows before a line. Errors come in the order of lines."""
        while self.faults and self.faults[0][0] < before:
            problems.error(*self.faults.popleft())

    def line(self, row: int) -> int:
        return int(self._rows[row]) + self._first_line

    def runs(self) -> Iterator[tuple[int, str, range]]:
        """(line number, marked line, rows up to the next mark); first the rows before any mark."""
        marks = self._table.marks
        cuts = [0, *np.searchsorted(self._rows, marks).tolist(), len(self._rows)]
        yield self._first_line, "", range(0, cuts[1])
        for i, line in enumerate(marks.tolist(), 1):
            yield line + self._first_line, self._table.line(line), range(cuts[i], cuts[i + 1])

    def _check_widths(self) -> Array:
        """[row of the table] whether it has enough columns, and as many as its sentence begins with."""
        width, block = self._table.width, self._table.block
        first = np.flatnonzero(np.diff(block, prepend=-1))
        sizes = np.diff(first, append=len(width))
        expected = np.repeat(width[first], sizes)
        good: Array = (width == expected) & (width >= MIN_COLUMNS)
        for row in np.flatnonzero(~good).tolist():
            line = int(self._table.rows[row]) + self._first_line
            message = (
                f"{width[row]} columns; document, part, number, word and coreference are needed"
            )
            if width[row] >= MIN_COLUMNS:
                message = f"{width[row]} columns, but its sentence begins with {expected[row]}"
            self.faults.append((line, message))
        return good

    def _layer_columns(self, good: Array) -> list[list[str | None]]:
        """The columns before `arguments` but not the last, None where a row does not go so far."""
        width = self._table.width
        columns = []
        for number in range(min(int(width[good].max(initial=1)) - 1, ARGUMENTS)):
            has_it = good & (width > number + 1)
            values = iter(self._table.column(number, has_it))
            columns.append(
                [next(values) if has_value else None for has_value in has_it[good].tolist()]
            )
        return columns


class _ConllReader:
    def __init__(self, header: str, line: int, problems: Problems) -> None:
        self.id, self.part = parse_header(header)
        self.key = document_key(self.id, self.part)
        if not 0 < len(self.id) <= MAX_NAME:
            fault = "no name" if not self.id else f"a name of more than {MAX_NAME} characters"
            problems.error(line, f"the document has {fault} after '#begin document'")
        problems.new_document(self.key, line)
        self._problems = problems
        self._words: list[str] = []
        self._starts: list[int] = []
        self._columns: list[list[str | None]] = []
        self._arguments: list[tuple[str, ...]] = []
        self._mentions = OpenMentions(problems)

    def add(self, piece: _TablePiece, rows: range) -> None:
        """Some rows of a piece: whole sentences."""
        tokens = len(self._words)
        starts = np.flatnonzero(piece.starts_sentence[rows.start : rows.stop]) + tokens
        self._starts += starts.tolist()
        self._words += piece.words[rows.start : rows.stop]
        shift = tokens - rows.start  # from rows of the piece to tokens of the document
        first, last = (bisect_left(piece.cell_rows, row) for row in (rows.start, rows.stop))
        mentions = self._mentions
        for (single, opening, closing, remark), row, line, sentence in zip(
            map(parse_cell, piece.cells[first:last]),
            piece.cell_rows[first:last],
            piece.cell_lines[first:last],
            piece.cell_sentences[first:last],
            strict=True,
        ):
            token = row + shift
            if piece.faults:
                piece.report(self._problems, line)
            if remark:
                remark(self._problems, line)
            for entity in single:
                mentions.add(entity, Span(token, token + 1), line)
            for entity in opening:
                mentions.open(entity, token, line)
            if closing:
                for entity, start, _ in mentions.close(closing, line):
                    mentions.add(entity, Span(start, token + 1), line, sentence + shift)
        self._arguments += map(tuple, piece.arguments[rows.start : rows.stop])
        while len(self._columns) < len(piece.columns):
            self._columns.append([None] * tokens)
        for number, column in enumerate(self._columns):
            has_column = number < len(piece.columns)
            column += (
                piece.columns[number][rows.start : rows.stop] if has_column else [None] * len(rows)
            )

    def finish(self) -> Document:
        layers: dict[str, tuple[Any, ...]] = {}  # the columns between word and coreference
        for name, values in zip(LAYERS, self._columns[WORD + 1 :], strict=False):
            if any(value not in ("-", "*", "", None) for value in values):
                none = None if EMPTY[name] == "-" else "*"
                layers[name] = tuple(none if v in (None, "", EMPTY[name]) else v for v in values)
        if any(self._arguments):
            layers["arguments"] = tuple(self._arguments)
        numbering = tuple(zip(*self._columns[:WORD], strict=True))
        usual = (
            (self.id, str(self.part), str(number))
            for start, end in pairwise((*self._starts, len(self._words)))
            for number in range(end - start)
        )
        if numbering and numbering != tuple(usual):
            layers["numbering"] = numbering
        return Document(
            id=self.id,
            part=self.part,
            words=tuple(self._words),
            sentence_starts=tuple(self._starts),
            clusters=self._mentions.finish(),
            layers=layers,
        )
