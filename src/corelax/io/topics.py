"""Cross-document coreference: which documents belong to one topic, and topics as documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from corelax.core.errors import CorelaxError, FormatError
from corelax.core.files import open_text, shown
from corelax.document import Clustering, Document, EmptyId, EmptyNode, Node, Span
from corelax.document.gold import GLOBAL_ENTITY, JSON_FIELDS
from corelax.io.formats import suffix_format

ALL = "all"


def topic_rule(rule: str | os.PathLike[str]) -> Callable[[str], str]:
    """From the name of a document to that of its topic.

    Args:
        rule: "all" for one topic, a file of `document<TAB>topic` lines, or what stands between the topic and
            the rest of a name: `_` for ECB+, whose `36_10ecb` is of topic 36.

    >>> topic_rule("_")("36_10ecb"), topic_rule("all")("36_10ecb")
    ('36', 'all')
    """
    name = os.fspath(rule)
    if name == ALL:
        return lambda document: ALL  # noqa: ARG005
    if Path(name).is_file():
        return _by_list(name)
    if not name:
        raise CorelaxError("a topic is told by 'all', a file, or a separator such as _; not by ''")
    if Path(name).suffix or len(name) > 8:
        raise CorelaxError(f"{shown(name)}: no such file of documents and topics")
    return lambda document: _before(document, name)


def named_entities(
    documents: Iterable[Document], path: str | os.PathLike[str], format: str | None
) -> Iterator[Document]:
    """The documents of a file; an error if its format has no names of entities to join documents by."""
    name = os.fspath(path)
    for doc in documents:
        if (format or suffix_format(name)) in ("jsonlines", "jsonl") or JSON_FIELDS in doc.extra:
            raise CorelaxError(
                f"{shown(name)}: jsonlines has no names of entities, by which documents are joined"
            )
        yield doc


def _before(document: str, separator: str) -> str:
    topic, found, _ = document.partition(separator)
    if not found:
        raise CorelaxError(f"document {document} has no {separator!r} after the name of a topic")
    return topic


def _by_list(path: str) -> Callable[[str], str]:
    topics: dict[str, str] = {}
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            cells = line.rstrip("\n").split("\t")
            if not line.strip():
                continue
            if len(cells) != 2 or not all(cells):
                message = "a document, a tab and its topic are needed"
                raise FormatError(message, path=shown(path), line=number)
            topics[cells[0].removesuffix("_0")] = cells[1]

    def topic(document: str) -> str:
        if document not in topics:
            raise CorelaxError(f"{shown(path)}: document {document} has no topic")
        return topics[document]

    return topic


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
