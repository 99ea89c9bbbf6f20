"""Where the mentions of documents come from: detection, gold annotation, or a file."""

from __future__ import annotations

from corelax.core.errors import CorelaxError
from corelax.document import Document, Span
from corelax.io import stream
from corelax.rankers.sparse.features.extract import MentionSource

DETECT, GOLD = "detect", "gold"


def mention_source(name: str) -> MentionSource:
    """`detect`, `gold`, or the name of a file: its documents' mentions are taken, whatever their entities.

    >>> doc = Document.from_sentences("d", [["Ann", "ran"]], clusters=[[(0, 1)]])
    >>> mention_source("gold")(doc)
    [Span(0, 1)]
    """
    if name == DETECT:
        return lambda _: None
    if name == GOLD:
        return _annotated
    spans_of = {doc.name: _annotated(doc) for doc in stream(name, layers=False)}

    def from_file(doc: Document) -> list[Span]:
        if doc.name not in spans_of:
            raise CorelaxError(f"{name}: no mentions for document {doc.key}")
        return spans_of[doc.name]

    return from_file


def _annotated(doc: Document) -> list[Span]:
    return [mention for cluster in doc.clusters for mention in cluster]
