"""The brackets of CorefUD: `Entity=(e1-person-1-x(e2[1/2]-place` opens, `e2[1/2])e1)` closes.

*Nodes* are tokens and empty nodes in one order; brackets stand on nodes. The format is described in
`corefud.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from functools import lru_cache
from typing import NamedTuple

from corelax.document import Node, Span
from corelax.document.clustering import Clustering
from corelax.io.problems import Problems, quote
from corelax.io.reading import NodeList, OpenMentions, joined

_BRACKET = re.compile(r"\(([^()]+)(\)?)|([^()]+)\)|(.)", re.DOTALL)
SHORT = 100  # characters of an `Entity=` that is remembered, since many are the same
_PART = re.compile(r"(.+)\[(\d{1,6})/(\d{1,6})\]")


@lru_cache(maxsize=1 << 12)
def brackets_of(value: str) -> tuple[tuple[str, str, str, str], ...]:
    """What an `Entity=` opens (closed at once if there is a bracket), what it ends, and what is neither.

    >>> brackets_of("(e1-x)e2)")
    (('e1-x', ')', '', ''), ('', '', 'e2', ''))
    """
    return tuple(_BRACKET.findall(value))


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
    places: list[tuple[int, int]]

    def whole(self) -> tuple[Span, str, list[tuple[int, int]]]:
        """The mention, its fields, and the first and last node of each part."""
        note = max(self.notes, key=len)  # the parts repeat it, or only the first one has it
        if self.size == 1:
            return self.spans[0], note, self.places
        return joined(self.spans), note, self.places


class EntityReader:
    """The entities of one document, built node by node.

    Attributes:
        nodes: The nodes so far.
        fields_of: What the opening bracket of a mention says beside the entity's name.
        heads_of: The heads of mentions of several nodes, where the file has a field for them.
    """

    def __init__(self, fields: str, problems: Problems, *, keep_fields: bool = True) -> None:
        self._problems = problems
        self._keep_fields = keep_fields
        self._fields = fields.split("-")
        self._name_field = name_field(self._fields)
        others = [field for i, field in enumerate(self._fields) if i != self._name_field]
        self._head_field = others.index("head") if "head" in others else None
        self._name_first = self._name_field == 0 < len(self._fields) - 1
        self.nodes = NodeList()
        # Automatic annotation in this format repeats mentions; CoNLL-2012 and jsonlines refuse them.
        self._brackets = OpenMentions(problems, refuse_twice=False)
        # Entity, parts and the part to come → mentions, in the order of their first parts.
        self._waiting: defaultdict[tuple[str, int, int], deque[_Discontinuous]] = defaultdict(deque)
        self.fields_of: dict[tuple[str, Span], str] = {}
        self.heads_of: dict[tuple[str, Span], tuple[Node, ...]] = {}

    def read(self, value: str, line: int, sentence_start: int, node: int) -> None:
        """The brackets of one node, by its number."""
        closing: list[str] = []
        found = brackets_of(value) if len(value) <= SHORT else _BRACKET.findall(value)
        for opened, closed, ended, rest in found:
            if ended:
                closing.append(ended.partition("-")[0])
                continue
            if rest:
                self._problems.error(line, f"cannot read the brackets {quote(value)}")
                break
            if closing:  # a run of closings is done together: their order says nothing
                self._close(closing, node, line, sentence_start)
                closing = []
            self._open(opened, bool(closed), node, line, sentence_start)
        if closing:
            self._close(closing, node, line, sentence_start)

    def _open(self, opened: str, closed: bool, node: int, line: int, sentence_start: int) -> None:
        if self._name_first:
            bracket, _, note = opened.partition("-")
        else:
            values = opened.split("-", len(self._fields) - 1)
            bracket = values.pop(min(self._name_field, len(values) - 1))
            note = "-".join(values)
        part = _PART.fullmatch(bracket) if "[" in bracket else None
        if not bracket or ("[" in bracket and part is None):
            self._problems.error(line, f"no name of an entity in {quote(opened)}")
        elif part or not closed:
            self._brackets.open(bracket, node, line, entity=part[1] if part else bracket, note=note)
            if closed:
                self._close([bracket], node, line, sentence_start)
        else:
            self._add(bracket, self.nodes.span(node, node), note, line, sentence_start)

    def _add(self, entity: str, span: Span, note: str, line: int, sentence_start: int) -> None:
        self._brackets.add(entity, span, line, sentence_start)
        if self._keep_fields:
            self.fields_of[entity, span] = note

    def _close(self, brackets: list[str], node: int, line: int, sentence_start: int) -> None:
        for bracket, first, note in self._brackets.close(brackets, line):
            span = self.nodes.span(first, node)
            entity, places, head_note = bracket, [(first, node)], note
            if "[" in bracket and (part := _PART.fullmatch(bracket)):
                entity = part[1]
                mention = self._join(entity, int(part[2]), int(part[3]), line)
                if mention is None:
                    continue
                mention.spans.append(span)
                mention.notes.append(note)
                mention.places.append((first, node))
                if len(mention.spans) < mention.size:
                    self._waiting[entity, mention.size, len(mention.spans) + 1].append(mention)
                    continue
                span, note, places = mention.whole()
                if (head := self._head_value(head_note)) != self._head_value(note):
                    note = self._with_head(note, head)
            self._add(entity, span, note, line, sentence_start)
            if self._head_field is not None:
                self._add_head(entity, span, head_note, places, line)

    def _head_value(self, note: str) -> str:
        values = note.split("-", max(len(self._fields) - 2, 0))
        at = self._head_field
        return (values[at] or "1") if at is not None and len(values) > at else "1"

    def _with_head(self, note: str, head: str) -> str:
        values = note.split("-", max(len(self._fields) - 2, 0))
        at = self._head_field or 0
        values += [""] * (at + 1 - len(values))
        values[at] = head
        return "-".join(values)

    def _add_head(
        self, entity: str, span: Span, note: str, places: list[tuple[int, int]], line: int
    ) -> None:
        """The head of a mention: a number from 1 among its nodes. Of several parts the last one says it."""
        size = 0
        for first, last in places:
            size += last - first + 1
        if size == 1 or self._head_field is None:
            return
        value = self._head_value(note) if note else "1"
        number = int(value) if value.isdecimal() and len(value) < 10 else -1
        if not 0 <= number <= size:
            message = f"the head of a mention of entity {quote(entity)} is {quote(value)}"
            self._problems.error(line, f"{message}; it has {size} nodes")
            number = 0
        at = max(number - 1, 0)
        for first, last in places:
            if at <= last - first:
                break
            at -= last - first + 1
        head = self.nodes[first + at]
        known = self.heads_of.get((entity, span), ())
        if head not in known:
            self.heads_of[entity, span] = (*known, head)

    def _join(self, entity: str, part: int, parts: int, line: int) -> _Discontinuous | None:
        if part == 1:
            return _Discontinuous(entity, parts, line, [], [], [])
        if waiting := self._waiting.get((entity, parts, part)):
            return waiting.popleft()
        self._problems.error(line, f"entity {entity}: part {part}/{parts} has no part before it")
        return None

    def finish(self) -> Clustering[Span]:
        incomplete = [mention for waiting in self._waiting.values() for mention in waiting]
        for mention in sorted(incomplete, key=lambda mention: mention.line):
            missing = f"part {len(mention.spans) + 1}/{mention.size}"
            self._problems.error(mention.line, f"entity {mention.entity}: {missing} never comes")
        return self._brackets.finish()
