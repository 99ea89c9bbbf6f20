"""The immutable data that every other part reads: documents, spans, clusterings."""

from corelax.document.clustering import SINGLETONS, Clustering, Comparison, without_singletons
from corelax.document.differences import describe_differences
from corelax.document.document import Document, FrozenDict, document_key
from corelax.document.heads import tree_head
from corelax.document.nodes import EmptyId, EmptyNode, Node
from corelax.document.pairing import pair_documents, same_documents
from corelax.document.span import Span
from corelax.document.statistics import Statistics, count
from corelax.document.topics import join_topics

__all__ = [
    "SINGLETONS",
    "Clustering",
    "Comparison",
    "Document",
    "EmptyId",
    "EmptyNode",
    "FrozenDict",
    "Node",
    "Span",
    "Statistics",
    "count",
    "describe_differences",
    "document_key",
    "join_topics",
    "pair_documents",
    "same_documents",
    "tree_head",
    "without_singletons",
]
