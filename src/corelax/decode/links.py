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
from corelax.decode.arrays import Floats, first_mentions
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
    check_choice("singletons", singletons, SINGLETONS)
    if isinstance(antecedent_scores, Tensor) and antecedent_scores.ndim != 2:
        raise CorelaxError(
            "antecedent_scores must be [mention, mention]; decode document by document"
        )
    masked = masked_scores(antecedent_scores).detach().cpu()
    scores = (masked if masked.dtype == torch.float64 else masked.float()).numpy()  # no bfloat16
    must_link, cannot_link = list(must_link), list(cannot_link)
    least = 1 if singletons == "keep" or mentions is not None else 2
    if mentions is None and not must_link and not cannot_link:
        wanted = preference(scores)  # of equal ones argmax gives the first
        by_first: dict[int, list[int]] = {}
        for mention, first in enumerate(first_mentions(wanted.argmax(-1) if len(wanted) else [])):
            by_first.setdefault(int(first), []).append(mention)
        entities = list(by_first.values())
    else:
        entities = constrained_entities(scores, preference, must_link, cannot_link, mentions)
    return [entity for entity in entities if len(entity) >= least]
