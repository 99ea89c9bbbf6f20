"""Cross-document coreference: the documents of a topic put together to one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from corelax.core.errors import CorelaxError
from corelax.document.clustering import Clustering
from corelax.document.document import Document
from corelax.document.gold import GLOBAL_ENTITY
from corelax.document.nodes import EmptyId, EmptyNode, Node
from corelax.document.span import Span


def join_topics(
    documents: Iterable[Document], topic_of: Callable[[str], str]
) -> Iterator[Document]:
    """One document for each topic: entities of the same name are one entity in all of its documents.

    The documents of a topic are put one after the other in the order of their names. Words, sentences,
    entities, empty nodes and heads are kept; layers are not.

    Args:
        documents: Documents whose entities have the same name wherever they are the same.
        topic_of: From the name of a document to that of its topic.

    >>> ann = Document(id="36_1", words=("Ann",), clusters=Clustering([[Span(0, 1)]], ["7"]))
    >>> she = Document(id="36_2", words=("she",), clusters=Clustering([[Span(0, 1)]], ["7"]))
    >>> [topic] = join_topics([ann, she], lambda name: name.split("_")[0])
    >>> topic.id, topic.words, topic.clusters
    ('36', ('Ann', 'she'), Clustering([(Span(0, 1), Span(1, 2))]))
    """
    topics: dict[str, dict[str, Document]] = {}
    for doc in documents:
        members = topics.setdefault(topic_of(doc.name), {})
        if doc.name in members:
            raise CorelaxError(f"document {doc.name} occurs twice on one side")
        if str(doc.extra.get(GLOBAL_ENTITY, "")).startswith("GRP"):
            raise CorelaxError(
                f"document {doc.name}: its entities are numbered by themselves (GRP in global.Entity), so "
                "that they are not those of other documents"
            )
        members[doc.name] = doc
    for topic, members in topics.items():
        yield _joined(topic, [members[name] for name in sorted(members)])


def _joined(topic: str, documents: list[Document]) -> Document:
    words: list[str] = []
    starts: list[int] = []
    clusters: dict[str, list[Span]] = {}
    nodes: list[EmptyNode] = []
    heads: dict[tuple[str, Span], tuple[Node, ...]] = {}
    for doc in documents:
        shift = _Shift(len(words), len(starts))
        words += doc.words
        starts += [start + shift.tokens for start in doc.sentence_starts]
        for label, cluster in zip(doc.clusters.labels, doc.clusters, strict=True):
            clusters.setdefault(label, []).extend(map(shift.span, cluster))
        nodes += [node._replace(id=shift.id(node.id)) for node in doc.empty_nodes]
        for (label, span), its in doc.mention_heads.items():
            heads[label, shift.span(span)] = tuple(map(shift.node, its))
    return Document(
        id=topic,
        words=tuple(words),
        sentence_starts=tuple(starts),
        clusters=Clustering(clusters.values(), clusters),
        empty_nodes=tuple(nodes),
        mention_heads=heads,
        extra={name: value for name, value in documents[0].extra.items() if name == GLOBAL_ENTITY},
    )


class _Shift:
    """From the places of a document to those of its topic."""

    def __init__(self, tokens: int, sentences: int) -> None:
        self.tokens, self.sentences = tokens, sentences

    def id(self, id: EmptyId) -> EmptyId:
        return id._replace(sentence=id.sentence + self.sentences)

    def node(self, node: Node) -> Node:
        return self.id(node) if isinstance(node, EmptyId) else node + self.tokens

    def span(self, span: Span) -> Span:
        by = self.tokens
        parts = tuple((start + by, end + by) for start, end in span.parts)
        return Span(span.start + by, span.end + by, parts, tuple(map(self.id, span.empty)))
