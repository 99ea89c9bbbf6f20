"""The immutable data that every other part reads: documents, spans, clusterings.

What few programs need of it is imported when it is first used.
"""

from __future__ import annotations

from corelax.core.lazy import lazy_imports
from corelax.document.clustering import SINGLETONS, Clustering, without_singletons
from corelax.document.document import Document, FrozenDict, document_key, tree_head
from corelax.document.span import EmptyId, EmptyNode, Node, Span

with lazy_imports(__name__):
    from corelax.document.differences import Comparison, describe_differences
    from corelax.document.pairing import pair_documents, same_documents
    from corelax.document.statistics import Statistics, count

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
    "pair_documents",
    "same_documents",
    "tree_head",
    "without_singletons",
]
