"""Spans that are not shown: with markup at an edge, or overlapping a likelier one of their entity."""

from __future__ import annotations

from collections.abc import Sequence

from corelax.document import Document
from corelax.text.markup import markup_of
from corelax.text.pronouns import DEMONSTRATIVES, PRONOUNS

Bounds = Sequence[tuple[int, int]]
_POINTING = PRONOUNS | DEMONSTRATIVES | {"here", "there"}


def edged_with_markup(document: Document, spans: Bounds) -> list[int]:
    """The positions of spans that begin or end with markup.

    >>> doc = Document(id="d", words=("**", "Ann", "**", "left"))
    >>> edged_with_markup(doc, [(0, 2), (1, 2), (1, 3)])
    [0, 2]
    """
    words, markup = document.words, markup_of(document.words)
    if not markup:
        return []
    return [
        at
        for at, (start, end) in enumerate(spans)
        if words[start] in markup or words[end - 1] in markup
    ]


def is_bare(document: Document, span: tuple[int, int]) -> bool:
    """Whether a span is one word in lower case and no pronoun: a verb, or a noun without article.

    >>> doc = Document(id="d", words=("Ann", "left", "it"))
    >>> [is_bare(doc, span) for span in [(0, 1), (1, 2), (2, 3), (1, 3)]]
    [False, True, False, False]
    """
    word = document.words[span[0]]
    return span[1] == span[0] + 1 and word.islower() and word not in _POINTING


def without_overlaps(
    document: Document, spans: Bounds, entity: Sequence[int], probability: Sequence[float]
) -> list[int]:
    """The mentions of an entity without the less likely of two that overlap: *Ann* and *Ann's*.

    A pronoun inside a description may stay: *a man who lost his hat*.

    Args:
        document: The words.
        spans: (first word, one past the last) of all spans.
        entity: The positions of its mentions among them.
        probability: Of each span, that it is a mention.

    >>> doc = Document(id="d", words=("Ann", "'s", "dog"))
    >>> without_overlaps(doc, [(0, 1), (0, 2), (2, 3)], [0, 1, 2], [0.7, 0.9, 0.8])
    [1, 2]
    """
    chosen: list[int] = []
    near: list[int] = []  # chosen ones that reach as far as the next
    for mention in sorted(entity, key=lambda at: spans[at]):
        near = [other for other in near if spans[other][1] > spans[mention][0]]
        rivals = [other for other in near if not _may_stay(document, spans[other], spans[mention])]
        if any(probability[other] >= probability[mention] for other in rivals):
            continue
        near = [other for other in near if other not in rivals]
        chosen = [other for other in chosen if other not in rivals] if rivals else chosen
        near.append(mention)
        chosen.append(mention)
    return sorted(chosen)


def _may_stay(document: Document, outer: tuple[int, int], inner: tuple[int, int]) -> bool:
    """Whether the inner of two is a pronoun that is neither the first nor the last word of the outer."""
    start, end = inner
    if not (outer[0] < start and end < outer[1] and end == start + 1):
        return False
    return document.words[start].lower() in PRONOUNS
