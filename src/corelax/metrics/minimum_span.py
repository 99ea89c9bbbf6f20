"""Minimum spans (MINA; Moosavi, Born, Poesio and Strube, 2019): the words that a mention cannot do without.

Two mentions with the same minimum span are the same mention, however much more of the phrase either of
them takes in. It is found by searching the tree of a mention breadth first for the nearest words that matter,
going down through phrases of the mention's own kind only.

The tree is read from the bracket pieces of the mention's own words, which are rarely a whole tree, in the way
of coval. Words in a row under one node are one *terminal*; its line is the one at which it was closed, which
may be the one after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Words = frozenset[tuple[str, int]]

NOUN_PHRASES = frozenset({"NP", "NM", "QP", "NX"})
VERB_PHRASES = frozenset({"VP"})
NO_HEADS = frozenset({"CC", "DT", "IN"})
BRACKETS = frozenset({"-LRB-", "-RRB-"})


def minimum_span(tree: TreeNode | None, words: tuple[str, ...]) -> Words:
    """The minimum span of a mention: (text, line) of its terminals. Empty if it has no tree.

    >>> words, tags = ("the", "dog", "in", "the", "park"), ("DT", "NN", "IN", "DT", "NN")
    >>> tree = mention_tree(words, tags, ("(NP(NP*", "*)", "(PP*", "(NP*", "*)))"))
    >>> minimum_span(tree, words)
    frozenset({('the dog', 1)})
    """
    if tree is None:
        return frozenset()
    near = [node.terminal for node in (tree, *tree.children) if node.terminal is not None]
    if tree.terminal is not None:
        near = near[:1] if _is_good(tree.terminal) else near[1:]
    if good := [terminal for terminal in near if _is_good(terminal)]:
        return frozenset(map(_name, good))
    valid = _valid_tags(tree)
    phrases = [child for child in tree.children if child.children and _kind(child) in valid]
    nearest = [terminal for child in phrases for terminal in _search(child, valid)]
    if not phrases:
        nearest = _search(tree, None)
    if nearest:
        return frozenset(map(_name, nearest))
    return frozenset(zip(words, range(len(words)), strict=True))


def _name(terminal: Terminal) -> tuple[str, int]:
    return terminal.text, terminal.line


def _kind(node: TreeNode) -> str:
    return node.tag[:2]


def _is_good(terminal: Terminal) -> bool:
    """Whether any of the words can stand for the mention."""
    return any(
        (word == "%" or any(c.isalpha() or c.isdigit() for c in word))
        and word not in BRACKETS
        and tag not in NO_HEADS
        for word, tag in zip(terminal.words, terminal.tags, strict=True)
    )


def _valid_tags(tree: TreeNode) -> frozenset[str]:
    """The kinds of phrases that may hold the minimum span."""
    of_root = _tags_set_by(_kind(tree))
    if of_root:
        return of_root
    kinds = {_kind(child) for child in tree.children}
    return VERB_PHRASES if "VP" in kinds and not kinds & {"NP", "NM"} else NOUN_PHRASES


def _tags_set_by(kind: str) -> frozenset[str] | None:
    if kind in ("NP", "NM"):
        return NOUN_PHRASES
    return VERB_PHRASES if kind == "VP" else None


def _search(start: TreeNode, valid: frozenset[str] | None) -> list[Terminal]:
    """Breadth first from a node, to the least depth at which there are good terminals.

    Where the valid tags are not known (None), the first phrase that is met sets them.
    """
    taken: list[Terminal] = []
    least = float("inf")
    queue = deque([(start, 0)])
    while queue:
        node, depth = queue.popleft()
        if node.terminal is not None:
            if depth <= least and _is_good(node.terminal):
                least = depth
                taken.append(node.terminal)
            continue
        if valid is None:
            valid = _tags_set_by(_kind(node))
        is_valid = valid is not None and _kind(node) in valid
        if depth < least and (is_valid or valid is None or depth == 0):
            inner = [child for child in node.children if is_valid or child.terminal is None]
            queue.extend((child, depth + 1) for child in inner)
    return taken


class Terminal(NamedTuple):
    """Words in a row under one node."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    line: int

    @property
    def text(self) -> str:
        return " ".join(self.words)


@dataclass(slots=True)
class TreeNode:
    tag: str = ""
    terminal: Terminal | None = None
    children: list[TreeNode] = field(default_factory=list)


def mention_tree(
    words: Sequence[str], tags: Sequence[str | None], pieces: Sequence[str], first: int = 0
) -> TreeNode | None:
    """The tree of a mention; None if its pieces have no node.

    >>> tree = mention_tree(["the", "old", "dog"], ["DT", "JJ", "NN"], ["(NP*", "*", "*)"])
    >>> tree.tag, tree.children[0].terminal.text, tree.children[0].terminal.line
    ('NP', 'the old dog', 2)
    """
    reader = _Reader(first)
    for word, tag, piece in zip(words, tags, pieces, strict=True):
        reader.read(piece, word, tag or "-")
    return reader.finish()


class _Reader:
    def __init__(self, first: int) -> None:
        self._line = first - 1
        self._tag = ""
        self._pending: list[tuple[str, str]] = []
        self._open: list[TreeNode] = []
        self._roots: list[TreeNode] = []

    def read(self, piece: str, word: str, tag: str) -> None:
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
