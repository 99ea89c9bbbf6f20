"""Documents and clusterings: the immutable data that every other part reads.

A document is one flat sequence of tokens. Sentences are the positions at which they start, layers
(part of speech, speaker, ...) are sequences of the same length, and mentions are half-open token
spans counted from 0 over the whole document. Formats with other habits convert at the border.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from numbers import Integral
from operator import index
from typing import Any, NoReturn, TypeVar

from corelax.core.checks import check_items
from corelax.core.errors import CorelaxError
from corelax.document.clustering import Clustering
from corelax.document.gold import (
    without_entity_columns,
    without_entity_extra,
    without_entity_layers,
)
from corelax.document.span import EmptyId, EmptyNode, Node, Span

K = TypeVar("K")


class FrozenDict(dict[K, Any]):
    """A dict that cannot be changed. (`types.MappingProxyType` could not be pickled.)

    >>> FrozenDict(pos=("NN",))["pos"]
    ('NN',)
    """

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        raise TypeError("documents cannot be changed; dataclasses.replace makes a new one")

    __setitem__ = __delitem__ = pop = popitem = clear = update = setdefault = __ior__ = _refuse

    def __reduce__(self) -> tuple[type, tuple[dict[K, Any]]]:
        return FrozenDict, (dict(self),)


def document_key(id: str, part: int | None) -> str:
    """The name of a part of a document.

    >>> document_key("nw/wsj_0001", 2)
    'nw/wsj_0001_2'
    """
    return id if part is None else f"{id}_{part}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Tokens, their layers, and who refers to whom.

    Attributes:
        id: The name of the document, without its part number.
        part: CoNLL-2012 cuts long documents into parts 0, 1, ...; None where that does not exist.
        words: The tokens.
        sentence_starts: The first token of each sentence.
        clusters: The entities, each a tuple of `Span`.
        layers: One value for each token under each name: `pos` (Penn or other fine tags), `upos`,
            `feats`, `lemma`, `parse` (bracket pieces as in CoNLL-2012), `head` (token number of the
            syntactic head, -1 for a root), `relation`, `ner` (bracket pieces), `speaker`, `offsets`
            (first and last + 1 character), and what formats add. None stands for "no value".
        empty_nodes: The nodes that are no tokens, in their order.
        mention_heads: The heads of mentions by (label of the entity, mention), as a file gives them: one, or
            several where an entity has a mention more than once with different heads. A mention that is
            not there has its first node for its head.
        extra: What only one format knows, kept so that a file survives a round trip.
        raw_text: The text that the document was made of, which the layer `offsets` points into; None for
            documents that were read from annotated files. It does not count when documents are compared.

    >>> doc = Document.from_sentences("d", [["Ann", "saw", "her", "dog"], ["It", "barked"]],
    ...                               clusters=[[Span(0, 1), Span(2, 3)], [Span(2, 4), Span(4, 5)]])
    >>> [doc.text(mention) for mention in doc.clusters[1]]
    ['her dog', 'It']
    """

    id: str
    words: tuple[str, ...]
    sentence_starts: tuple[int, ...] = (0,)
    clusters: Clustering[Span] = field(default_factory=Clustering)
    part: int | None = None
    layers: Mapping[str, tuple[Any, ...]] = field(default_factory=FrozenDict, hash=False)
    extra: Mapping[str, Any] = field(default_factory=FrozenDict, hash=False)
    empty_nodes: tuple[EmptyNode, ...] = ()
    mention_heads: Mapping[tuple[str, Span], tuple[Node, ...]] = field(
        default_factory=FrozenDict, hash=False
    )
    raw_text: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if problem := _problem(self):
            raise CorelaxError(f"document {self.id!r}: {problem}")
        object.__setattr__(self, "layers", FrozenDict(self.layers))
        object.__setattr__(self, "extra", FrozenDict(self.extra))
        object.__setattr__(self, "mention_heads", FrozenDict(self.mention_heads))
        size = len(self.words)
        bounds = (0, *self.sentence_starts, size)
        if list(bounds) != sorted(bounds) or (size and bounds[1] != 0):
            raise CorelaxError(f"document {self.key}: sentences must start at 0 and go upwards")
        for name, values in self.layers.items():
            if len(values) != size:
                raise CorelaxError(
                    f"document {self.key}: layer {name} has {len(values)} values, "
                    f"the document has {size} tokens"
                )
        if self.empty_nodes and (problem := _problem_of_nodes(self)):
            raise CorelaxError(f"document {self.key}: {problem}")
        for mention in self.clusters.mentions:
            start, end = mention
            if start == end and not mention.empty:
                raise CorelaxError(
                    f"document {self.key}: mention {mention.bounds} has no token; ends are exclusive"
                )
            if not 0 <= start <= end <= size:
                raise CorelaxError(
                    f"document {self.key}: mention {mention.bounds} is outside its {size} tokens"
                )

    @classmethod
    def from_sentences(
        cls,
        id: str,
        sentences: Iterable[Sequence[str]],
        *,
        clusters: Iterable[Iterable[Span | tuple[int, int]]] = (),
        part: int | None = None,
        layers: Mapping[str, Iterable[Any]] = FrozenDict(),
    ) -> Document:
        """A document from lists of words, with clusters of half-open (start, end) pairs."""
        words: list[str] = []
        starts = []
        for sentence in check_items(f"document {id}: sentences", sentences):
            if isinstance(sentence, str) or not isinstance(sentence, Iterable):
                raise CorelaxError(
                    f"document {id}: a sentence is a list of words, not {sentence!r}"
                )
            starts.append(len(words))
            words.extend(sentence)
        return cls(
            id=id,
            part=part,
            words=tuple(words),
            sentence_starts=tuple(starts),
            clusters=Clustering([[_span(mention) for mention in c] for c in clusters]),
            layers={name: tuple(values) for name, values in layers.items()},
        )

    @property
    def key(self) -> str:
        """The name that tells documents of a file apart: `id`, or `id_part` as in jsonlines files."""
        return document_key(self.id, self.part)

    @property
    def name(self) -> str:
        """The name as all formats agree on it: `x_0`, part 0 of `x`, and `x` are the same document."""
        return self.key.removesuffix("_0")

    @property
    def sentence_bounds(self) -> tuple[tuple[int, int], ...]:
        """Each sentence as (first token, one past its last)."""
        return tuple(pairwise((*self.sentence_starts, len(self.words))))

    @property
    def sentences(self) -> tuple[tuple[str, ...], ...]:
        """The words, sentence by sentence."""
        return self.by_sentence(self.words)

    def by_sentence(self, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...]:
        """Cuts one layer into sentences."""
        return tuple(values[start:end] for start, end in self.sentence_bounds)

    def layer(self, name: str, default: Any = None) -> tuple[Any, ...]:
        """A layer, or `default` for every token where the document does not have it.

        >>> Document(id="d", words=("Hi", "!")).layer("speaker")
        (None, None)
        """
        values = self.layers.get(name)
        return (default,) * len(self.words) if values is None else values

    def text(self, span: Span) -> str:
        """The words of a mention, joined by blanks; ` … ` marks a gap, `∅` a mention of no token."""
        parts = span.parts or ((span.start, span.end),)
        return " … ".join(" ".join(self.words[start:end]) for start, end in parts) or "∅"

    def nodes(self, span: Span) -> tuple[Node, ...]:
        """All nodes of a mention in their order, empty ones at its edges and inside it too.

        >>> zero = EmptyNode(EmptyId(0, 1, 1), ("_",) * 9)
        >>> doc = Document(id="d", words=("Ann", "ran"), empty_nodes=(zero,))
        >>> doc.nodes(Span(0, 2))
        (0, EmptyId(sentence=0, word=1, number=1), 1)
        """
        nodes: list[Node] = []
        empty = set(span.empty)
        for start, end in span.parts or (span.bounds,):
            nodes += range(start, end)
            if self.empty_nodes:  # those inside stand before a token that is not the first
                first = bisect_right(self.empty_nodes, start, key=self._place_of_node)
                last = bisect_left(self.empty_nodes, end, lo=first, key=self._place_of_node)
                empty.update(node.id for node in self.empty_nodes[first:last])
        if not empty:
            return tuple(nodes)
        return tuple(sorted([*nodes, *empty], key=self._order_of_node))

    def head_of(self, label: str, span: Span) -> Node:
        """The head of a mention of the entity with this label."""
        heads = self.mention_heads.get((label, span))
        return heads[0] if heads else self.nodes(span)[0]

    def place_of(self, id: EmptyId) -> int:
        """The token that follows an empty node, in its sentence or the next.

        >>> Document(id="d", words=("Ann", "ran")).place_of(EmptyId(0, 1, 1))
        1
        """
        return self.sentence_starts[id.sentence] + id.word

    def _place_of_node(self, node: EmptyNode) -> int:
        return self.place_of(node.id)

    def _order_of_node(self, node: Node) -> tuple[int, int, EmptyId | None]:
        """Empty nodes stand before the token that follows them."""
        return (self.place_of(node), 0, node) if isinstance(node, EmptyId) else (node, 1, None)

    def with_clusters(
        self, clusters: Clustering[Span], heads: Mapping[Span, Node] = FrozenDict()
    ) -> Document:
        """The same text with other entities: what a resolver returns.

        Nothing that the document knew of its entities is kept: fields of mentions, heads, bridging and split
        antecedents, comments and JSON fields about entities.

        Args:
            clusters: The entities.
            heads: The heads of their mentions, where they are known.
        """
        named = zip(clusters.labels, clusters, strict=True)
        of_mentions = {(name, m): (heads[m],) for name, c in named for m in c if m in heads}
        return replace(
            self,
            clusters=clusters,
            mention_heads=of_mentions,
            layers=without_entity_layers(self.layers),
            extra=without_entity_extra(self.extra),
            empty_nodes=tuple(
                node._replace(columns=without_entity_columns(node.columns))
                for node in self.empty_nodes
            ),
        )


