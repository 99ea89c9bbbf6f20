"""The immutable data that every other part reads: documents, spans, clusterings."""

from corelax.document.clustering import Clustering
from corelax.document.document import Document, FrozenDict, document_key
from corelax.document.span import Span

__all__ = ["Clustering", "Document", "FrozenDict", "Span", "document_key"]
