"""The trees of a document's mentions, and what follows from them. They are those of gold, on both sides."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable

from corelax.core.errors import CorelaxError
from corelax.document import Document, Span
from corelax.metrics.coval.mention_tree import TreeNode, mention_tree
from corelax.metrics.coval.minimum_span import minimum_span


class DocumentTrees:
    """Looks up mentions, of whichever side, in the trees of the gold document.

    >>> layers = {"pos": ("DT", "NN", "VBD"), "parse": ("(S(NP*", "*)", "(VP*))")}
    >>> doc = Document(id="d", words=("the", "dog", "ran"), layers=layers)
    >>> trees = DocumentTrees(doc, by_minimum=True)
    >>> trees.identity(Span(0, 2)), trees.is_verb_phrase(Span(2, 3))
    ((0, frozenset({('the dog', 1)})), True)

    Args:
        gold: The gold document.
        by_minimum: Whether mentions are the same if their minimum spans are.
    """

    def __init__(self, gold: Document, *, by_minimum: bool) -> None:
        self._doc = gold
        self._by_minimum = by_minimum
        self._tags = gold.layer("pos")
        self._trees: dict[Span, TreeNode | None] = {}
        self._identities: dict[Span, Hashable] = {}

    def sentence_of(self, span: Span) -> int:
        """The number of the sentence in which a mention begins."""
        return bisect_right(self._doc.sentence_starts, span.start) - 1

    def is_verb_phrase(self, span: Span) -> bool:
        """Whether the tree of a mention is a verb phrase."""
        tree = self._tree(span)
        return tree is not None and tree.tag == "VP"

    def identity(self, span: Span) -> Hashable:
        """By what a mention is compared: its sentence and its minimum span, or the span itself."""
        if not self._by_minimum:
            return span
        if span not in self._identities:
            words = self._doc.words[span.start : span.end]
            shortest = minimum_span(self._tree(span), words)
            self._identities[span] = (self.sentence_of(span), shortest) if shortest else span
        return self._identities[span]

    def _tree(self, span: Span) -> TreeNode | None:
        if span not in self._trees:
            pieces = self._doc.layers.get("parse")
            if pieces is None:
                raise CorelaxError(
                    f"document {self._doc.name}: gold has no parse trees (column 6 of CoNLL-2012), which "
                    "min-span and np need"
                )
            inside = slice(span.start, span.end)
            first = span.start - self._doc.sentence_starts[self.sentence_of(span)]
            self._trees[span] = mention_tree(
                self._doc.words[inside],
                self._tags[inside],
                [piece or "*" for piece in pieces[inside]],
                first,
            )
        return self._trees[span]
