"""One training step a document: scores, loss, gradient, update."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import torch
from torch import Tensor

from corelax.core.errors import CorelaxError
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.network import SparseRanker
from corelax.rankers.sparse.tensors import DocumentTensors
from corelax.train.optim import AdaGrad, clip_gradients
from corelax.train.sparse.config import Config
from corelax.train.sparse.objectives import Objective, can_be_recorded, make_objective


class Steps(Protocol):
    """Goes through training documents."""

    def epoch(self, epoch: int, order: Sequence[int]) -> Iterator[Tensor]:
        """Takes a step for each document, and yields its loss."""


class Update:
    """The loss of a document, its gradient, and what that does to the weights."""

    def __init__(self, ranker: SparseRanker, optimizer: AdaGrad, clip: float) -> None:
        self.ranker, self.optimizer, self._clip = ranker, optimizer, clip
        self.parameters = list(ranker.parameters())

    def step(self, objective: Objective, document: DocumentTensors) -> Tensor:
        """One step; the loss before it."""
        loss = objective(self.ranker, document)
        # Not `backward`: it would forget that sparse gradients have each row once.
        gradients = torch.autograd.grad(loss, self.parameters, allow_unused=True)
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.grad = gradient
        if self._clip:
            clip_gradients(self.parameters, self._clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()


class PlainSteps:
    """Document after document, in plain calls."""

    def __init__(self, tables: Sequence[DocumentTable], update: Update, config: Config) -> None:
        self._tables, self._update, self._config = tables, update, config

    def epoch(self, epoch: int, order: Sequence[int]) -> Iterator[Tensor]:
        """Takes a step for each document, and yields its loss."""
        objective = make_objective(self._config, epoch, padded=False)
        for number in order:
            document = self._update.ranker.tensors_of(self._tables[number])
            try:
                loss = self._update.step(objective, document)
            except CorelaxError as error:
                astray = (
                    "; try a smaller learning_rate" if "antecedent_scores" in str(error) else ""
                )
                raise CorelaxError(
                    f"document {self._tables[number].key}: {error}{astray}"
                ) from None
            yield loss


def make_steps(tables: Sequence[DocumentTable], update: Update, config: Config) -> Steps:
    """The steps for the device that the ranker is on."""
    if update.ranker.device.type == "cuda" and can_be_recorded(config):
        from corelax.train.sparse.recorded import RecordedSteps

        return RecordedSteps(tables, update, config)
    return PlainSteps(tables, update, config)
