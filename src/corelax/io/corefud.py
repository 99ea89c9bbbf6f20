"""CorefUD: CoNLL-U with coreference as `Entity=` in the last column. This file reads rows and layers,
`corefud_entities.py` the brackets, and `corefud_write.py` writes.

    # newdoc id = GUM_academic_exposure
    # global.Entity = eid-etype-head-other
    # sent_id = 1
    1   Ann   Ann   PROPN  NNP  _  2  nsubj  _  Entity=(e1-person-1-)
    2   ran   run   VERB   VBD  _  0  root   _  _

An opening bracket carries the entity's name and the other fields of `global.Entity`; a closing one
the name only. `e1[1/2]` is the first of two parts of a discontinuous mention. Empty nodes (`8.1`) are
no tokens: they are kept aside (`Document.empty_nodes`), and a mention that begins or ends on one names
it (`Span.empty`). The field `head` is the number of a mention's head among its nodes, from 1
(`Document.mention_heads`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from corelax.document import Document, EmptyId, EmptyNode
from corelax.document.gold import COMMENTS, GLOBAL_ENTITY, MENTIONS, MULTIWORD, SPLIT
from corelax.io.corefud_entities import EntityReader
from corelax.io.problems import Problems, quote
from corelax.io.reading import SplitAntecedents, lines_of_sentences

COLUMNS = 10
FIELDS = "eid-etype-head-other"  # where a file has no global.Entity
MAX_FIELDS = 1000  # characters of global.Entity
MAX_EMPTY = 1000  # empty nodes in a row: a mention that begins or ends among them names them all
# Columns 2 to 8 that become layers; HEAD (6) is turned into a token number.
LAYERS = {2: "lemma", 3: "upos", 4: "pos", 5: "feats", 7: "relation", 8: "deps"}

NOTHING = ("_", "")  # cells without a value

_NEWDOC = re.compile(r"#\s*newdoc\b(?:\s+id)?\s*=?\s*(.*)")
_GLOBAL = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)")
_SPEAKER = re.compile(r"#\s*speaker\s*=\s*(.*)")
_ID = re.compile(r"(\d{1,9})(?:([-.])(\d{1,9}))?")


class Multiword(NamedTuple):
    """A surface form of the tokens `start` up to `end`; `columns` are those after the ID."""

    start: int
    end: int
    columns: tuple[str, ...]


def read(file: IO[str], problems: Problems, *, layers: bool = True) -> Iterator[Document]:
    """Yields document after document. Without `layers`, words and clusters only."""
    document: _CorefudReader | None = None
    fields = FIELDS
    for number, rows in lines_of_sentences(file):
        comments = [row for row in rows if row.startswith("#")]
        for line, row in enumerate(rows, number):
            if row.startswith("#") and (match := _GLOBAL.match(row)):
                fields = match[1]
                if len(fields) > MAX_FIELDS:
                    problems.error(line, f"global.Entity of more than {MAX_FIELDS} characters")
                    fields = FIELDS
        newdoc = next((m for row in comments if (m := _NEWDOC.match(row))), None)
        if newdoc or (document is None and len(comments) < len(rows)):
            if document is not None:
                yield document.finish()
            name = _name(newdoc[1].strip() if newdoc else "", problems)
            document = _CorefudReader(name, fields, number, problems, layers)
        if document is not None:
            document.sentence(rows, number)
    if document is not None:
        yield document.finish()


def _name(name: str, problems: Problems) -> str:
    return name or f"document_{problems.documents + 1}"


def without_entity(misc: str) -> tuple[str, list[str]]:
    """A MISC cell taken apart: the rest of it, and the values of `Entity=`.

    >>> without_entity("Discourse=x|Entity=(e1)|SpaceAfter=No")
    ('Discourse=x|SpaceAfter=No', ['(e1)'])
    """
    items = misc.split("|")
    rest = [item for item in items if not item.startswith("Entity=")]
    values = [item.removeprefix("Entity=") for item in items if item.startswith("Entity=")]
    return "|".join(rest) or "_", values


class _CorefudReader:
    def __init__(self, name: str, fields: str, line: int, problems: Problems, layers: bool) -> None:
        problems.new_document(name, line)
        self._id = name
        self._problems = problems
        self._with_layers = layers
        self._fields = fields
        self._words: list[str] = []
        self._starts: list[int] = []
        self._layers: dict[str, list[Any]] = {
            name: [] for name in (*LAYERS.values(), "head", "misc")
        }
        self._speakers: list[str | None] = []
        self._comments: list[tuple[str, ...]] = []
        self._multiword: list[Multiword] = []
        self._empty: list[EmptyNode] = []
        self._run, self._run_position = 0, -1  # empty nodes in a row, and the token after them
        self._split = SplitAntecedents(problems)
        self._entities = EntityReader(fields, problems, keep_fields=layers)

    def sentence(self, rows: list[str], first: int) -> None:
        """One sentence with its comments, `first` being the line number of its first row."""
        start = len(self._words)
        tokens: list[list[str]] = []
        lines: list[int] = []
        multiword_ends: dict[int, int] = {}  # one past the last token → line
        covered = 0  # the tokens up to here have a multiword token, or need none
        speaker = None
        comments = []
        for line, row in enumerate(rows, first):
            if row.startswith("#"):
                if match := _SPEAKER.match(row):
                    speaker = match[1].strip() or None
                if not _NEWDOC.match(row) and not _GLOBAL.match(row):
                    comments.append(row)
                continue
            columns = row.split("\t")
            if len(columns) == COLUMNS and columns[0] == str(len(tokens) + 1) and columns[1]:
                kind: str | None = ""  # the common case, told quickly
            else:
                kind = self._check_row(columns, len(tokens), line)
                if kind is None:
                    continue
            if kind == "-":
                if "Entity=" in columns[9]:
                    self._problems.error(line, "Entity= on a multiword token; its words carry it")
                if start + len(tokens) < covered:
                    self._problems.error(line, f"{quote(columns[0])} overlaps a multiword token")
                    continue
                covered = start + int(columns[0].split("-")[1])
                self._multiword.append(Multiword(start + len(tokens), covered, tuple(columns[1:])))
                multiword_ends[covered] = line
                continue
            if "SplitAnte=" in columns[9]:
                self._split.read(columns[9], line)
            entities: list[str] = []
            if "Entity=" in columns[9]:
                columns[9], entities = without_entity(columns[9])
                if len(entities) > 1:
                    self._problems.error(line, "Entity= is there twice")
            if kind == ".":
                position = start + len(tokens)
                self._run = self._run + 1 if position == self._run_position else 1
                self._run_position = position
                if self._run > MAX_EMPTY:
                    self._problems.error(line, f"more than {MAX_EMPTY} empty nodes in a row")
                    continue
                id = EmptyId(len(self._starts), len(tokens), int(columns[0].partition(".")[2]))
                if (
                    columns[0] != str(id)
                    or id.number == 0
                    or (self._empty and id <= self._empty[-1].id)
                ):
                    self._problems.error(line, f"{quote(columns[0])} stands in the wrong place")
                    continue
                self._entities.nodes.add_empty(id, position)
                self._empty.append(EmptyNode(id, tuple(columns[1:])))
            else:
                self._entities.nodes.add_tokens(1)
                self._words.append(columns[1])
                tokens.append(columns)
                lines.append(line)
            for entity in entities:
                self._entities.read(entity, line, start, len(self._entities.nodes) - 1)
        if all(row.startswith("#") for row in rows):
            return  # comments alone are no sentence
        self._starts.append(start)
        if self._with_layers:
            self._comments.append(tuple(comments))
            self._speakers += [speaker] * len(tokens)
            self._add_layers(tokens, start, lines)
        for end, line in multiword_ends.items():
            if end > len(self._words):
                self._problems.error(line, "a multiword token runs past the end of its sentence")

    def _check_row(self, columns: list[str], tokens: int, line: int) -> str | None:
        """The kind of a row: "" a word, "-" a multiword token, "." an empty node, None unusable."""
        if len(columns) != COLUMNS:
            self._problems.error(
                line, f"{COLUMNS} columns apart by tabs are needed, not {len(columns)}"
            )
            return None
        match = _ID.fullmatch(columns[0])
        kind = (match[2] or "") if match else None
        if match is None or (kind == "" and int(match[1]) != tokens + 1):
            self._problems.error(
                line, f"word number {quote(columns[0])}; {tokens + 1} was expected"
            )
            return None
        if (kind == "-" and not tokens + 1 == int(match[1]) <= int(match[3])) or (
            kind == "." and int(match[1]) != tokens
        ):
            self._problems.error(line, f"{quote(columns[0])} stands in the wrong place")
            return None
        if not columns[1]:
            self._problems.error(line, "the word is empty")
            return None
        return kind

    def _add_layers(self, tokens: list[list[str]], start: int, lines: list[int]) -> None:
        for column, name in LAYERS.items():
            cells = [row[column] for row in tokens]
            self._layers[name] += [None if cell in NOTHING else cell for cell in cells]
        for row in tokens:
            # A word that is an underscore has an underscore for its lemma.
            if row[1] == "_" == row[2]:
                self._layers["lemma"][start + int(row[0]) - 1] = "_"
        self._layers["misc"] += [None if row[9] in NOTHING else row[9] for row in tokens]
        for row, line in zip(tokens, lines, strict=True):
            head = row[6]
            if head in NOTHING:
                self._layers["head"].append(None)
                continue
            if not (head.isdecimal() and len(head) < 10 and int(head) <= len(tokens)):
                size = f"its sentence has {len(tokens)} words"
                self._problems.error(line, f"word {row[0]} has the head {quote(head)}, but {size}")
                head = "0"
            self._layers["head"].append(start + int(head) - 1 if int(head) else -1)

    def finish(self) -> Document:
        clusters = self._entities.finish()
        layers: dict[str, tuple[Any, ...]] = {}
        extra: dict[str, Any] = {
            GLOBAL_ENTITY: self._fields,
            SPLIT: self._split.of(clusters.labels),
        }
        if self._with_layers:
            every = {**self._layers, "speaker": self._speakers}
            layers = {
                name: tuple(values)
                for name, values in every.items()
                if any(value is not None for value in values)
            }
            extra |= {
                COMMENTS: tuple(self._comments),
                MULTIWORD: tuple(self._multiword),
                MENTIONS: self._entities.fields_of,
            }
        return Document(
            id=self._id,
            words=tuple(self._words),
            sentence_starts=tuple(self._starts),
            clusters=clusters,
            layers=layers,
            empty_nodes=tuple(self._empty),
            mention_heads=self._entities.heads_of,
            extra={name: value for name, value in extra.items() if value},
        )
