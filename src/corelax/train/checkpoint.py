"""The state of a stage after a finished epoch: one file, replaced as a whole.

The best weights so far are written first (`model.safetensors`), then the checkpoint. A stage that is killed
at any moment, also while it writes, finds the checkpoint of an epoch before and repeats those that came after
it: since every epoch draws its random numbers from its seed and its number, the weights are identical.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from corelax.core.files import write_text
from corelax.core.folders import load_weights, save_weights, set_weights
from corelax.core.locks import remove_leftovers, remove_stale_lock

CHECKPOINT, LOG = "checkpoint.safetensors", "log.jsonl"
# What optimisers keep for each parameter.
ADAGRAD, ADAM = ("sum",), ("step", "exp_avg", "exp_avg_sq")


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """One line of the log.

    Attributes:
        stage: The name of the stage.
        epoch: Counted from 1.
        loss: Mean loss of the training documents.
        dev: The score on dev that epochs are compared by, in [0, 1].
        temperature: T in this epoch.
        seconds: How long training took, without dev.
        documents: The number of training documents.
    """

    stage: str
    epoch: int
    loss: float
    dev: float
    temperature: float
    seconds: float
    documents: int


@dataclass(slots=True)
class History:
    epochs: list[Epoch] = field(default_factory=list)

    @property
    def best(self) -> Epoch | None:
        """The first of the epochs with the highest dev score."""
        return max(self.epochs, key=lambda e: (e.dev, -e.epoch), default=None)

    def kept(self, keep: str) -> Epoch:
        """The epoch whose weights are kept: the "best" on dev or the "last"."""
        best = self.best
        return self.epochs[-1] if keep == "last" or best is None else best

    def write_log(self, folder: Path) -> None:
        lines = [json.dumps(asdict(epoch)) + "\n" for epoch in self.epochs]
        write_text(folder / LOG, "".join(lines))


def save_checkpoint(
    folder: Path,
    network: nn.Module,
    optimizer: Optimizer,
    history: History,
    of: Mapping[str, str],
) -> None:
    """Weights, the state of the optimiser and the history."""
    tensors = dict(network.state_dict())
    for name, parameter in network.named_parameters():
        for state_name, value in optimizer.state.get(parameter, {}).items():
            tensors[f"{state_name}.{name}"] = value
    # The history goes as bytes: it must not come apart from the weights.
    tensors["history"] = pack_history(history)
    save_weights(folder / CHECKPOINT, tensors, of)


def load_checkpoint(
    folder: Path,
    network: nn.Module,
    optimizer: Optimizer,
    of: Mapping[str, str],
    state: Sequence[str] = ADAGRAD,
) -> History:
    """Restores network and optimiser after the last finished epoch; without a checkpoint, leaves them."""
    path = folder / CHECKPOINT
    if not path.exists():
        return History()
    tensors = load_weights(path, of)
    set_weights(network, tensors, path)
    names = {parameter: name for name, parameter in network.named_parameters()}
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    saved = {
        number: {
            name: tensors[f"{name}.{names[parameter]}"]
            for name in state
            if f"{name}.{names[parameter]}" in tensors
        }
        for number, parameter in enumerate(parameters)
    }
    # The optimiser itself knows which of its tensors go to the device of a parameter.
    optimizer.load_state_dict({**optimizer.state_dict(), "state": saved})
    return unpack_history(tensors["history"])


def pack_history(history: History) -> Tensor:
    text = json.dumps([asdict(epoch) for epoch in history.epochs]).encode()
    return torch.frombuffer(bytearray(text), dtype=torch.uint8)


def unpack_history(packed: Tensor) -> History:
    """What `pack_history` packed.

    >>> unpack_history(pack_history(History()))
    History(epochs=[])
    """
    epochs: list[dict[str, Any]] = json.loads(bytes(packed.tolist()))
    return History([Epoch(**epoch) for epoch in epochs])


def tidy(folder: Path, *, finished: bool) -> None:
    """Removes temporary files and the lock of a killed run, and the checkpoint of a finished stage."""
    remove_leftovers(folder)
    remove_stale_lock(folder)
    if finished:
        (folder / CHECKPOINT).unlink(missing_ok=True)
