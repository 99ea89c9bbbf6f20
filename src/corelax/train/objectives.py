"""The objective of a stage: from a ranker and a document to a loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from torch import Tensor

from corelax.losses import (
    anaphoricity_loss,
    antecedent_loss,
    entity_loss,
    margin_loss,
    metric_loss,
    ranking_loss,
    reinforce_loss,
    rescale_loss,
)
from corelax.metrics.report import CONLL
from corelax.rankers.sparse import SparseRanker
from corelax.rankers.tensors import DocumentTensors
from corelax.train.config import Config

Objective = Callable[[SparseRanker, DocumentTensors], Tensor]

NEEDS_CPU = ("ceaf_e", "ceaf_m")  # an assignment problem is solved there


def make_objective(config: Config, epoch: int, *, padded: bool) -> Objective:
    """The loss of one document as the stage has it at an epoch.

    Args:
        config: The stage.
        epoch: Counted from 1; the temperature depends on it.
        padded: Whether documents are padded, so that their length must be looked at.
    """
    loss = _loss(config, epoch)
    counts_missed = config.objective in ("metric", "reinforce", "rescale")

    def objective(ranker: SparseRanker, document: DocumentTensors) -> Tensor:
        more: dict[str, Any] = {"lengths": document.length} if padded else {}
        if config.objective == "anaphoricity":
            scores = ranker.new_scores(ranker.mention_hidden(document))
        elif config.objective.startswith("antecedent"):
            scores = ranker.pair_scores(document, config.dropout)
        else:
            scores = ranker(document, config.dropout)
            if counts_missed:
                more["gold_sizes"] = document.gold_sizes
        return loss(scores, document.gold, **more)

    return objective


def can_be_recorded(config: Config) -> bool:
    """Whether a step stays on the GPU from beginning to end.

    >>> can_be_recorded(Config(stage="s", objective="metric", metric="conll"))  # CEAF does not
    False
    """
    used = CONLL if config.metric == "conll" else (config.metric,)
    return config.objective != "metric" or not set(used) & set(NEEDS_CPU)


def _loss(config: Config, epoch: int) -> Callable[..., Tensor]:
    """The loss function with its settings."""
    costs = (config.costs[0], config.costs[1], config.costs[2])
    settings: dict[str, tuple[Callable[..., Tensor], dict[str, Any]]] = {
        "anaphoricity": (anaphoricity_loss, {"weight": config.anaphoric_weight}),
        "antecedent": (antecedent_loss, {}),
        "antecedent_margin": (antecedent_loss, {"margin": config.margin}),
        "ranking": (ranking_loss, {"costs": costs}),
        "entity": (entity_loss, {"costs": costs}),
        "margin": (margin_loss, {"costs": costs, "margin": config.margin}),
        "reinforce": (
            reinforce_loss,
            {"metric": config.metric, "singletons": config.singletons},
        ),
        "rescale": (
            rescale_loss,
            {"metric": config.metric, "singletons": config.singletons, "margin": config.margin},
        ),
        "metric": (
            metric_loss,
            {
                "metric": config.metric,
                "beta": math.sqrt(config.beta_squared),
                "temperature": config.temperature_at(epoch),
                "temperature_on": None if config.family == "pairwise" else config.temperature_on,
                "family": config.family,
                "singletons": config.singletons,
                "like_original": config.like_original,
            },
        ),
    }
    function, keywords = settings[config.objective]
    return partial(function, **keywords)
