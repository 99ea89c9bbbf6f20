"""Attributes of spaCy's documents and tokens: `coref_clusters`, `resolved_text`, `entity`.

All three are read from the span groups, so that they are there again when a document is loaded from disk.
`doc.user_data["corelax"]` has the prefix of the groups and the number of each token's innermost entity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from corelax.document import Span

if TYPE_CHECKING:
    from spacy.tokens import Doc, SpanGroup, Token

USER_DATA = "corelax"
PREFIX = "coref_clusters"


def add_attributes() -> None:
    """Registers the attributes, unless another component has attributes of these names."""
    from spacy.tokens import Doc, Token

    for kind, name, getter in (
        (Doc, "coref_clusters", coref_clusters),
        (Doc, "resolved_text", resolved_text),
        (Token, "entity", entity),
    ):
        if not kind.has_extension(name):
            kind.set_extension(name, getter=getter)


def write_groups(doc: Doc, groups: Sequence[SpanGroup], prefix: str) -> None:
    """Puts span groups into a document, instead of those with the same prefix."""
    ours = re.compile(rf"{re.escape(prefix)}_\d+")
    for key in [key for key in doc.spans if ours.fullmatch(key)]:
        del doc.spans[key]
    numbers = [0] * len(doc)
    widths = [len(doc) + 1] * len(doc)
    for number, group in enumerate(groups, 1):
        doc.spans[group.name] = group
        for span in group:
            for place in range(span.start, span.end):
                if span.end - span.start < widths[place]:
                    numbers[place], widths[place] = number, span.end - span.start
    doc.user_data[USER_DATA] = {"prefix": prefix, "entities": numbers}


def coref_clusters(doc: Doc) -> list[list[tuple[int, int]]]:
    """The entities as (start, end) in characters."""
    return [[(span.start_char, span.end_char) for span in group] for group in _groups(doc)]


def entity(token: Token) -> Any:
    """The representative mention, a `Span`, of the innermost entity that a token is in; else None."""
    noted = token.doc.user_data.get(USER_DATA)
    if noted is not None and len(noted["entities"]) == len(token.doc):
        number = noted["entities"][token.i]
        group = token.doc.spans.get(f"{noted['prefix']}_{number}") if number else None
    else:
        around = [
            (span.end - span.start, number, group)
            for number, group in enumerate(_groups(token.doc))
            for span in group
            if span.start <= token.i < span.end
        ]
        group = min(around)[2] if around else None
    return None if group is None else group[group.attrs["representative"]]


def resolved_text(doc: Doc) -> str:
    """The text with mentions replaced by names, as `Resolution.resolved_text` does by default."""
    from corelax.decode import Decision  # which needs torch
    from corelax.integrations.spacy import document_from, word_positions
    from corelax.resolve import resolution_of

    place = {position: word for word, position in enumerate(word_positions(doc))}
    decisions = {
        (place[span.start], place[span.end - 1] + 1): number
        for number, group in enumerate(_groups(doc))
        for span in group
    }
    resolution = resolution_of(
        document_from(doc),
        [Decision(Span(*bounds), number, None, 1, 1, 1) for bounds, number in decisions.items()],
    )
    return str(resolution.resolved_text())


def _groups(doc: Doc) -> list[SpanGroup]:
    """The entities of a document, in the order of their numbers."""
    prefix = doc.user_data.get(USER_DATA, {}).get("prefix", PREFIX)
    groups = []
    for number in count(1):
        key = f"{prefix}_{number}"
        if key not in doc.spans:
            break
        groups.append(doc.spans[key])
    return groups
