"""The immutable data that every other part reads: documents, spans, clusterings.

What few programs need of it is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names
from corelax.document.clustering import SINGLETONS, Clustering, without_singletons
from corelax.document.document import Document, FrozenDict, document_key, tree_head
from corelax.document.span import EmptyId, EmptyNode, Node, Span

if TYPE_CHECKING:
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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "differences": "Comparison describe_differences",
        "pairing": "pair_documents same_documents",
        "statistics": "Statistics count",
    },
)
