"""Decoding: from antecedent scores to entities, by the best link or by the most probable entity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.decode.antecedents import links_within
from corelax.decode.arrays import Floats, entity_numbers
from corelax.decode.constraints import Pairs, Preference, constrained_entities
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

    def log_probs(scores: NDArray[np.floating]) -> NDArray[np.floating]:
        probs = entity_probs(link_probs(torch.from_numpy(scores).double())).log()
        table: NDArray[np.floating] = probs.numpy()
        return table

    return _decode(antecedent_scores, log_probs, must_link, cannot_link, mentions, singletons)


def best_entity_links(scores: Floats) -> list[int]:
    """The antecedent of each mention with the best score in its most probable entity, or itself.

    Args:
        scores: [mention, antecedent] as `best_entities` takes them.
    """
    return links_within(scores, best_entities(torch.from_numpy(scores), singletons="keep"))


def _decode(
    antecedent_scores: Tensor,
    preference: Preference,
    must_link: Pairs,
    cannot_link: Pairs,
    mentions: Sequence[int] | None,
    singletons: str,
) -> list[list[int]]:
    """Mention i joins the entity of the j that it prefers."""
    check_choice("singletons", singletons, SINGLETONS)
    scores = _checked_scores(antecedent_scores).numpy()
    must_link, cannot_link = list(must_link), list(cannot_link)
    least = 1 if singletons == "keep" or mentions is not None else 2
    if mentions is None and not must_link and not cannot_link:
        wanted = preference(scores)  # of equal ones argmax gives the first
        entity_of = entity_numbers(wanted.argmax(-1) if len(wanted) else []).tolist()
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
