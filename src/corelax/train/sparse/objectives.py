"""The objective of a stage: the loss of scores; for the sparse ranker, from a document to a loss."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from torch import Tensor

from corelax.losses import (
    anaphoricity_loss,
    antecedent_loss,
    entity_loss,
    margin_loss,
    ranking_loss,
    reinforce_loss,
    relaxed_loss,
    rescale_loss,
)
from corelax.metrics import CONLL, METRICS
from corelax.rankers.sparse.network import SparseRanker
from corelax.rankers.sparse.tensors import DocumentTensors
from corelax.train.settings import REWARDED, StageSettings
from corelax.train.sparse.config import PRETRAINING, Config

Objective = Callable[[SparseRanker, DocumentTensors], Tensor]


def make_objective(config: Config, epoch: int, *, padded: bool) -> Objective:
    """The loss of one document as the stage has it at an epoch.

    Args:
        config: The stage.
        epoch: Counted from 1; the temperature depends on it.
        padded: Whether documents are padded, so that their length must be looked at.
    """
    is_pretraining = config.objective in PRETRAINING
    loss = _pretraining_loss(config) if is_pretraining else loss_function(config, epoch)

    def objective(ranker: SparseRanker, document: DocumentTensors) -> Tensor:
        more: dict[str, Any] = {"lengths": document.length} if padded else {}
        if config.objective == "anaphoricity":
            scores = ranker.new_scores(ranker.mention_hidden(document))
        elif config.objective.startswith("antecedent"):
            scores = ranker.pair_scores(document, config.dropout)
        else:
            scores = ranker(document, config.dropout)
            if counts_missed(config):
                more["gold_sizes"] = document.gold_sizes
        return loss(scores, document.gold, **more)

    return objective


def counts_missed(config: StageSettings) -> bool:
    """Whether the loss must know of gold mentions that were not found (`gold_sizes`).

    >>> counts_missed(StageSettings(stage="s")), counts_missed(StageSettings(stage="s", objective="metric"))
    (False, True)
    """
    return config.objective in ("metric", *REWARDED)


def can_be_recorded(config: StageSettings) -> bool:
    """Whether a step stays on the GPU from beginning to end.

    >>> can_be_recorded(StageSettings(stage="s", objective="metric", metric="conll"))  # CEAF does not
    False
    """
    used = CONLL if config.metric == "conll" else (config.metric,)
    return config.objective != "metric" or not any(METRICS[name].aligns for name in used)


def loss_function(config: StageSettings, epoch: int) -> Callable[..., Tensor]:
    """The loss of scores and gold entities, with its settings at an epoch.

    It takes `lengths` and, for objectives of a metric, `gold_sizes` as keywords.

    >>> import torch
    >>> loss = loss_function(StageSettings(stage="s", costs=(0, 0, 0)), 1)
    >>> loss(torch.zeros(2, 2), torch.tensor([0, 0]))  # one of two choices is right
    tensor(0.6931)
    """
    costs = (config.costs[0], config.costs[1], config.costs[2])
    rewarded = {"metric": config.metric, "singletons": config.singletons}
    settings: dict[str, tuple[Callable[..., Tensor], dict[str, Any]]] = {
        "ranking": (ranking_loss, {"costs": costs}),
        "entity": (entity_loss, {"costs": costs}),
        "margin": (margin_loss, {"costs": costs, "margin": config.margin}),
        "reinforce": (reinforce_loss, rewarded),
        "rescale": (rescale_loss, {**rewarded, "margin": config.margin}),
        "metric": (
            relaxed_loss,
            {"metric": config.metric, "relaxation": config.relaxation(epoch)},
        ),
    }
    function, keywords = settings[config.objective]
    return partial(function, **keywords)


def _pretraining_loss(config: Config) -> Callable[..., Tensor]:
    """The loss of a task that looks at one part of the sparse ranker."""
    settings: dict[str, tuple[Callable[..., Tensor], dict[str, Any]]] = {
        "anaphoricity": (anaphoricity_loss, {"weight": config.anaphoric_weight}),
        "antecedent": (antecedent_loss, {}),
        "antecedent_margin": (antecedent_loss, {"margin": config.margin}),
    }
    function, keywords = settings[config.objective]
    return partial(function, **keywords)
