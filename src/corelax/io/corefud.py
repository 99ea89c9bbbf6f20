"""CorefUD: CoNLL-U with coreference as `Entity=` in the last column. This file reads; see also
`corefud_write.py`.

    # newdoc id = GUM_academic_exposure
    # global.Entity = eid-etype-head-other
    # sent_id = 1
    1   Ann   Ann   PROPN  NNP  _  2  nsubj  _  Entity=(e1-person-1-)
    2   ran   run   VERB   VBD  _  0  root   _  _

An opening bracket carries the entity's name and the other fields of `global.Entity`; a closing one
the name only. `e1[1/2]` is the first of two parts of a discontinuous mention. Empty nodes (`8.1`) are
no tokens: they are kept aside, and a mention that begins or ends on one names it (`Span.empty`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import IO, Any, NamedTuple

from corelax.document import Document, Span
from corelax.io.brackets import OpenMentions
from corelax.io.problems import Problems, quote

COLUMNS = 10
FIELDS = "eid-etype-head-other"  # where a file has no global.Entity
# Columns 2 to 8 that become layers; HEAD (6) is turned into a token number.
LAYERS = {2: "lemma", 3: "upos", 4: "pos", 5: "feats", 7: "relation", 8: "deps"}

NOTHING = ("_", "")  # cells without a value

COMMENTS, MULTIWORD, EMPTY_NODES = "conllu.comments", "conllu.multiword", "conllu.empty"
GLOBAL_ENTITY, MENTIONS = "conllu.global_entity", "conllu.mentions"

_NEWDOC = re.compile(r"#\s*newdoc\b(?:\s+id)?\s*=?\s*(.*)")
_GLOBAL = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)")
_SPEAKER = re.compile(r"#\s*speaker\s*=\s*(.*)")
_BRACKET = re.compile(r"\(([^()]+)(\)?)|([^()]+)\)")
_PART = re.compile(r"(.+)\[(\d{1,6})/(\d{1,6})\]")
_ID = re.compile(r"(\d{1,9})(?:([-.])(\d{1,9}))?")


class EmptyNode(NamedTuple):
    """A node that is no token, before token `position`; `columns` are those after the ID."""

    sentence: int
    position: int
    id: str
    columns: tuple[str, ...]


class Multiword(NamedTuple):
    """A surface form of the tokens `start` up to `end`; `columns` are those after the ID."""

    start: int
    end: int
    columns: tuple[str, ...]


def looks_like(head: str) -> bool:
    """Whether the beginning of a file is of this format."""
    return re.search(r"^(# (newdoc|global\.|sent_id)|1\t([^\t\n]*\t){8})", head, re.M) is not None


def read(file: IO[str], problems: Problems, *, layers: bool = True) -> Iterator[Document]:
    """Yields document after document. Without `layers`, words and clusters only."""
    document: _DocumentReader | None = None
    fields = FIELDS
    number = 1
    for blank, group in groupby(file, str.isspace):
        rows = [row.rstrip("\n") for row in group]
        if not blank:
            comments = [row for row in rows if row.startswith("#")]
            for row in comments:
                if match := _GLOBAL.match(row):
                    fields = match[1]
            newdoc = next((m for row in comments if (m := _NEWDOC.match(row))), None)
            if newdoc or (document is None and len(comments) < len(rows)):
                if document is not None:
                    yield document.finish()
                name = newdoc[1].strip() if newdoc else ""
                name = name or f"document_{problems.documents + 1}"
                document = _DocumentReader(name, fields, number, problems, layers)
            if document is not None:
                document.sentence(rows, number)
        number += len(rows)
    if document is not None:
        yield document.finish()


def name_field(fields: list[str]) -> int:
    """Which of the fields of `global.Entity` is the entity's name: `eid`, in GUM `GRP`."""
    return next((i for i, field in enumerate(fields) if field in ("eid", "GRP")), 0)


def without_entity(misc: str) -> tuple[str, list[str]]:
    """A MISC cell taken apart: the rest of it, and the values of `Entity=`.

    >>> without_entity("Discourse=x|Entity=(e1)|SpaceAfter=No")
    ('Discourse=x|SpaceAfter=No', ['(e1)'])
    """
    items = misc.split("|")
    rest = [item for item in items if not item.startswith("Entity=")]
    values = [item.removeprefix("Entity=") for item in items if item.startswith("Entity=")]
    return "|".join(rest) or "_", values


