"""Mentions that are given to a resolver, with a word about documents that have none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from corelax.core.checks import check_choice
from corelax.document import Document, Span
from corelax.document.clustering import SINGLETONS
from corelax.rankers.sparse.features.extract import GOLD, MentionSource, mention_source


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


def chosen_singletons(wanted: str | None, training: Mapping[str, Any]) -> str:
    """Whether mentions that are alone are dropped or kept: as asked for, or as in training.

    >>> chosen_singletons(None, {"config": {"singletons": "keep"}})
    'keep'
    """
    as_trained = training.get("config", {}).get("singletons", "drop")
    return check_choice("singletons", wanted or as_trained, SINGLETONS)