def _span(mention: Span | tuple[int, int]) -> Span:
    if isinstance(mention, Span):
        return mention
    try:
        start, end = map(index, mention)
    except (TypeError, ValueError):
        raise CorelaxError(f"mention {mention!r} is not a pair of whole numbers") from None
    return Span(start, end)


def _problem(doc: Document) -> str | None:
    """What is not of its type, if anything; of what a program passes nothing is sure."""
    starts = doc.sentence_starts
    if not isinstance(doc.id, str):
        return "its id must be a str"
    if not isinstance(doc.words, Collection) or not _are_all(doc.words, str):
        return "its words must be a tuple of str"
    if not isinstance(starts, Collection) or not _are_all(starts, Integral):
        return "its sentence_starts must be a tuple of whole numbers"
    if not isinstance(doc.clusters, Clustering) or not _are_all(doc.clusters.mentions, Span):
        return "its clusters must be a Clustering of Span"
    if not isinstance(doc.layers, Mapping) or not _are_all(doc.layers.values(), Collection):
        return "its layers must be tuples by name"
    return None


def _problem_of_nodes(doc: Document) -> str | None:
    sizes = [end - start for start, end in doc.sentence_bounds]
    before = EmptyId(-1, 0, 0)
    for node in doc.empty_nodes:
        if node.id <= before:
            return f"empty node {node.id} of sentence {node.id.sentence} is out of order"
        if not (
            0 <= node.id.sentence < len(sizes) and 0 <= node.id.word <= sizes[node.id.sentence]
        ):
            return f"empty node {node.id} is not in a sentence {node.id.sentence}"
        before = node.id
    return None


def _are_all(values: Collection[Any], kind: type) -> bool:
    """Whether all values are of a type. There are few types and many values."""
    return not isinstance(values, str) and all(issubclass(t, kind) for t in set(map(type, values)))


def tree_head(doc: Document, span: Span) -> int | None:
    """The token of a mention whose parent in the tree lies outside of it; None without a tree.

    Where a mention is no subtree there are several: the first one that is not punctuation is taken.

    >>> doc = Document(id="d", words=("the", "old", "dog", "barked"), layers={"head": (2, 2, 3, -1)})
    >>> tree_head(doc, Span(0, 3))
    2
    """
    parents = doc.layers.get("head")
    if parents is None:
        return None
    tokens = [t for start, end in span.parts or (span.bounds,) for t in range(start, end)]
    inside = set(tokens)
    tops = [t for t in tokens if parents[t] is not None and parents[t] not in inside]
    relations = doc.layer("relation")
    return next((t for t in tops if relations[t] != "punct"), tops[0] if tops else None)