class _DocumentReader:
    """Gathers the sentences of one document. *Nodes* are tokens and empty nodes, in order."""

    def __init__(self, name: str, fields: str, line: int, problems: Problems, layers: bool) -> None:
        problems.new_document(name, line)
        self._id = name
        self._problems = problems
        self._with_layers = layers
        self._fields = fields.split("-")
        self._name_field = name_field(self._fields)
        self._words: list[str] = []
        self._starts: list[int] = []
        self._layers: dict[str, list[Any]] = {
            name: [] for name in (*LAYERS.values(), "head", "misc")
        }
        self._speakers: list[str | None] = []
        self._comments: list[tuple[str, ...]] = []
        self._multiword: list[Multiword] = []
        self._empty: list[EmptyNode] = []
        self._nodes: list[int] = []  # token number, or -1 - number of an empty node
        # Automatic annotation in this format repeats mentions; CoNLL-2012 and jsonlines refuse them.
        self._brackets = OpenMentions(problems, refuse_twice=False)
        self._pending: dict[str, list[_Discontinuous]] = {}
        self._details: dict[tuple[str, Span], str] = {}

    def sentence(self, rows: list[str], first: int) -> None:
        """One sentence with its comments, `first` being the line number of its first row."""
        start = len(self._words)
        tokens: list[list[str]] = []
        lines: list[int] = []
        multiword_ends: dict[int, int] = {}  # one past the last token → line
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
                if start + len(tokens) < max(multiword_ends, default=0):
                    self._problems.error(line, f"{quote(columns[0])} overlaps a multiword token")
                    continue
                last = start + int(columns[0].split("-")[1])
                self._multiword.append(Multiword(start + len(tokens), last, tuple(columns[1:])))
                multiword_ends[last] = line
                continue
            entities: list[str] = []
            if "Entity=" in columns[9]:
                columns[9], entities = without_entity(columns[9])
                if len(entities) > 1:
                    self._problems.error(line, "Entity= is there twice")
            if kind == ".":
                self._nodes.append(-1 - len(self._empty))
                node = EmptyNode(
                    len(self._starts), start + len(tokens), columns[0], tuple(columns[1:])
                )
                self._empty.append(node)
            else:
                self._nodes.append(len(self._words))
                self._words.append(columns[1])
                tokens.append(columns)
                lines.append(line)
            for entity in entities:
                self._entity(entity, line, start)
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

    def _entity(self, value: str, line: int, sentence_start: int) -> None:
        """The brackets of one node, the node that was read last."""
        node = len(self._nodes) - 1
        at, closing = 0, []
        while match := _BRACKET.match(value, at):
            opened, closed, ended = match.groups()
            at = match.end()
            if ended is not None:
                closing.append(ended.split("-")[0])
                continue
            if closing:  # a run of closings is done together: their order says nothing
                self._close(closing, node, line, sentence_start)
                closing = []
            values = opened.split("-", len(self._fields) - 1)
            name_at = min(self._name_field, len(values) - 1)
            bracket = values[name_at]
            part = _PART.fullmatch(bracket) if "[" in bracket else None
            if not bracket or ("[" in bracket and part is None):
                self._problems.error(line, f"no name of an entity in {quote(opened)}")
                continue
            others = [value for i, value in enumerate(values) if i != name_at]
            self._brackets.open(
                bracket, node, line, entity=part[1] if part else bracket, note="-".join(others)
            )
            if closed:
                self._close([bracket], node, line, sentence_start)
        if at < len(value):
            self._problems.error(line, f"cannot read the brackets {quote(value)}")
        if closing:
            self._close(closing, node, line, sentence_start)

    def _close(self, brackets: list[str], node: int, line: int, sentence_start: int) -> None:
        for bracket, first, note in self._brackets.close(brackets, line):
            span = self._span(first, node)
            entity = bracket
            if "[" in bracket and (part := _PART.fullmatch(bracket)):
                entity = part[1]
                whole = self._join(entity, int(part[2]), int(part[3]), span, line, note)
                if whole is None:
                    continue
                span, note = whole
            self._brackets.add(entity, span, line, sentence_start)
            if note:
                self._details[entity, span] = note

    def _span(self, first: int, last: int) -> Span:
        """The mention from node to node, both included."""
        nodes = self._nodes
        edges: list[int] = []
        while first <= last and nodes[first] < 0:
            edges.append(-1 - nodes[first])
            first += 1
        if first > last:
            position = self._empty[edges[0]].position
            return Span(position, position, empty=tuple(edges))
        trailing: list[int] = []
        while nodes[last] < 0:
            trailing.append(-1 - nodes[last])
            last -= 1
        return Span(nodes[first], nodes[last] + 1, empty=(*edges, *reversed(trailing)))

    def _join(
        self, entity: str, part: int, parts: int, span: Span, line: int, note: str
    ) -> tuple[Span, str] | None:
        """One part of a discontinuous mention; when it is the last, the whole with its fields."""
        waiting = self._pending.setdefault(entity, [])
        if part == 1:
            waiting.append(_Discontinuous(parts, [], line, []))
        found = next((w for w in waiting if w.size == parts and len(w.spans) == part - 1), None)
        if found is None:
            self._problems.error(
                line, f"entity {entity}: part {part}/{parts} has no part before it"
            )
            return None
        found.spans.append(span)
        found.notes.append(note)
        if part < parts:
            return None
        waiting.remove(found)
        note = max(found.notes, key=len)  # the parts repeat it, or only the first one has it
        if parts == 1:
            return span, note
        whole = Span(
            found.spans[0].start,
            found.spans[-1].end,
            tuple((s.start, s.end) for s in found.spans),
            tuple(node for s in found.spans for node in s.empty),
        )
        return whole, note

    def finish(self) -> Document:
        """The document is complete."""
        for entity, waiting in self._pending.items():
            for mention in waiting:
                missing = f"{len(mention.spans) + 1}/{mention.size}"
                self._problems.error(mention.line, f"entity {entity}: part {missing} never comes")
        layers: dict[str, tuple[Any, ...]] = {}
        extra: dict[str, Any] = {}
        if self._with_layers:
            every = {**self._layers, "speaker": self._speakers}
            layers = {
                name: tuple(values)
                for name, values in every.items()
                if any(value is not None for value in values)
            }
            extra = {
                COMMENTS: tuple(self._comments),
                MULTIWORD: tuple(self._multiword),
                EMPTY_NODES: tuple(self._empty),
                GLOBAL_ENTITY: "-".join(self._fields),
                MENTIONS: self._details,
            }
        return Document(
            id=self._id,
            words=tuple(self._words),
            sentence_starts=tuple(self._starts),
            clusters=self._brackets.finish(),
            layers=layers,
            extra={name: value for name, value in extra.items() if value},
        )


class _Discontinuous(NamedTuple):
    """A discontinuous mention of which not all parts were read yet."""

    size: int
    spans: list[Span]
    line: int
    notes: list[str]
