"""Universal Anaphora, the format with a column for each kind of anaphora ("exact" or "exploded"). This file
reads, `ua_write.py` writes.

    # global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING NOM_SEM
    # newdoc id = d
    # sent_id = d-1
    1  Ann  _ _ _ _ _ _ _ _  (EntityID=1|MarkableID=markable_1|Min=1|SemType=dn|ElementOf=3)  _ _
    2  ran  _ _ _ _ _ _ _ _  _  _ _

Ten columns as in CoNLL-U, with words numbered over the document, then those of the header. Tabs or blanks
between columns. `IDENTITY` has coreference; the other columns are kept as they are.

`)(EntityID=1|MarkableID=m1|Min=3` closes a markable and opens one. A closing bracket ends the markable that
was opened last, or the one that it names (`m1)`). MarkableReader of one `MarkableID` are the parts of a
discontinuous mention. An `EntityID` that ends in `-Pseudo` is no entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import IO, Any, NamedTuple

from corelax.document import Clustering, Document, EmptyId, EmptyNode, Node, Span
from corelax.document.gold import COMMENTS, MULTIWORD, SPLIT, UA_COLUMNS, UA_MENTIONS, UA_PSEUDO
from corelax.io.corefud import LAYERS, NOTHING, Multiword
from corelax.io.problems import Problems, quote
from corelax.io.reading import (
    NodeList,
    OpenMentions,
    SplitAntecedents,
    joined,
    lines_of_sentences,
)

CONLLU = 10  # columns before those of the header
COLUMNS: tuple[str, ...] = ("IDENTITY", "BRIDGING", "DISCOURSE_DEIXIS", "REFERENCE", "NOM_SEM")
PREFIX = "ua."  # of the layers of other columns
MAX_COLUMNS = 100

_HEADER = re.compile(r"#\s*global\.columns\s*=\s*(.*)")
_NEWDOC = re.compile(r"#\s*newdoc\b(?:\s+id)?\s*=?\s*(.*)")
_SPEAKER = re.compile(r"#\s*speaker\s*=\s*(.*)")
_ID = re.compile(r"(\d{1,9})(?:([-.])(\d{1,9}))?")
_BRACKET = re.compile(r"\(([^()@]*)|([^()@]*)(\))|(.)", re.DOTALL)
_PSEUDO = re.compile(r"[-_]pseudo$", re.IGNORECASE)


def read(file: IO[str], problems: Problems, *, layers: bool = True) -> Iterator[Document]:
    """Yields document after document. Without `layers`, words and clusters only."""
    document: _UaReader | None = None
    columns = COLUMNS
    for number, rows in lines_of_sentences(file):
        for line, row in enumerate(rows, number):
            if header := _HEADER.match(row):
                columns = _columns(header[1], line, problems) or columns
        newdoc = next((m for row in rows if (m := _NEWDOC.match(row))), None)
        if newdoc or (document is None and not all(row.startswith("#") for row in rows)):
            if document is not None:
                yield document.finish()
            name = newdoc[1].strip() if newdoc else ""
            name = name or f"document_{problems.documents + 1}"
            document = _UaReader(name, columns, number, problems, layers)
        if document is not None:
            document.sentence(rows, number)
    if document is not None:
        yield document.finish()


def _columns(header: str, line: int, problems: Problems) -> tuple[str, ...] | None:
    """The names of the columns after those of CoNLL-U."""
    names = header.upper().split()
    if names[:1] != ["ID"] or "IDENTITY" not in names[CONLLU:] or len(names) > MAX_COLUMNS:
        problems.error(line, "global.columns must name the ten columns of CoNLL-U and IDENTITY")
        return None
    return tuple(names[CONLLU:])


class _UaReader:
    def __init__(
        self, name: str, columns: tuple[str, ...], line: int, problems: Problems, layers: bool
    ) -> None:
        problems.new_document(name, line)
        self._id, self._problems, self._with_layers = name, problems, layers
        self._columns = columns
        self._identity = CONLLU + columns.index("IDENTITY")
        self._split = CONLLU + columns.index("SPLIT") if "SPLIT" in columns else None
        self._words: list[str] = []
        self._starts: list[int] = []
        self._rows: list[list[str]] = []  # of tokens, without those that are words alone
        self._speakers: list[str | None] = []
        self._comments: list[tuple[str, ...]] = []
        self._multiword: list[Multiword] = []
        self._empty: list[EmptyNode] = []
        self._markables = MarkableReader(problems)

    def sentence(self, rows: list[str], first: int) -> None:
        """One sentence with its comments, `first` being the line number of its first row."""
        comments = [row for row in rows if row.startswith("#")]
        if len(comments) == len(rows):
            return
        start = len(self._words)
        for line, row in enumerate(rows, first):
            if not row.startswith("#"):
                self._row(row, start, line)
        self._starts.append(start)
        if self._multiword and self._multiword[-1].end > len(self._words):
            fault = "a multiword token runs past the end of its sentence"
            self._problems.error(first + len(rows) - 1, fault)
            self._multiword.pop()
        if self._with_layers:
            kept = [c for c in comments if not _NEWDOC.match(c) and not _HEADER.match(c)]
            self._comments.append(tuple(kept))
            speaker = next((m[1].strip() for c in comments if (m := _SPEAKER.match(c))), None)
            self._speakers += [speaker or None] * (len(self._words) - start)

    def _row(self, row: str, start: int, line: int) -> None:
        cells = [cell.strip() or "_" for cell in row.split("\t")] if "\t" in row else row.split()
        match = _ID.fullmatch(cells[0])
        token = len(self._words) - start
        if match is None or len(cells) <= self._identity:
            needed = f"a word number and {self._identity + 1} columns are needed"
            self._problems.error(line, f"{needed}, not {quote(row)}")
            return
        kind = match[2] or ""
        if int(match[1]) not in (token + (kind != "."), start + token + (kind != ".")):
            self._problems.error(
                line, f"word number {quote(cells[0])}; {start + token + 1} was expected"
            )
            return
        cells += ["_"] * (CONLLU + len(self._columns) - len(cells))
        if kind == "-":
            first, size = start + token, int(match[3]) - int(match[1]) + 1
            if size < 1 or (self._multiword and first < self._multiword[-1].end):
                self._problems.error(line, f"{quote(cells[0])} stands in the wrong place")
                return
            self._multiword.append(Multiword(first, first + size, tuple(cells[1:CONLLU])))
            return
        if kind == ".":
            before = self._empty[-1].id if self._empty else None
            place = (len(self._starts), token)
            number = before.number + 1 if before is not None and before[:2] == place else 1
            id = EmptyId(*place, number)
            self._empty.append(EmptyNode(id, tuple(cells[1:CONLLU])))
            self._markables.nodes.add_empty(id, len(self._words))
        else:
            self._words.append(cells[1])
            self._markables.nodes.add_tokens(1)
            if self._with_layers:
                self._rows.append(cells)
        if cells[self._identity] != "_":
            self._markables.read(cells[self._identity], line, start)
        if self._split is not None and cells[self._split] != "_":
            self._markables.read_split(cells[self._split], line)

    def finish(self) -> Document:
        clusters = self._markables.finish()
        extra: dict[str, Any] = {SPLIT: self._markables.split.of(clusters.labels)}
        if self._with_layers:
            extra |= {
                COMMENTS: tuple(self._comments),
                MULTIWORD: tuple(self._multiword),
                UA_COLUMNS: self._columns,
                UA_MENTIONS: self._markables.attributes,
                UA_PSEUDO: tuple(self._markables.pseudo),
            }
        return Document(
            id=self._id,
            words=tuple(self._words),
            sentence_starts=tuple(self._starts),
            clusters=clusters,
            layers=self._layers() if self._with_layers else {},
            extra={name: value for name, value in extra.items() if value},
            empty_nodes=tuple(self._empty),
            mention_heads=self._markables.heads,
        )

    def _layers(self) -> dict[str, tuple[Any, ...]]:
        names = {**LAYERS, 9: "misc"}
        for at, name in enumerate(self._columns, CONLLU):
            if name != "IDENTITY":
                names[at] = PREFIX + name.lower()
        layers: dict[str, tuple[Any, ...]] = {
            name: tuple(None if row[at] in NOTHING else row[at] for row in self._rows)
            for at, name in names.items()
        }
        layers["speaker"] = tuple(self._speakers)
        layers["head"] = tuple(self._heads())
        return {
            name: values for name, values in layers.items() if any(v is not None for v in values)
        }

    def _heads(self) -> Iterator[int | None]:
        for start, end in pairwise((*self._starts, len(self._words))):
            for row in self._rows[start:end]:
                head = int(row[6]) if row[6].isdecimal() and len(row[6]) < 10 else None
                if head is None or head > end - start:
                    yield None
                else:
                    yield start + head - 1 if head else -1


class _Markable(NamedTuple):
    """A markable: its entity, the rest of its attributes, and the first and last node of each part."""

    entity: str
    attributes: str
    line: int
    sentence_start: int
    parts: list[tuple[int, int]]


@dataclass(slots=True, eq=False)
class _OpenMarkable:
    markable: str
    node: int
    line: int
    is_open: bool = True


class MarkableReader:
    """The markables of one document, read node by node.

    Attributes:
        nodes: The nodes so far.
        split: The split antecedents.
        attributes: By entity and mention, what a markable says beside its entity.
        pseudo: Spans that refer to no entity, with their attributes.
        heads: The heads of mentions whose minimal span is one word.
    """

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self.nodes = NodeList()
        self._opened: list[_OpenMarkable] = []  # in their order; the last one is open
        self._open: dict[str, list[_OpenMarkable]] = {}  # by markable
        self._markables: dict[str, _Markable] = {}
        self.split = SplitAntecedents(problems)
        self.attributes: dict[tuple[str, Span], str] = {}
        self.pseudo: list[tuple[Span, str]] = []
        self.heads: dict[tuple[str, Span], tuple[Node, ...]] = {}

    def read(self, cell: str, line: int, sentence_start: int) -> None:
        """The brackets of the node that was added last."""
        node = len(self.nodes) - 1
        for match in _BRACKET.finditer(cell):
            opened, name, closed, rest = match.groups(default="")
            if opened:
                self._begin(opened, node, line, sentence_start)
            elif closed:
                self._end(name, node, line)
            elif rest != "@":
                self._problems.error(line, f"cannot read the markables {quote(cell)}")
                return

    def _begin(self, opened: str, node: int, line: int, sentence_start: int) -> None:
        items = [item.partition("=")[::2] for item in opened.split("|")]
        fields = {key.lower().replace("_", ""): value for key, value in items}
        entity = fields.get("entityid", "")
        if not entity:
            self._problems.error(line, f"a markable needs EntityID, not {quote(opened)}")
            return
        name = fields.get("markableid") or f"-{len(self._markables)}"
        rest = "|".join(
            item for item in opened.split("|") if not item.lower().startswith("entityid=")
        )
        known = self._markables.setdefault(name, _Markable(entity, rest, line, sentence_start, []))
        if known.entity != entity:
            self._problems.error(line, f"markable {quote(name)} is in two entities")
        opening = _OpenMarkable(name, node, line)
        self._opened.append(opening)
        self._open.setdefault(name, []).append(opening)
        if "elementof" in fields:
            self.split.add(entity, fields["elementof"].split(","), line)

    def _end(self, name: str, node: int, line: int) -> None:
        stack = self._open.get(name) if name else self._opened
        if not stack:
            what = f"markable {quote(name)}" if name else "a markable"
            self._problems.error(line, f"{what} closes but was never opened")
            return
        opening = stack[-1]
        opening.is_open = False
        self._open[opening.markable].pop()  # the last of its name is the last of all, too
        while self._opened and not self._opened[-1].is_open:
            self._opened.pop()
        self._markables[opening.markable].parts.append((opening.node, node))

    def read_split(self, cell: str, line: int) -> None:
        """The cell of a column for split antecedents: `EntityID=1|ElementOf=4`."""
        for item in cell.split("@"):
            pairs = [pair.partition("=")[::2] for pair in item.strip("()").split("|")]
            fields = {key.lower(): value for key, value in pairs}
            if "entityid" not in fields or "elementof" not in fields:
                self._problems.error(line, f"EntityID and ElementOf are needed, not {quote(item)}")
            else:
                self.split.add(fields["entityid"], fields["elementof"].split(","), line)

    def finish(self) -> Clustering[Span]:
        for opening in (opening for stack in self._open.values() for opening in stack):
            fault = f"markable {quote(opening.markable)} opens but is never closed"
            self._problems.error(opening.line, fault)
        mentions = OpenMentions(self._problems, refuse_twice=False)
        for markable in self._markables.values():
            if not markable.parts:
                continue
            spans = [self.nodes.span(*part) for part in sorted(markable.parts)]
            span = spans[0] if len(spans) == 1 else joined(spans)
            if _PSEUDO.search(markable.entity):
                self.pseudo.append((span, f"EntityID={markable.entity}|{markable.attributes}"))
                continue
            mentions.add(markable.entity, span, markable.line, markable.sentence_start)
            self.attributes[markable.entity, span] = markable.attributes
            head = re.search(r"(?:^|\|)min=(\d{1,9})(?:$|\|)", markable.attributes, re.IGNORECASE)
            if head and span.start < int(head[1]) <= span.end and span.end > span.start + 1:
                self.heads[markable.entity, span] = (int(head[1]) - 1,)
        return mentions.finish()
