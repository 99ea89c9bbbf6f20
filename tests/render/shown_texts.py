"""Small resolved texts for the tests of terminal and page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corelax.decode import Decision
from corelax.document import Document, Span
from corelax.resolve import Resolution, resolution_of


def resolved(
    text: str, *entities: Sequence[tuple[int, int]], id: str = "d", probability: float = 0.5
) -> Resolution:
    """A text whose words are set apart by blanks, with entities as (start, end) of words.

    Each mention is linked to the one listed before it.
    """
    offsets = tuple(match.span() for match in re.finditer(r"\S+", text))
    words = tuple(text[start:end] for start, end in offsets)
    decisions: list[Decision] = []
    for entity, spans in enumerate(entities):
        for place, span in enumerate(spans):
            antecedent = len(decisions) - 1 if place else None
            decisions.append(Decision(Span(*span), entity, antecedent, *[probability] * 3))
    return resolution_of(Document(id=id, words=words, layers={"offsets": offsets}), decisions, text)
