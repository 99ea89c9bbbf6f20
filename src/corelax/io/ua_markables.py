"""The markables of Universal Anaphora: `)(EntityID=1|MarkableID=m1|Min=3` closes one and opens one.

A closing bracket ends the markable that was opened last, or the one that it names (`m1)`). Markables of one
`MarkableID` are the parts of a discontinuous mention. An `EntityID` that ends in `-Pseudo` is no entity.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from corelax.document import Node, Span
from corelax.document.clustering import Clustering
from corelax.io.brackets import OpenMentions
from corelax.io.nodes import NodeList, joined
from corelax.io.problems import Problems, quote
from corelax.io.split import SplitAntecedents

_BRACKET = re.compile(r"\(([^()@]*)|([^()@]*)(\))|(.)", re.DOTALL)
_PSEUDO = re.compile(r"[-_]pseudo$", re.IGNORECASE)


class _Markable(NamedTuple):
    """A markable: its entity, the rest of its attributes, and the first and last node of each part."""

    entity: str
    attributes: str
    line: int
    sentence_start: int
    parts: list[tuple[int, int]]


@dataclass(slots=True, eq=False)
class _Opening:
    """An opening bracket."""

    markable: str
    node: int
    line: int
    is_open: bool = True


class Markables:
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
        self._opened: list[_Opening] = []  # in their order; the last one is open
        self._open: dict[str, list[_Opening]] = {}  # by markable
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
        opening = _Opening(name, node, line)
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
        """The document ends."""
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
