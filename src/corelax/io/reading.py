"""What readers of several formats share: mentions that open and close, nodes, split antecedents.

Formats write brackets differently, but what can go wrong is the same: something closes that was never opened,
is never closed, or occurs twice. *Nodes* are tokens and empty nodes in one order. A split antecedent is an
entity that stands for several others together, as "they" for Ann and Bo; a document has them under `SPLIT` in
`Document.extra`, the labels of the antecedents by the label of the entity that stands for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from corelax.document import Clustering, EmptyId, Node, Span
from corelax.io.problems import Problems, quote

NOT_SCORED = "split antecedents are kept but not scored"


def lines_of_sentences(file: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """(line number, lines) of each stretch without blank lines."""
    number = 1
    for blank, group in groupby(file, str.isspace):
        rows = [row.rstrip("\n") for row in group]
        if not blank:
            yield number, rows
        number += len(rows)


@dataclass(slots=True)
class _Opening:
    """An opening bracket: the node that it stands on, its line, and what its reader wants to remember."""

    node: int
    line: int
    note: str
    is_open: bool = True


class OpenMentions:
    """The entities of one document, built while its tokens are read.

    Mentions of one entity nest: a closing bracket ends the one that was opened last. Entities are in
    the order in which they are first met, mentions in the order in which they are complete. A mention
    that an entity has twice counts once; it is an error unless `refuse_twice` is False.
    """

    def __init__(self, problems: Problems, *, refuse_twice: bool = True) -> None:
        self._problems = problems
        self._refuse_twice = refuse_twice
        self._clusters: dict[str, list[Span]] = {}
        self._open: dict[str, list[_Opening]] = {}  # by the bracket's name
        self._openings: list[_Opening] = []  # in their order; the last one is open
        self._entity_of: dict[Span, str] = {}  # the first one that has the mention
        self._others: set[tuple[str, Span]] = set()  # further entities that have it

    def open(
        self, bracket: str, token: int, line: int, *, entity: str | None = None, note: str = ""
    ) -> None:
        """A bracket opens: the beginning of a mention of `entity` (by default the bracket's name)."""
        self._clusters.setdefault(bracket if entity is None else entity, [])
        opening = _Opening(token, line, note)
        self._open.setdefault(bracket, []).append(opening)
        self._openings.append(opening)

    def close(self, brackets: Iterable[str], line: int) -> list[tuple[str, int, str]]:
        """Brackets close on one token: name, first token and note of each."""
        closed = []
        for bracket in brackets:
            stack = self._open.get(bracket)
            if not stack:
                self._problems.error(line, f"entity {bracket} closes but was never opened")
                continue
            opening = stack.pop()
            opening.is_open = False
            closed.append((bracket, opening.node, opening.note))
            if not stack:
                del self._open[bracket]
        while self._openings and not self._openings[-1].is_open:
            self._openings.pop()
        if self._openings:
            # What was opened after a mention that ends here, and is still open, crosses it.
            latest = self._openings[-1].node
            for bracket, start, _ in closed:
                if start < latest:
                    self._problems.odd(line, f"a mention of entity {bracket} crosses another one")
        return closed

    def add(self, entity: str, span: Span, line: int, sentence_start: int = 0) -> None:
        cluster = self._clusters.setdefault(entity, [])
        if span not in self._entity_of:
            self._entity_of[span] = entity
        elif self._entity_of[span] == entity or (entity, span) in self._others:
            report = self._problems.error if self._refuse_twice else self._problems.odd
            report(line, f"entity {entity} has the same mention twice")
            return
        else:
            self._others.add((entity, span))
            entities = f"{self._entity_of[span]} and {entity}"
            self._problems.odd(line, f"one mention is in two entities, {entities}")
        if span.start < sentence_start:
            self._problems.odd(line, f"a mention of entity {entity} runs over a sentence end")
        cluster.append(span)

    def finish(self) -> Clustering[Span]:
        for entity, stack in self._open.items():
            for opening in stack:
                self._problems.error(opening.line, f"entity {entity} opens but is never closed")
        return Clustering(self._clusters.values(), self._clusters)


class NodeList:
    """Nodes by number, and the mentions from node to node.

    >>> nodes = NodeList()
    >>> nodes.add_tokens(2)
    >>> nodes.add_empty(EmptyId(0, 2, 1), 2)
    >>> nodes.span(1, 2), nodes[2]
    (Span(1, 2, empty=(EmptyId(sentence=0, word=2, number=1),)), EmptyId(sentence=0, word=2, number=1))
    """

    def __init__(self) -> None:
        self._nodes: list[int] = []  # token number, or -1 - number of an empty node
        self._tokens = 0
        self._empty: list[EmptyId] = []
        self._positions: list[int] = []  # of empty nodes: the token that follows

    def __len__(self) -> int:
        return len(self._nodes)

    def __getitem__(self, number: int) -> Node:
        node = self._nodes[number]
        return node if node >= 0 else self._empty[-1 - node]

    def add_tokens(self, count: int) -> None:
        self._nodes += range(self._tokens, self._tokens + count)
        self._tokens += count

    def add_empty(self, id: EmptyId, position: int) -> None:
        """The next node is an empty one, before the token `position`."""
        self._nodes.append(-1 - len(self._empty))
        self._empty.append(id)
        self._positions.append(position)

    def span(self, first: int, last: int) -> Span:
        if not self._empty:
            return Span(first, last + 1)
        nodes = self._nodes
        if nodes[first] >= 0 and nodes[last] >= 0:
            return Span(nodes[first], nodes[last] + 1)
        edges: list[EmptyId] = []
        position = self._positions[-1 - nodes[first]] if nodes[first] < 0 else 0
        while first <= last and nodes[first] < 0:
            edges.append(self._empty[-1 - nodes[first]])
            first += 1
        if first > last:
            return Span(position, position, empty=tuple(edges))
        trailing: list[EmptyId] = []
        while nodes[last] < 0:
            trailing.append(self._empty[-1 - nodes[last]])
            last -= 1
        return Span(nodes[first], nodes[last] + 1, empty=(*edges, *reversed(trailing)))


def joined(spans: list[Span]) -> Span:
    """The mention of which these are the parts.

    >>> joined([Span(0, 1), Span(2, 4)])
    Span(0, 4, parts=((0, 1), (2, 4)))
    """
    return Span(
        spans[0].start,
        spans[-1].end,
        tuple(span.bounds for span in spans),
        tuple(node for span in spans for node in span.empty),
    )


class SplitAntecedents:
    """The split antecedents of one document, built while it is read.

    >>> split = SplitAntecedents(Problems("a.conllu"))
    >>> split.read("Entity=(e3)|SplitAnte=e1<e3,e2<e3", line=1)
    >>> split.of(["e1", "e2", "e3"])
    {'e3': ('e1', 'e2')}
    """

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._elements: dict[str, dict[str, None]] = {}  # by set, in order
        self._lines: dict[str, int] = {}  # where each entity is named first

    def add(self, element: str, wholes: Iterable[str], line: int) -> None:
        self._problems.odd_once(line, NOT_SCORED)
        for whole in wholes:
            self._elements.setdefault(whole, {})[element] = None
            for entity in (element, whole):
                self._lines.setdefault(entity, line)

    def read(self, misc: str, line: int) -> None:
        """The attribute `SplitAnte=e1<e3,e2<e3` of CorefUD."""
        for item in misc.split("|"):
            if item.startswith("SplitAnte="):
                for pair in item.removeprefix("SplitAnte=").split(","):
                    element, mark, whole = pair.partition("<")
                    if mark and element and whole:
                        self.add(element, [whole], line)
                    else:
                        self._problems.error(line, f"SplitAnte= needs e1<e2, not {quote(pair)}")

    def of(self, labels: Collection[str]) -> dict[str, tuple[str, ...]]:
        """The antecedents of each entity that has several, of the entities that there are."""
        known = set(labels)
        for entity, line in self._lines.items():
            if entity not in known:
                self._problems.odd(
                    line, f"split antecedents name entity {quote(entity)}, which has no mention"
                )
        found = {
            whole: tuple(entity for entity in elements if entity in known)
            for whole, elements in self._elements.items()
            if whole in known
        }
        return {whole: elements for whole, elements in found.items() if elements}
