"""The antecedent that each mention takes, from the scores of all pairs or of a few candidates.

Mentions are taken from left to right, each joining an entity or starting one. Ties go to the earliest
choice, so that an antecedent wins over "new" (the rule of the published systems).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from corelax.core.errors import CorelaxError
from corelax.decode.arrays import Floats, as_array, candidate_scores, dense_scores
from corelax.decode.consistency import consistent_antecedents
from corelax.decode.constraints import Pairs, constrained_entities
from corelax.english.claims import Claims


def best_antecedents(
    scores: Any,
    antecedents: Any = None,
    *,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
    claims: Claims | None = None,
) -> list[int]:
    """The antecedent that each mention takes; the mention itself if it starts an entity.

    Args:
        scores: [mention, antecedent], lower triangle, as `best_links` takes them; or with `antecedents`
            [mention, 1 + candidate], "new entity" first. An array or a tensor.
        antecedents: [mention, candidate] earlier mentions, where only these were scored. Candidates with a
            score of −inf do not count.
        must_link: Pairs of mentions that belong to one entity.
        cannot_link: Pairs that do not, also not through others. Of the entity that the constraints give it,
            a mention takes the antecedent with the best score. Constraints take a table of all pairs.
        claims: What mentions say about their entities; no entity clashes then, except by `must_link`.

    >>> best_antecedents(np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0]]))
    [0, 0, 0]
    >>> candidates = np.array([[0, 0], [0, 0], [1, 0]])
    >>> scores = np.array([[0.0, -np.inf, -np.inf], [0.0, 2.0, -np.inf], [0.0, 1.0, 1.0]])
    >>> best_antecedents(scores, candidates)  # mention 2 has a tie
    [0, 0, 0]
    """
    must_link, cannot_link = list(must_link), list(cannot_link)
    if antecedents is None:
        table = as_array(scores)
        if table.ndim != 2 or table.shape[0] != table.shape[1]:
            raise CorelaxError(f"scores must be [mention, mention], not {list(table.shape)}")
        table = np.where(np.tri(len(table), dtype=bool), table, -np.inf)
        scores, antecedents = candidate_scores(table)
    else:
        scores, antecedents = as_array(scores), as_array(antecedents)
        table = None
    if must_link or cannot_link:
        table = dense_scores(scores, antecedents) if table is None else table
        entities = constrained_entities(
            table.copy(), lambda s: s, must_link, cannot_link, mentions=None, claims=claims
        )
        return links_within(table, entities)
    itself = np.arange(len(scores))[:, None]
    choices = np.concatenate([itself, antecedents], -1)  # [mention, 1 + candidate]
    is_best = scores == scores.max(-1, keepdims=True)
    earliest: list[int] = np.where(is_best, choices, itself).min(-1).tolist()
    if claims is None:
        return earliest
    return consistent_antecedents(scores, antecedents, earliest, claims)


def links_within(table: Floats, entities: Sequence[Sequence[int]]) -> list[int]:
    """The antecedent of each mention with the best score in its entity; itself if it is the first there.

    >>> links_within(np.array([[0.0, 0, 0], [2, 0, 0], [1, 3, 0]]), [[0, 2], [1]])
    [0, 1, 0]
    """
    links = list(range(len(table)))
    for entity in entities:
        for at, i in enumerate(entity[1:], 1):
            links[i] = entity[int(table[i, entity[:at]].argmax())]
    return links
