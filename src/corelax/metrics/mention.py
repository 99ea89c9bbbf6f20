"""A mention as matching sees it: nodes, a head, and for a zero what its head depends on.

*Nodes* are the words of a document and its empty nodes in one order; both sides number them alike
(`nodes.py`). Stretches of nodes instead of sets keep long mentions cheap.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

Parent = tuple[Hashable, str]


class Mention(NamedTuple):
    """The nodes of a mention, as half-open stretches that neither touch nor overlap, and its head.

    >>> old_dog = Mention(((1, 3),), head=2)
    >>> the_old_dog = Mention(((0, 3),), head=2)
    >>> old_dog.size, old_dog.common(the_old_dog), old_dog.contains(0)
    (2, 2, False)

    Attributes:
        stretches: From node to node, the second one excluded.
        head: The head's node; None where it is not known.
        parents: Where the head is an empty node, (parent, relation) of each of its dependencies; parents are
            any hashable things that name a node of a sentence. None for a mention that is no zero.
    """

    stretches: tuple[tuple[int, int], ...]
    head: int | None = None
    parents: frozenset[Parent] | None = None

    @property
    def size(self) -> int:
        """The number of nodes."""
        if len(self.stretches) == 1:
            return self.end - self.start
        return sum(end - start for start, end in self.stretches)

    @property
    def start(self) -> int:
        """The first node."""
        return self.stretches[0][0]

    @property
    def end(self) -> int:
        """The node after the last one."""
        return self.stretches[-1][1]

    @property
    def is_zero(self) -> bool:
        """Whether the head is an empty node."""
        return self.parents is not None

    @property
    def place(self) -> tuple[object, ...]:
        """By what mentions are ordered: first node, last node, number of nodes."""
        head = -1 if self.head is None else self.head
        return self.start, self.end, self.size, self.stretches, head

    def contains(self, node: int | None) -> bool:
        """Whether a node is one of the mention's."""
        return node is not None and any(start <= node < end for start, end in self.stretches)

    def common(self, other: Mention) -> int:
        """The number of nodes that two mentions share."""
        if len(self.stretches) == len(other.stretches) == 1:
            return max(0, min(self.end, other.end) - max(self.start, other.start))
        shared = i = j = 0
        while i < len(self.stretches) and j < len(other.stretches):
            (start, end), (from_, to) = self.stretches[i], other.stretches[j]
            shared += max(0, min(end, to) - max(start, from_))
            i, j = (i + 1, j) if end < to else (i, j + 1)
        return shared
