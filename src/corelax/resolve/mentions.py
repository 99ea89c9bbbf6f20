"""Mentions that are given to a resolver, with a word about documents that have none."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from corelax.document import Document, Span
from corelax.rankers.sparse.features.extract import MentionSource
from corelax.rankers.sparse.features.sources import GOLD, mention_source


def noting_source(name: str, note: Callable[[str], None]) -> MentionSource:
    """Where mentions come from; notes the first document that has none where they are given."""
    source = mention_source(name)
    is_silent = name != GOLD

    def noting(doc: Document) -> Iterable[Span] | None:
        nonlocal is_silent
        if not doc.clusters and not is_silent:
            note(f"document {doc.key} has no annotated mentions, so nothing is resolved in it")
            is_silent = True
        return source(doc)

    return noting
