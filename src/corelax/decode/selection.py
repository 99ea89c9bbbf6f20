"""Spans that are not shown: with markup at an edge, or overlapping a likelier one of their entity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Floats, Ints
from corelax.document import Document
from corelax.english.pronouns import DEMONSTRATIVES, PRONOUNS
from corelax.text.markup import is_markup

LEAST_BARE = 0.2  # a less likely bare word is not written though it is linked: most are verbs
Bounds = Sequence[tuple[int, int]] | Ints  # or [span, 2]
_POINTING = PRONOUNS | DEMONSTRATIVES | {"here", "there"}


def edged_with_markup(document: Document, spans: Bounds) -> list[int]:
    """The positions of spans that begin or end with markup.

    >>> doc = Document(id="d", words=("**", "Ann", "**", "left"))
    >>> edged_with_markup(doc, [(0, 2), (1, 2), (1, 3)])
    [0, 2]
    """
    words = document.words
    bounds = np.asarray(spans).tolist()
    return [
        at
        for at, (start, end) in enumerate(bounds)
        if _is_markup(words[start]) or _is_markup(words[end - 1])
    ]


@lru_cache(maxsize=1 << 14)
def _is_markup(word: str) -> bool:
    return not word.isalnum() and is_markup(word)


def without_unlikely(
    document: Document,
    bounds: Ints,
    entity: Ints,
    stays: NDArray[np.bool_],
    probability: Floats,
) -> NDArray[np.bool_]:
    """[span] those that stay without unlikely bare words and the less likely of two that overlap.

    Spans that are alone in their entity are not looked at.

    Args:
        document: The words.
        bounds: [span, 2] first word and one past the last.
        entity: [span] the number of its entity.
        stays: [span] whether it is there at all.
        probability: [span] that it is a mention.
    """
    sizes = np.bincount(entity[stays], minlength=len(entity))
    is_larger = stays & (sizes[entity] > 1)
    chosen = stays.copy()
    for at in np.flatnonzero(is_larger & (probability < LEAST_BARE)).tolist():
        if is_bare(document, *bounds[at].tolist()):
            chosen[at] = False
    looked_at = np.flatnonzero(is_larger & chosen)
    clashing = overlapping(bounds[looked_at], entity[looked_at])
    if not len(clashing):
        return chosen
    groups: dict[int, list[int]] = {}
    for at in looked_at[np.isin(entity[looked_at], clashing)].tolist():
        groups.setdefault(int(entity[at]), []).append(at)
    for group in groups.values():
        spans = {at: (start, end) for at in group for start, end in [bounds[at].tolist()]}
        likely = dict(zip(group, probability[group].tolist(), strict=True))
        chosen[group] = False
        chosen[without_overlaps(document, spans, group, likely)] = True
    return chosen


def is_bare(document: Document, start: int, end: int) -> bool:
    """Whether a span is one word in lower case and no pronoun: a verb, or a noun without article.

    >>> doc = Document(id="d", words=("Ann", "left", "it"))
    >>> [is_bare(doc, *span) for span in [(0, 1), (1, 2), (2, 3), (1, 3)]]
    [False, True, False, False]
    """
    word = document.words[start]
    return end == start + 1 and word.islower() and word not in _POINTING


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
