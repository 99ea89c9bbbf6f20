"""Epochs over documents, for any ranker: order, losses, dev score, when to stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from corelax.core.errors import CorelaxError
from corelax.train.checkpoint import Epoch, History, random_seed
from corelax.train.settings import StageSettings


class Watcher:
    """Is told how training goes, and does nothing about it."""

    def document(self, stage: str, epoch: int, epochs: int, done: int, documents: int) -> None:
        """After a training document."""

    def epoch(self, config: StageSettings, history: History) -> None:
        """After an epoch."""


def run_epochs(
    config: StageSettings,
    history: History,
    *,
    keys: Sequence[str],
    take_epoch: Callable[[int, list[int]], Iterator[Tensor]],
    dev_score: Callable[[], float],
    save: Callable[[History], None],
    watcher: Watcher,
    memory_hint: str = "use --device cpu",
) -> None:
    """Trains until the stage is done, from where the history ends.

    Args:
        config: The settings.
        history: The epochs that were done; those that follow are added.
        keys: Of the training documents, for messages.
        take_epoch: Trains on the documents with these numbers in this order, and yields the loss of each.
        dev_score: How good the ranker is now; higher is better.
        save: Keeps weights and history, after each epoch.
        watcher: Is told how it goes.
        memory_hint: What helps if the memory of the GPU is too small.

    >>> history = History()
    >>> run_epochs(
    ...     StageSettings(stage="s", epochs=2),
    ...     history,
    ...     keys=["a", "b", "c"],
    ...     take_epoch=lambda epoch, order: (torch.tensor(1.0 / epoch) for _ in order),
    ...     dev_score=lambda: 0.5,
    ...     save=lambda history: None,
    ...     watcher=Watcher(),
    ... )
    >>> [epoch.loss for epoch in history.epochs]
    [1.0, 0.5]
    """
    while not _is_done(config, history):
        epoch = len(history.epochs) + 1
        torch.manual_seed(random_seed(config.seed, config.stage, epoch))
        order = torch.randperm(len(keys)).tolist()
        began = time.monotonic()
        losses = []
        try:
            for done, loss in enumerate(take_epoch(epoch, order), 1):
                losses.append(loss)
                watcher.document(config.stage, epoch, config.epochs, done, len(keys))
        except torch.cuda.OutOfMemoryError:
            raise CorelaxError(f"the GPU has too little memory; {memory_hint}") from None
        values = torch.stack(losses).double().cpu()
        seconds = time.monotonic() - began
        for number, value in zip(order, values.tolist(), strict=True):
            check_loss(value, keys[number])
        history.epochs.append(
            Epoch(
                stage=config.stage,
                epoch=epoch,
                loss=float(values.mean()),
                dev=dev_score(),
                temperature=config.temperature_at(epoch),
                seconds=round(seconds, 3),
                documents=len(keys),
            )
        )
        save(history)
        watcher.epoch(config, history)


def check_loss(loss: float, key: str) -> None:
    """An error if training has gone astray.

    >>> check_loss(float("nan"), "nw/wsj_0001")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: the loss became nan at document nw/wsj_0001; try a smaller learning_rate
    """
    if loss != loss or loss in (float("inf"), float("-inf")):
        raise CorelaxError(f"the loss became {loss} at document {key}; try a smaller learning_rate")


def _is_done(config: StageSettings, history: History) -> bool:
    done = len(history.epochs)
    if done >= config.epochs:
        return True
    best = history.best
    return bool(config.patience and best and done - best.epoch >= config.patience)
