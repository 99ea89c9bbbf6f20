"""Decoding: from antecedent scores to entities.

Mentions are taken from left to right, each joining an entity or starting one. Ties go to the earliest
choice, so that an antecedent wins over "new" (the rule of the published systems).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.decode.claims import Claims
from corelax.decode.consistency import consistent_antecedents
from corelax.decode.constraints import Pairs, constrained_entities
from corelax.document.clustering import SINGLETONS
from corelax.relax.entities import entity_probs
from corelax.relax.links import link_probs, masked_scores


def best_links(
    antecedent_scores: Tensor,
    *,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
    mentions: Sequence[int] | None = None,
    singletons: str = "drop",
) -> list[list[int]]:
    """Each mention takes its best-scoring antecedent or starts an entity; chains of links are entities.

    Args:
        antecedent_scores: [mention, antecedent], lower triangle; the diagonal is "new entity".
        must_link: Pairs of mentions that belong to one entity.
        cannot_link: Pairs that do not, also not through others.
        mentions: The mentions there are, if not all: others are left out, and nobody links to them.
        singletons: "drop" or "keep" entities of one mention. Given `mentions` are always kept.

    Returns:
        Entities as lists of mention numbers, by their first mention.

    >>> scores = torch.tensor([[0.0, 0, 0], [2, 0, 0], [1, 3, 0]])
    >>> best_links(scores)
    [[0, 1, 2]]
    >>> best_links(scores, cannot_link=[(0, 2)], singletons="keep")
    [[0, 1], [2]]
    """
    return _decode(antecedent_scores, lambda s: s, must_link, cannot_link, mentions, singletons)


def best_entities(
    antecedent_scores: Tensor,
    *,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
    mentions: Sequence[int] | None = None,
    singletons: str = "drop",
) -> list[list[int]]:
    """Each mention joins its most probable entity: the clustering that metrics relaxed at T → 0 measure.

    It differs from the best link where one entity has several good antecedents. Arguments and result are
    those of `best_links`.

    >>> scores = torch.tensor([[0.0, 0, 0, 0], [9, 0, 0, 0], [9, 9, 0, 0], [0.2, 0.2, 0.2, 0.4]])
    >>> best_links(scores), best_entities(scores)  # the new entity is likelier than each single link
    ([[0, 1, 2]], [[0, 1, 2, 3]])
    """

    def log_probs(scores: Tensor) -> Tensor:
        return entity_probs(link_probs(scores.double())).log()

    return _decode(antecedent_scores, log_probs, must_link, cannot_link, mentions, singletons)


def best_antecedents(
    scores: Tensor,
    antecedents: Tensor | None = None,
    *,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
    claims: Claims | None = None,
) -> list[int]:
    """The antecedent that each mention takes; the mention itself if it starts an entity.

    Args:
        scores: [mention, antecedent], lower triangle, as `best_links` takes them; or with `antecedents`
            [mention, 1 + candidate], "new entity" first.
        antecedents: [mention, candidate] earlier mentions, where only these were scored. Candidates with a
            score of −inf do not count.
        must_link: Pairs of mentions that belong to one entity. Constraints need scores of all pairs.
        cannot_link: Pairs that do not, also not through others. Of the entity that the constraints give it,
            a mention takes the antecedent with the best score.
        claims: What mentions say about their entities; no entity clashes then, except by `must_link`.

    >>> best_antecedents(torch.tensor([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0]]))
    [0, 0, 0]
    >>> candidates = torch.tensor([[0, 0], [0, 0], [1, 0]])
    >>> scores = torch.tensor([[0.0, -torch.inf, -torch.inf], [0.0, 2.0, -torch.inf], [0.0, 1.0, 1.0]])
    >>> best_antecedents(scores, candidates)  # mention 2 has a tie
    [0, 0, 0]
    """
    must_link, cannot_link = list(must_link), list(cannot_link)
    if must_link or cannot_link:
        if antecedents is not None:
            raise CorelaxError("constraints need the scores of all pairs, not of candidates")
        table = _checked_scores(scores)
        entities = constrained_entities(
            table.clone(), lambda s: s, must_link, cannot_link, mentions=None, claims=claims
        )
        links = list(range(len(table)))
        for entity in entities:
            for at, i in enumerate(entity[1:], 1):
                links[i] = entity[int(table[i, entity[:at]].numpy().argmax())]
        return links
    if antecedents is None:
        table = _checked_scores(scores)
        links = _earliest_best(table)
        if claims is None:
            return links
        scores, antecedents = _as_candidates(table)
        return consistent_antecedents(scores, antecedents, links, claims)
    itself = torch.arange(len(scores))[:, None]
    choices = torch.cat([itself, antecedents], dim=-1)  # [mention, 1 + candidate]
    is_best = scores == scores.amax(-1, keepdim=True)
    earliest: list[int] = torch.where(is_best, choices, itself).amin(-1).tolist()
    return (
        earliest
        if claims is None
        else consistent_antecedents(scores, antecedents, earliest, claims)
    )


def entities_of_links(links: Sequence[int]) -> list[int]:
    """The number of each mention's entity, counted by first mentions, from its antecedent or itself.

    >>> entities_of_links([0, 1, 0, 1])
    [0, 1, 0, 1]
    """
    entity_of: list[int] = []
    entities = 0
    for i, j in enumerate(links):
        entity_of.append(entities if i == j else entity_of[j])
        entities += i == j
    return entity_of


def _decode(
    antecedent_scores: Tensor,
    preference: Callable[[Tensor], Tensor],
    must_link: Pairs,
    cannot_link: Pairs,
    mentions: Sequence[int] | None,
    singletons: str,
) -> list[list[int]]:
    """Mention i joins the entity of the j that it prefers."""
    check_choice("singletons", singletons, SINGLETONS)
    scores = _checked_scores(antecedent_scores)
    must_link, cannot_link = list(must_link), list(cannot_link)
    least = 1 if singletons == "keep" or mentions is not None else 2
    if mentions is None and not must_link and not cannot_link:
        entity_of = entities_of_links(_earliest_best(preference(scores)))
        entities: list[list[int]] = [[] for _ in range(max(entity_of, default=-1) + 1)]
        for mention, entity in enumerate(entity_of):
            entities[entity].append(mention)
    else:
        entities = constrained_entities(scores, preference, must_link, cannot_link, mentions)
    return [entity for entity in entities if len(entity) >= least]


def _checked_scores(antecedent_scores: Tensor) -> Tensor:
    """[mention, antecedent] masked scores of one document, in numbers that numpy has, on the CPU."""
    if isinstance(antecedent_scores, Tensor) and antecedent_scores.ndim != 2:
        raise CorelaxError(
            "antecedent_scores must be [mention, mention]; decode document by document"
        )
    scores = masked_scores(antecedent_scores).detach().cpu()
    return scores if scores.dtype == torch.float64 else scores.float()  # numpy has no bfloat16


def _as_candidates(table: Tensor) -> tuple[Tensor, Tensor]:
    """All mentions as candidates: [mention, 1 + mention] scores, [mention, mention] antecedents."""
    own = table.diagonal()[:, None]
    earlier = table.masked_fill(torch.eye(len(table), dtype=torch.bool), -torch.inf)
    return torch.cat([own, earlier], -1), torch.arange(len(table)).expand(len(table), -1)


def _earliest_best(scores: Tensor) -> list[int]:
    """The column of the best score in each row; of equal ones the first, as numpy promises."""
    columns: list[int] = scores.numpy().argmax(-1).tolist() if len(scores) else []
    return columns
