"""The parse tree of a mention, read from the bracket pieces of its own words as coval reads them.

The pieces of a mention's words alone are rarely a whole tree, and coval has habits of its own in
putting one together. Words in a row under one node are one *terminal*; its line is the one at which it was
closed, which may be the one after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Terminal(NamedTuple):
    """Words in a row under one node."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    line: int

    @property
    def text(self) -> str:
        """The words joined by blanks."""
        return " ".join(self.words)


@dataclass(slots=True)
class TreeNode:
    """A node: a phrase with its tag, or a terminal, which has none."""

    tag: str = ""
    terminal: Terminal | None = None
    children: list[TreeNode] = field(default_factory=list)


def mention_tree(
    words: Sequence[str], tags: Sequence[str | None], pieces: Sequence[str], first: int = 0
) -> TreeNode | None:
    """The tree of a mention; None if its pieces have no node.

    Args:
        words: Its words.
        tags: Their parts of speech.
        pieces: Their bracket pieces, as in column 6 of CoNLL-2012.
        first: The place of the first word in its sentence.

    >>> tree = mention_tree(["the", "old", "dog"], ["DT", "JJ", "NN"], ["(NP*", "*", "*)"])
    >>> tree.tag, tree.children[0].terminal.text, tree.children[0].terminal.line
    ('NP', 'the old dog', 2)
    """
    reader = _Reader(first)
    for word, tag, piece in zip(words, tags, pieces, strict=True):
        reader.read(piece, word, tag or "-")
    return reader.finish()


class _Reader:
    """Puts a tree together, piece by piece."""

    def __init__(self, first: int) -> None:
        self._line = first - 1
        self._tag = ""
        self._pending: list[tuple[str, str]] = []
        self._open: list[TreeNode] = []
        self._roots: list[TreeNode] = []

    def read(self, piece: str, word: str, tag: str) -> None:
        """The piece of the next line."""
        self._line += 1
        for character in piece:
            if character == "(":
                self._open_tag()
                if any(w.isalpha() or w.isdigit() for w, _ in self._pending):
                    self._add_terminal()
                self._pending = []
            elif character == "*":
                self._open_tag()
                self._pending.append((word, tag))
            elif character == ")":
                self._add_terminal()
                self._close()
            elif character.isalpha():
                self._tag += character

    def finish(self) -> TreeNode | None:
        """The mention ends."""
        self._add_terminal()
        while self._open:
            self._close()
        if len(self._roots) > 1:
            return TreeNode("NP", children=self._roots)
        return self._roots[0] if self._roots else None

    def _open_tag(self) -> None:
        if self._tag:
            self._add(TreeNode(self._tag), opens=True)
            self._tag = ""

    def _add_terminal(self) -> None:
        if self._pending:
            words, tags = zip(*self._pending, strict=True)
            self._pending = []
            # Without an open node the terminal itself is one, and what follows goes under it.
            self._add(TreeNode(terminal=Terminal(words, tags, self._line)), opens=not self._open)

    def _add(self, node: TreeNode, *, opens: bool) -> None:
        if self._open:
            self._open[-1].children.append(node)
        if opens:
            self._open.append(node)

    def _close(self) -> None:
        if self._open:
            node = self._open.pop()
            if not self._open:
                self._roots.append(node)
