"""The objectives of stages as losses of antecedent scores, for any ranker."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from torch import Tensor

from corelax.losses import (
    entity_loss,
    margin_loss,
    metric_loss,
    ranking_loss,
    reinforce_loss,
    rescale_loss,
)
from corelax.train.settings import AUTO, REWARDED, StageSettings


def loss_function(config: StageSettings, epoch: int) -> Callable[..., Tensor]:
    """The loss of scores and gold entities, with its settings at an epoch.

    It takes `lengths` and, for objectives of a metric, `gold_sizes` as keywords.

    >>> import torch
    >>> loss = loss_function(StageSettings(stage="s", costs=(0, 0, 0)), 1)
    >>> loss(torch.zeros(2, 2), torch.tensor([0, 0]))  # one of two choices is right
    tensor(0.6931)
    """
    costs = (config.costs[0], config.costs[1], config.costs[2])
    same_cluster = None if config.cost_same_cluster < 0 else config.cost_same_cluster
    rewarded = {"metric": config.metric, "singletons": config.singletons}
    if config.actions != AUTO:
        rewarded["actions"] = config.actions
    settings: dict[str, tuple[Callable[..., Tensor], dict[str, Any]]] = {
        "ranking": (ranking_loss, {"costs": costs}),
        "entity": (entity_loss, {"costs": costs, "cost_same_cluster": same_cluster}),
        "margin": (margin_loss, {"costs": costs, "margin": config.margin}),
        "reinforce": (reinforce_loss, rewarded),
        "rescale": (rescale_loss, {**rewarded, "margin": config.margin}),
        "metric": (
            metric_loss,
            {"metric": config.metric, **config.relaxation(epoch).keywords()},
        ),
    }
    function, keywords = settings[config.objective]
    return partial(function, **keywords)


def counts_missed(config: StageSettings) -> bool:
    """Whether the loss must know of gold mentions that were not found (`gold_sizes`).

    >>> counts_missed(StageSettings(stage="s")), counts_missed(StageSettings(stage="s", objective="metric"))
    (False, True)
    """
    return config.objective in ("metric", *REWARDED)
