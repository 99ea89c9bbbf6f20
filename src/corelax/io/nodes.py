"""The nodes of a document while it is read: tokens and empty nodes in one order."""

from __future__ import annotations

from corelax.document import EmptyId, Node, Span


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
        """The next nodes are tokens."""
        self._nodes += range(self._tokens, self._tokens + count)
        self._tokens += count

    def add_empty(self, id: EmptyId, position: int) -> None:
        """The next node is an empty one, before the token `position`."""
        self._nodes.append(-1 - len(self._empty))
        self._empty.append(id)
        self._positions.append(position)

    def span(self, first: int, last: int) -> Span:
        """The mention from node to node, both included."""
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
