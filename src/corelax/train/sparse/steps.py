"""One training step a document: scores, loss, gradient, update."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import torch
from torch import Tensor

from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.networks import Ranker, RankerTensors
from corelax.train.optim import RowWise, clamp_gradients, clip_gradients
from corelax.train.sparse.config import FLOAT32, Config
from corelax.train.sparse.objective import Objective, can_be_recorded, document_objective


class Update:
    """The loss of a document, its gradient, and what that does to the weights."""

    def __init__(self, ranker: Ranker, optimizer: RowWise, config: Config) -> None:
        self.ranker, self.optimizer, self._config = ranker, optimizer, config
        self.parameters = list(ranker.parameters())

    def step(self, objective: Objective, document: RankerTensors) -> Tensor:
        """One step; the loss before it."""
        with rounded_products(self._config.precision != FLOAT32):
            loss = objective(self.ranker, document)
            # Not `backward`: it would forget that sparse gradients have each row once.
            gradients = torch.autograd.grad(loss, self.parameters, allow_unused=True)
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.grad = gradient
        if self._config.clamp:
            clamp_gradients(self.ranker.clamped, self._config.clamp)
        if self._config.clip:
            clip_gradients(self.parameters, self._config.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()


@contextmanager
def rounded_products(rounded: bool) -> Iterator[None]:
    """Products of matrices with factors rounded to TF32, on GPUs that have it."""
    if not rounded:
        yield
        return
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


class Steps(Protocol):
    """Steps over training documents."""

    def begin_epoch(self, epoch: int) -> None:
        """Prepares an epoch, counted from 1."""

    def step(self, number: int) -> Tensor:
        """Takes a step for the document with this number; its loss."""


class PlainSteps:
    """Steps as plain calls."""

    def __init__(self, tables: Sequence[DocumentTable], update: Update, config: Config) -> None:
        self._tables, self._update, self._config = tables, update, config
        self.begin_epoch(1)

    def begin_epoch(self, epoch: int) -> None:
        """Prepares an epoch, counted from 1."""
        self._objective = document_objective(self._config, epoch, padded=False, tables=self._tables)

    def step(self, number: int) -> Tensor:
        """Takes a step for the document with this number; its loss."""
        document = self._update.ranker.tensors_of(self._tables[number])
        return self._update.step(self._objective, document)


def make_steps(tables: Sequence[DocumentTable], update: Update, config: Config) -> Steps:
    """The steps for the device that the ranker is on."""
    if update.ranker.device.type == "cuda" and can_be_recorded(config):
        from corelax.train.sparse.recorded import RecordedSteps

        return RecordedSteps(tables, update, config)
    return PlainSteps(tables, update, config)
