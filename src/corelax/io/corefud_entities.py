"""The brackets of CorefUD: `Entity=(e1-person-1-x(e2[1/2]-place` opens, `e2[1/2])e1)` closes.

*Nodes* are tokens and empty nodes in one order; brackets stand on nodes. The format is described in
`corefud.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from typing import NamedTuple

from corelax.document import Span
from corelax.document.clustering import Clustering
from corelax.io.brackets import OpenMentions
from corelax.io.problems import Problems, quote

_BRACKET = re.compile(r"\(([^()]+)(\)?)|([^()]+)\)")
_PART = re.compile(r"(.+)\[(\d{1,6})/(\d{1,6})\]")


def name_field(fields: list[str]) -> int:
    """Which of the fields of `global.Entity` is the entity's name: `eid`, in GUM `GRP`."""
    return next((i for i, field in enumerate(fields) if field in ("eid", "GRP")), 0)


class _Discontinuous(NamedTuple):
    """A discontinuous mention of which not all parts were read yet."""

    entity: str
    size: int
    line: int
    spans: list[Span]
    notes: list[str]


class EntityReader:
    """The entities of one document, built node by node.

    Attributes:
        fields_of: What the opening bracket of a mention says beside the entity's name.
    """

    def __init__(self, fields: str, problems: Problems) -> None:
        self._problems = problems
        self._fields = fields.split("-")
        self._name_field = name_field(self._fields)
        self._nodes: list[int] = []  # token number, or -1 - number of an empty node
        self._tokens = 0
        self._positions: list[int] = []  # of empty nodes: the token that follows
        # Automatic annotation in this format repeats mentions; CoNLL-2012 and jsonlines refuse them.
        self._brackets = OpenMentions(problems, refuse_twice=False)
        # Entity, parts and the part to come → mentions, in the order of their first parts.
        self._waiting: defaultdict[tuple[str, int, int], deque[_Discontinuous]] = defaultdict(deque)
        self.fields_of: dict[tuple[str, Span], str] = {}

    def token(self) -> None:
        """The next node is a token."""
        self._nodes.append(self._tokens)
        self._tokens += 1

    def empty_node(self, position: int) -> None:
        """The next node is an empty one, before the token `position`."""
        self._nodes.append(-1 - len(self._positions))
        self._positions.append(position)

    def read(self, value: str, line: int, sentence_start: int) -> None:
        """The brackets of one node, the node that was added last."""
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
                self.fields_of[entity, span] = note

    def _span(self, first: int, last: int) -> Span:
        """The mention from node to node, both included."""
        nodes = self._nodes
        edges: list[int] = []
        while first <= last and nodes[first] < 0:
            edges.append(-1 - nodes[first])
            first += 1
        if first > last:
            position = self._positions[edges[0]]
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
        if part == 1:
            mention = _Discontinuous(entity, parts, line, [], [])
        elif waiting := self._waiting.get((entity, parts, part)):
            mention = waiting.popleft()
        else:
            self._problems.error(
                line, f"entity {entity}: part {part}/{parts} has no part before it"
            )
            return None
        mention.spans.append(span)
        mention.notes.append(note)
        if part < parts:
            self._waiting[entity, parts, part + 1].append(mention)
            return None
        note = max(mention.notes, key=len)  # the parts repeat it, or only the first one has it
        if parts == 1:
            return span, note
        whole = Span(
            mention.spans[0].start,
            mention.spans[-1].end,
            tuple((s.start, s.end) for s in mention.spans),
            tuple(node for s in mention.spans for node in s.empty),
        )
        return whole, note

    def finish(self) -> Clustering[Span]:
        """The document ends."""
        incomplete = [mention for waiting in self._waiting.values() for mention in waiting]
        for mention in sorted(incomplete, key=lambda mention: mention.line):
            missing = f"part {len(mention.spans) + 1}/{mention.size}"
            self._problems.error(mention.line, f"entity {mention.entity}: {missing} never comes")
        return self._brackets.finish()
