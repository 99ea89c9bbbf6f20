"""Constituency trees from the bracket pieces of a column: `(TOP(S(NP*)`, `*`, `*))`.

Only what the features need is kept: the governor of each token, and where the noun phrases are. Heads are
percolated while brackets close, so no tree is ever built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.rankers.sparse.mentions.heads import Child, head_child

UNLABELLED = "ROOT"
ROOT = -1


class Trees(NamedTuple):
    """The trees of a document.

    Attributes:
        governors: [token] the token that governs it, −1 at the root of a sentence.
        phrases: (start, end) of the nodes labelled NP, those of a sentence one after the other.
    """

    governors: list[int]
    phrases: list[tuple[int, int]]


class _Open(NamedTuple):
    """A bracket that is not closed yet."""

    label: str
    start: int
    children: list[Child]


def read_trees(doc: Document, tags: Sequence[str], label: str = "NP") -> Trees:
    """The governors and noun phrases of a document with a `parse` layer.

    >>> doc = Document(id="d", words=("Tom", "left"), layers={"parse": ("(TOP(S(NP*)", "(VP*)))")})
    >>> read_trees(doc, ("NNP", "VBD"))
    Trees(governors=[1, -1], phrases=[(0, 1)])
    """
    pieces = doc.layer("parse", "*")
    governors = [ROOT] * len(doc.words)
    phrases: list[tuple[int, int]] = []
    for number, (first, last) in enumerate(doc.sentence_bounds):
        # The outermost bracket is ours: a sentence may have several trees, or none.
        stack = [_Open(UNLABELLED, first, [])]
        for token in range(first, last):
            before, star, after = (pieces[token] or "*").partition("*")
            if before:
                if before[0] != "(" or not star:
                    raise _broken(doc, number, token)
                for name in before[1:].split("("):
                    stack.append(_Open(name.strip() or UNLABELLED, token, []))
            stack[-1].children.append(Child(tags[token], token, True))
            closing = after.count(")")
            if closing != len(after) or closing >= len(stack):
                raise _broken(doc, number, token)
            for _ in range(closing):
                node = stack.pop()
                stack[-1].children.append(Child(node.label, _close(node, governors), False))
                if node.label == label:
                    phrases.append((node.start, token + 1))
        if len(stack) > 1:
            raise _broken(doc, number, last - 1)
        if last > first:
            _close(stack[0], governors)
    return Trees(governors, phrases)


def _close(node: _Open, governors: list[int]) -> int:
    """The head token of a node; the heads of its other children are governed by it."""
    children = node.children
    head = (
        children[head_child(node.label, children)].head if len(children) > 1 else children[0].head
    )
    for child in children:
        if child.head != head:
            governors[child.head] = head
    return head


def _broken(doc: Document, sentence: int, token: int) -> CorelaxError:
    piece = doc.layer("parse")[token]
    return CorelaxError(
        f"document {doc.key}, sentence {sentence + 1}: the brackets of its parse do not match "
        f"(at {doc.words[token]!r}: {piece!r}); correct the column or leave it empty"
    )
