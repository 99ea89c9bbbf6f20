"""Head words of mentions, from the tree."""

from __future__ import annotations

from corelax.document.document import Document
from corelax.document.span import Span


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
