"""The training loop, from top to bottom, for any ranker.

    until all epochs are done, or dev has not improved for `patience` epochs:
        order the documents at random
        take a step for each batch of documents
        score the ranker on dev
        keep its weights, if they are the best so far; save a checkpoint; write the log

The trainee knows what a step is (`train/sparse/trainee.py`, `train/encoder/trainee.py`), the stage where the
folder comes from and what happens to it afterwards (`train/stage.py`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from corelax.core.errors import CorelaxError
from corelax.core.exchange import LostWorker
from corelax.relax.advice import trusted
from corelax.train.checkpoint import (
    Epoch,
    History,
    load_checkpoint,
    save_checkpoint,
)
from corelax.train.settings import StageSettings


class Progress:
    """Progress callbacks; the default ignores them.

    Override those that you need, and give an instance to `corelax.train(progress=...)`.

    >>> class Losses(Progress):
    ...     def epoch(self, config, history):
    ...         print(config.stage, history.epochs[-1].loss)
    """

    def begin(self, config: StageSettings, folder: Path, history: History) -> None:
        """Before the first epoch of a stage; a continued run has epochs in its history."""

    def document(self, stage: str, epoch: int, epochs: int, done: int, documents: int) -> None:
        """After a training document."""

    def epoch(self, config: StageSettings, history: History) -> None:
        """After an epoch."""

    def end(self, config: StageSettings, training: Mapping[str, Any]) -> None:
        """After a stage; `training` is what its `config.json` says: "epoch", "dev", "scores", ..."""


class Trainee(Protocol):
    """A ranker with its optimiser and its documents."""

    @property
    def keys(self) -> Sequence[str]:
        """Names of the training documents, for messages."""

    @property
    def batch(self) -> int:
        """How many documents a step takes."""

    @property
    def network(self) -> nn.Module:
        """The network whose weights a checkpoint holds."""

    @property
    def optimizer(self) -> Optimizer:
        """The optimiser of the network's parameters."""

    @property
    def optimizer_state(self) -> Sequence[str]:
        """Names in the optimiser's state: `ADAGRAD` or `ADAM`."""

    @property
    def belongs_to(self) -> Mapping[str, str]:
        """Digests that a checkpoint must agree with, such as that of a vocabulary."""

    @property
    def memory_hint(self) -> str:
        """What helps if the GPU has too little memory."""

    def begin_epoch(self, epoch: int) -> None:
        """Prepares an epoch, counted from 1: temperature, learning rates."""

    def step(self, documents: Sequence[int]) -> Tensor:
        """Scores, loss, gradient, update for the documents with these numbers; the loss before the update."""

    def dev_score(self) -> float:
        """How good the ranker is now, on dev; higher is better."""

    def save_weights(self, folder: Path) -> None:
        """Writes the weights to a model folder, as a whole."""


def train_epochs(
    trainee: Trainee,
    config: StageSettings,
    folder: Path,
    progress: Progress | None = None,
    *,
    checkpoint_seconds: float = 0.0,
    writes: bool = True,
) -> History:
    """Trains until the stage is done, from where the checkpoint in the folder ends, if there is one.

    Args:
        trainee: What is trained.
        config: The settings.
        folder: The model folder; weights, checkpoint and log are written to it after each epoch.
        progress: Progress callbacks.
        checkpoint_seconds: An epoch that is not the best so far leaves no checkpoint if the last one is
            younger than this: a run that is interrupted then repeats as much.
        writes: Whether this process writes; of several that train together one does.
    """
    progress = progress or Progress()
    saved = time.monotonic()
    history = load_checkpoint(
        folder, trainee.network, trainee.optimizer, trainee.belongs_to, trainee.optimizer_state
    )
    progress.begin(config, folder, history)
    while not _is_done(config, history):
        # Drawn anew in each epoch: a continued run draws the same.
        epoch = len(history.epochs) + 1
        torch.manual_seed(config.random_seed(epoch))
        order = torch.randperm(len(trainee.keys)).tolist()

        began = time.monotonic()
        with _errors_explained(trainee):
            trainee.begin_epoch(epoch)
        losses: list[Tensor] = []
        for start in range(0, len(order), trainee.batch):
            documents = order[start : start + trainee.batch]
            with _errors_explained(trainee, documents), trusted():
                loss = trainee.step(documents)
            for _ in documents:
                losses.append(loss)
                progress.document(config.stage, epoch, config.epochs, len(losses), len(order))
        values = torch.stack(losses).double().cpu()  # waits for the GPU
        seconds = time.monotonic() - began
        for number, value in zip(order, values.tolist(), strict=True):
            check_loss(value, trainee.keys[number])

        history.epochs.append(
            Epoch(
                stage=config.stage,
                epoch=epoch,
                loss=float(values.mean()),
                dev=trainee.dev_score(),
                temperature=config.temperature_at(epoch),
                seconds=round(seconds, 3),
                documents=len(order),
            )
        )
        is_kept = config.keep == "last" or history.best is history.epochs[-1]
        if is_kept and writes:
            trainee.save_weights(folder)
        # Weights never belong to an epoch that the checkpoint does not know.
        if writes and (is_kept or time.monotonic() - saved >= checkpoint_seconds):
            save_checkpoint(folder, trainee.network, trainee.optimizer, history, trainee.belongs_to)
            history.write_log(folder)
            saved = time.monotonic()
        progress.epoch(config, history)
    return history


def _is_done(config: StageSettings, history: History) -> bool:
    done = len(history.epochs)
    if done >= config.epochs:
        return True
    best = history.best
    return bool(config.patience and best and done - best.epoch >= config.patience)


def check_loss(loss: float, key: str) -> None:
    """An error if the loss of a document is not a number.

    >>> check_loss(float("nan"), "nw/wsj_0001")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: the loss became nan at document nw/wsj_0001; try a smaller learning_rate
    """
    if loss != loss or loss in (float("inf"), float("-inf")):
        raise CorelaxError(f"the loss became {loss} at document {key}; try a smaller learning_rate")


@contextmanager
def _errors_explained(trainee: Trainee, documents: Sequence[int] = ()) -> Iterator[None]:
    """Errors of a step say at which documents, and what helps."""
    try:
        yield
    except torch.cuda.OutOfMemoryError:
        raise CorelaxError(f"the GPU has too little memory; {trainee.memory_hint}") from None
    except LostWorker:
        raise
    except CorelaxError as error:
        names = ", ".join(trainee.keys[number] for number in documents)
        weights = trainee.network.parameters()
        diverged = not all(bool(weight.isfinite().all()) for weight in weights)
        hint = "; try a smaller learning_rate" if diverged else ""
        raise CorelaxError(f"document {names}: {error}{hint}" if names else str(error)) from None
