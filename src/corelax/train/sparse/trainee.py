"""A sparse ranker while it is trained: one document a step, a learning rate for each layer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from corelax.rankers.sparse.folder import Model, Ranker, belongs_to, write_weights
from corelax.rankers.sparse.settings import PRETRAINING
from corelax.train.optim import AdaGrad, RMSprop, clamp_gradients, clip_gradients
from corelax.train.sparse.config import RMSPROP, Config
from corelax.train.sparse.data import Data, training_documents
from corelax.train.sparse.evaluate import dev_score
from corelax.train.sparse.objective import document_objective


class SparseTrainee:
    """What the loop trains.

    Args:
        config: The settings of the stage.
        ranker: The ranker, with the weights to start from; they are changed.
        data: Training and dev documents.
    """

    batch = 1
    memory_hint = "set max_mentions or max_antecedents, or --device cpu"

    def __init__(self, config: Config, ranker: Ranker, data: Data) -> None:
        self.network = ranker
        self.optimizer = make_optimizer(config, ranker)
        self.optimizer_state = (self.optimizer.STATE,)
        self.belongs_to = belongs_to(data.train.vocabulary)
        self._config, self._data = config, data
        self._documents = training_documents(data.train.tables, config)
        self.keys = [document.key for document in self._documents]
        self.begin_epoch(1)

    def begin_epoch(self, epoch: int) -> None:
        self._objective = document_objective(self._config, epoch, self._documents)

    def step(self, documents: Sequence[int]) -> Tensor:
        [number] = documents
        ranker, config = self.network, self._config
        loss = self._objective(ranker, ranker.tensors_of(self._documents[number]))
        parameters = list(ranker.parameters())
        # Not `backward`: it would forget that sparse gradients have each row once.
        gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient
        if config.clamp:
            clamp_gradients(ranker.clamped, config.clamp)
        if config.clip:
            clip_gradients(parameters, config.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    def dev_score(self) -> float:
        return dev_score(self.network, self._data.dev.tables, self._config)

    def save_weights(self, folder: Path) -> None:
        write_weights(folder, self.network, self._data.train.vocabulary)


def make_optimizer(config: Config, ranker: Ranker) -> AdaGrad | RMSprop:
    """The optimiser of a stage, with a learning rate for each layer."""
    groups = [
        {"params": parameters, "lr": getattr(config, rate)}
        for rate, parameters in ranker.parameter_groups.items()
    ]
    if config.optimizer == RMSPROP:
        return RMSprop(groups, l2=config.l2)
    damping = float(config.damped)
    return AdaGrad(groups, accumulator=config.accumulator, l1=config.l1, damping=damping)


def take_weights(ranker: Ranker, start: Sequence[Model]) -> None:
    """Gives a ranker the weights that a stage starts from.

    Of pretrained networks the first layers are taken: the output layers were trained for something else.
    """
    weights = ranker.state_dict()
    for model in start:
        trained, objective = model.ranker.state_dict(), model.training["config"]["objective"]
        if objective == "anaphoricity":
            names = ["mention_table", "mention_bias"]
        elif objective in PRETRAINING:
            names = ["current_table", "previous_table", "pair_table", "pair_bias"]
        else:
            names = list(weights)
        weights.update({name: trained[name].to(weights[name].device) for name in names})
    ranker.load_state_dict(weights)
