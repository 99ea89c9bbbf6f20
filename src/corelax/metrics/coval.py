"""coval's ways with mentions: minimum spans, noun phrases only, none inside another one of their entity.

A mention has an *identity*, by which it is compared: its span, or its minimum span.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import replace

from corelax.core.errors import CorelaxError
from corelax.document import Clustering, Document, Span
from corelax.metrics.minimum_span import TreeNode, mention_tree, minimum_span


class DocumentTrees:
    """Looks up mentions, of whichever side, in the trees of the gold document.

    >>> layers = {"pos": ("DT", "NN", "VBD"), "parse": ("(S(NP*", "*)", "(VP*))")}
    >>> doc = Document(id="d", words=("the", "dog", "ran"), layers=layers)
    >>> trees = DocumentTrees(doc, by_minimum=True)
    >>> trees.identity(Span(0, 2)), trees.is_verb_phrase(Span(2, 3))
    ((0, frozenset({('the dog', 1)})), True)
    """

    def __init__(self, gold: Document, *, by_minimum: bool) -> None:
        self._doc = gold
        self._by_minimum = by_minimum
        self._tags = gold.layer("pos")
        self._trees: dict[Span, TreeNode | None] = {}
        self._identities: dict[Span, Hashable] = {}

    def sentence_of(self, span: Span) -> int:
        return bisect_right(self._doc.sentence_starts, span.start) - 1

    def is_verb_phrase(self, span: Span) -> bool:
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


class CovalFilter:
    """Takes mentions out of entities before they are scored.

    >>> doc = Document.from_sentences("d", [["a"] * 9], clusters=[[(0, 5), (3, 4), (8, 9)]])
    >>> CovalFilter(doc, nested="drop").of(doc).clusters
    Clustering([(Span(0, 5), Span(8, 9))])
    """

    def __init__(
        self,
        gold: Document,
        *,
        by_minimum: bool = False,
        noun_phrases: bool = False,
        nested: str = "keep",
        singletons: str = "keep",
    ) -> None:
        self._trees = DocumentTrees(gold, by_minimum=by_minimum)
        self._noun_phrases = noun_phrases
        self._drops_nested = nested == "drop"
        self._keeps_singletons = singletons == "keep"

    def of(self, doc: Document) -> Document:
        """A document with what is scored of it: its entities by the first mention that is complete."""
        entities = list(zip(doc.clusters.labels, doc.clusters, strict=True))
        entities.sort(key=lambda entity: min(span.end for span in entity[1]))
        left = [self._scored_mentions(cluster) for _, cluster in entities]
        return replace(doc, clusters=Clustering(left, [label for label, _ in entities]))

    def _scored_mentions(self, cluster: Sequence[Span]) -> Sequence[Span]:
        if len(cluster) == 1 and not self._keeps_singletons:
            return []
        if self._noun_phrases:
            cluster = self._without_verb_phrases(cluster)
        return self._without_nested(cluster) if self._drops_nested else cluster

    def _without_verb_phrases(self, cluster: Sequence[Span]) -> Sequence[Span]:
        """Without verb phrases; if there were some, two mentions must be left, or none is.

        Of mentions that are the same by their minimum span, the first one is taken out.
        """
        identity = self._trees.identity
        verbs = Counter(identity(span) for span in cluster if self._trees.is_verb_phrase(span))
        if not verbs:
            return cluster
        left = []
        for span in cluster:
            if verbs[identity(span)] > 0:
                verbs[identity(span)] -= 1
            else:
                left.append(span)
        return left if len(left) > 1 else []

    def _without_nested(self, cluster: Sequence[Span]) -> Sequence[Span]:
        """Without mentions inside another one.

        An entity of which one mention would be left (each nested pair taking one away) stays as it is; if
        singletons are not kept, nothing of it does.
        """
        inner = self._nested(cluster)
        if len(cluster) > 1 and len(cluster) - len(inner) == 1:
            return cluster if self._keeps_singletons else []
        listed = set(inner)
        return [span for span in cluster if self._trees.identity(span) not in listed]

    def _nested(self, cluster: Sequence[Span]) -> list[Hashable]:
        """The inner mention of each pair of which one lies inside the other."""
        identity = self._trees.identity
        sentences: defaultdict[int, list[Span]] = defaultdict(list)
        for span in cluster:
            sentences[self._trees.sentence_of(span)].append(span)
        inner: list[Hashable] = []
        for spans in sentences.values():
            for i, one in enumerate(spans):
                for other in spans[i + 1 :]:
                    if identity(one) == identity(other):
                        continue
                    if other.start <= one.start and one.end <= other.end:
                        inner.append(identity(one))
                    elif one.start <= other.start and other.end <= one.end:
                        inner.append(identity(other))
        return inner
