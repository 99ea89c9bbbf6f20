"""The mentions of two documents with their nodes numbered alike.

Both sides have the same words, but each may have empty nodes of its own. All of them, of both sides, are
numbered in one order, so that a mention becomes a few stretches of numbers: equal stretches are
equal sets of nodes. An empty node inside a mention belongs to it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.document import Document, EmptyId, Node, Span, tree_head
from corelax.document.gold import GLOBAL_ENTITY
from corelax.metrics.mention import Mention


class Entity(NamedTuple):
    """One entity: its label, and its mentions with the spans that they stand for.

    A span that a file has twice in an entity, with different heads, is two mentions.
    """

    label: str
    mentions: tuple[Mention, ...]
    spans: tuple[Span, ...]


def document_entities(
    *, gold: Document, system: Document, match: str
) -> tuple[list[Entity], list[Entity]]:
    """The entities of both sides, as this kind of match sees them.

    Head match needs heads, and partial match those of gold. If a file does not give them the tree of gold
    decides; without a tree it is an error. Where there are empty nodes heads tell which mentions are zeros.

    >>> doc = Document.from_sentences("d", [["the", "dog"]], clusters=[[(0, 2)]])
    >>> document_entities(gold=doc, system=doc, match="exact")[0][0].mentions
    (Mention(stretches=((0, 2),), head=None, parents=None),)
    """
    sides = (gold, system)
    places = {(doc.place_of(node.id), node.id) for doc in sides for node in doc.empty_nodes}
    numbering = sorted(places)
    needs_heads = (match in ("partial", "head"), match == "head")
    ours, theirs = (
        _NumberedNodes(doc, gold, numbering, match, needs).entities()
        for doc, needs in zip(sides, needs_heads, strict=True)
    )
    return ours, theirs


class _NumberedNodes:
    def __init__(
        self,
        doc: Document,
        gold: Document,
        numbering: list[tuple[int, EmptyId]],
        match: str,
        needs_heads: bool,
    ) -> None:
        self._doc, self._gold = doc, gold
        self._match = match
        self._needs_heads = needs_heads
        self._places = [place for place, _ in numbering]
        self._number_of = {id: place + i for i, (place, id) in enumerate(numbering)}
        self._nodes = {node.id: node for node in doc.empty_nodes}
        self._missing = [n for id, n in self._number_of.items() if id not in self._nodes]
        # CorefUD files name heads, save where it is the first node. Others do not know them, nor do those
        # of GUM, whose fields are its own (GRP).
        fields = str(doc.extra.get(GLOBAL_ENTITY, "")).split("-")
        self._first_is_head = "head" in fields or "eid" in fields

    def entities(self) -> list[Entity]:
        clusters = self._doc.clusters
        return [
            self._entity(label, spans)
            for label, spans in zip(clusters.labels, clusters, strict=True)
        ]

    def _entity(self, label: str, spans: Iterable[Span]) -> Entity:
        mentions, of_spans = [], []
        for span in spans:
            stretches = self._stretches(span)
            for head in self._heads_of(label, span):
                number = None if head is None else self._number(head)
                mentions.append(Mention(stretches, number, self._parents(head)))
                of_spans.append(span)
        return Entity(label, tuple(mentions), tuple(of_spans))

    def _number(self, node: Node) -> int:
        if isinstance(node, EmptyId):
            return self._number_of[node]
        return node + bisect_right(self._places, node)

    def _stretches(self, span: Span) -> tuple[tuple[int, int], ...]:
        if not self._places and not span.parts:
            return (span.bounds,)
        parts = [
            (self._number(start), self._number(end - 1) + 1)
            for start, end in span.parts or (span.bounds,)
            if start < end
        ]
        edges = [(number, number + 1) for number in map(self._number, span.empty)]
        merged: list[tuple[int, int]] = []
        for start, end in sorted(parts + edges):
            if merged and start <= merged[-1][1]:
                start, last = merged.pop()
                end = max(end, last)
            merged.append((start, end))
        return tuple(piece for stretch in merged for piece in self._pieces(*stretch))

    def _pieces(self, start: int, end: int) -> Iterable[tuple[int, int]]:
        """A stretch without the nodes inside it that only the other side has."""
        first, last = bisect_left(self._missing, start), bisect_left(self._missing, end)
        for number in self._missing[first:last]:
            if start < number:
                yield start, number
            start = number + 1
        yield start, end

    def _heads_of(self, label: str, span: Span) -> Iterable[Node | None]:
        """The head of a mention; several if the file has it several times and heads tell mentions apart."""
        if not self._needs_heads and not self._nodes:
            return (None,)
        if known := self._doc.mention_heads.get((label, span)):
            return known if self._match == "head" else known[:1]
        is_one_node = span.end - span.start + len(span.empty) == 1
        if self._first_is_head or is_one_node:
            return (self._first_node(span),)
        head = tree_head(self._gold, span)
        if head is None and self._needs_heads:
            side = "gold" if self._doc is self._gold else "system"
            raise CorelaxError(
                f"document {self._doc.name}: the head of the {side} mention {span.bounds} is not known; this "
                "match needs CorefUD files with heads, or a tree of gold (layer head)"
            )
        return (head,)

    def _first_node(self, span: Span) -> Node:
        parts = span.parts or (span.bounds,)
        first = parts[0][0]
        leading = [id for id in span.empty if self._doc.place_of(id) <= first]
        return min(leading) if leading else first

    def _parents(self, head: Node | None) -> frozenset[tuple[object, str]] | None:
        """What a zero depends on; None for a mention with another head."""
        if not isinstance(head, EmptyId):
            return None
        deps = self._nodes[head].deps
        return frozenset((EmptyId(head.sentence, word, n), relation) for word, n, relation in deps)
