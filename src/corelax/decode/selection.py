"""Spans that are not shown: with markup at an edge, or overlapping a likelier one of their entity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Ints
from corelax.document import Document
from corelax.english.pronouns import DEMONSTRATIVES, PRONOUNS
from corelax.text.markup import is_markup
from corelax.text.remembered import Remembered

Bounds = Sequence[tuple[int, int]] | Ints  # or [span, 2]
_POINTING = PRONOUNS | DEMONSTRATIVES | {"here", "there"}
_MARKUP, _BARE = 0, 1  # columns
_FACTS = Remembered(
    lambda words: [
        (not word.isalnum() and is_markup(word), word.islower() and word not in _POINTING)
        for word in words
    ]
)


def edged_with_markup(document: Document, spans: Bounds) -> list[int]:
    """The positions of spans that begin or end with markup.

    >>> doc = Document(id="d", words=("**", "Ann", "**", "left"))
    >>> edged_with_markup(doc, [(0, 2), (1, 2), (1, 3)])
    [0, 2]
    """
    markup = _FACTS.rows(document.words).column(_MARKUP)
    if not markup.any():
        return []
    start, end = np.array(spans, np.int64).reshape(-1, 2).T
    edged: list[int] = np.flatnonzero(markup[start] | markup[end - 1]).tolist()
    return edged


def are_bare(document: Document, spans: Bounds) -> NDArray[np.bool_]:
    """[span] whether it is one word in lower case and no pronoun: a verb, or a noun without article.

    >>> doc = Document(id="d", words=("Ann", "left", "it"))
    >>> are_bare(doc, [(0, 1), (1, 2), (2, 3), (1, 3)]).tolist()
    [False, True, False, False]
    """
    start, end = np.array(spans, np.int64).reshape(-1, 2).T
    bare: NDArray[np.bool_] = _FACTS.rows(document.words).column(_BARE)[start] != 0
    bare &= end == start + 1
    return bare


def overlapping(spans: Bounds, entity: Ints) -> Ints:
    """The entities with two spans that overlap.

    Args:
        spans: (first word, one past the last).
        entity: [span] the number of its entity.

    >>> overlapping([(0, 5), (1, 2), (6, 7), (7, 8)], np.array([0, 0, 1, 1])).tolist()
    [0]
    """
    start, end = np.array(spans, np.int64).reshape(-1, 2).T
    order = np.lexsort((end, start, entity))
    of_one = entity[order[1:]] == entity[order[:-1]]
    # If no two neighbours overlap, no others do.
    return np.unique(entity[order[1:]][of_one & (start[order[1:]] < end[order[:-1]])])


def without_overlaps(
    document: Document,
    spans: Sequence[tuple[int, int]] | Mapping[int, tuple[int, int]],
    entity: Sequence[int],
    probability: Sequence[float] | Mapping[int, float],
) -> list[int]:
    """The mentions of an entity without the less likely of two that overlap: *Ann* and *Ann's*.

    A pronoun inside a description may stay: *a man who lost his hat*.

    Args:
        document: The words.
        spans: (first word, one past the last) of all spans, or of these mentions by their positions.
        entity: The positions of its mentions.
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
