"""The objective of a stage of the sparse ranker: from a document to a loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from corelax.losses import anaphoricity_loss, antecedent_loss
from corelax.metrics import CONLL, METRICS
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.global_network import GlobalRanker
from corelax.rankers.sparse.histories import History
from corelax.rankers.sparse.names import DEEP, PAIR_PRETRAINING, PRETRAINING
from corelax.rankers.sparse.network import SparseRanker
from corelax.rankers.sparse.tensors import DocumentTensors
from corelax.train.objectives import counts_missed, loss_function
from corelax.train.settings import StageSettings
from corelax.train.sparse.config import Config
from corelax.train.sparse.deep_objective import Averages, deep_loss

Objective = Callable[[Any, Any], Tensor]  # of a ranker and its tensors of a document


def document_objective(
    config: Config, epoch: int, *, padded: bool, tables: Sequence[DocumentTable] = ()
) -> Objective:
    """The loss of one document as the stage has it at an epoch.

    Args:
        config: The stage.
        epoch: Counted from 1; the temperature depends on it.
        padded: Whether documents are padded, so that their length must be looked at.
        tables: The training documents, whose average size losses of a deep ranker are divided by.
    """
    if config.network == DEEP:
        ranks = config.objective not in PAIR_PRETRAINING
        of_scores = loss_function(config, epoch) if ranks else None
        settings: dict[str, Any] = {
            "config": config,
            "averages": Averages.of(tables),
            "loss": of_scores,
        }
        return partial(deep_loss, **settings, padded=padded)
    is_pretraining = config.objective in PRETRAINING
    loss = _pretraining_loss(config) if is_pretraining else loss_function(config, epoch)

    def objective(ranker: SparseRanker, document: DocumentTensors) -> Tensor:
        more: dict[str, Any] = {"lengths": document.length} if padded else {}
        if config.objective == "anaphoricity":
            scores = ranker.new_scores(ranker.mention_hidden(document))
        elif config.objective.startswith("antecedent"):
            scores = ranker.pair_scores(document, config.dropout)
        else:
            scores = _scores(ranker, document, config, epoch)
            if counts_missed(config):
                more["gold_sizes"] = document.gold_sizes
        return loss(scores, document.gold, **more)

    return objective


def _scores(ranker: SparseRanker, document: DocumentTensors, config: Config, epoch: int) -> Tensor:
    """Antecedent scores; of a global ranker with gold clusters so far, or with its own."""
    more: dict[str, Any] = {}
    if isinstance(ranker, GlobalRanker):
        history: Tensor | History = document.gold
        if document.clusters is not None:
            history = document.clusters
        share = config.own_history_at(epoch)
        if share and float(torch.rand([])) < share:
            history = ranker.own_clusters(document)
        more = {"history": history, "state_dropout": config.state_dropout}
    scores: Tensor = ranker(document, config.dropout, **more)
    return scores


def can_be_recorded(config: StageSettings) -> bool:
    """Whether a step stays on the GPU from beginning to end.

    >>> can_be_recorded(StageSettings(stage="s", objective="metric", metric="conll"))  # CEAF does not
    False
    """
    if isinstance(config, Config):
        if config.own_history or config.own_history_end:  # clusters are decided on the CPU
            return False
        # Padding repeats a row of word vectors, which a norm would count twice.
        if config.network == DEEP and config.clip:
            return False
    used = CONLL if config.metric == "conll" else (config.metric,)
    return config.objective != "metric" or not any(METRICS[name].aligns for name in used)


def _pretraining_loss(config: Config) -> Callable[..., Tensor]:
    """The loss of a task that looks at one part of the sparse ranker."""
    settings: dict[str, tuple[Callable[..., Tensor], dict[str, Any]]] = {
        "anaphoricity": (anaphoricity_loss, {"weight": config.anaphoric_weight}),
        "antecedent": (antecedent_loss, {}),
        "antecedent_margin": (antecedent_loss, {"margin": config.margin}),
    }
    function, keywords = settings[config.objective]
    return partial(function, **keywords)
