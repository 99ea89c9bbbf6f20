"""The state of a stage after its last finished epoch: one file, replaced as a whole.

The best weights so far are written first (`model.safetensors`), then the checkpoint. A stage that is killed
at any moment, also while it writes, finds the checkpoint of the epoch before, and does that epoch again:
since every epoch draws its random numbers from (seed, stage, epoch), the result is the same.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from corelax.features.vocabulary import Vocabulary
from corelax.io.files import remove_leftovers, write_text
from corelax.rankers.sparse import SparseRanker
from corelax.train.folder import load_weights, save_weights, set_weights
from corelax.train.optim import AdaGrad

CHECKPOINT, LOG = "checkpoint.safetensors", "log.jsonl"
_SUM = "sum."


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """One line of the log.

    Attributes:
        stage: Which stage.
        epoch: Counted from 1.
        loss: Mean loss of the training documents.
        dev: The score on dev that epochs are compared by, in [0, 1].
        temperature: T of the epoch.
        seconds: How long training took, without dev.
        documents: Training documents.
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
    """The epochs that were done."""

    epochs: list[Epoch] = field(default_factory=list)

    @property
    def best(self) -> Epoch | None:
        """The first of the epochs with the highest dev score."""
        return max(self.epochs, key=lambda e: (e.dev, -e.epoch), default=None)

    def write_log(self, folder: Path) -> None:
        """One JSON object a line."""
        lines = [json.dumps(asdict(epoch)) + "\n" for epoch in self.epochs]
        write_text(folder / LOG, "".join(lines))


def save_checkpoint(
    folder: Path,
    ranker: SparseRanker,
    optimizer: AdaGrad,
    history: History,
    vocabulary: Vocabulary,
) -> None:
    """Weights, AdaGrad's sums and the history."""
    tensors = dict(ranker.state_dict())
    for name, parameter in ranker.named_parameters():
        if state := optimizer.state[parameter]:
            tensors[_SUM + name] = state["sum"]
    # The history goes as bytes: it must not come apart from the weights.
    text = json.dumps([asdict(epoch) for epoch in history.epochs]).encode()
    tensors["history"] = torch.frombuffer(bytearray(text), dtype=torch.uint8)
    save_weights(folder / CHECKPOINT, tensors, vocabulary)


def load_checkpoint(
    folder: Path, ranker: SparseRanker, optimizer: AdaGrad, vocabulary: Vocabulary
) -> History:
    """Puts ranker and optimiser where they were after the last finished epoch."""
    path = folder / CHECKPOINT
    if not path.exists():
        return History()
    tensors = load_weights(path, vocabulary)
    set_weights(ranker, tensors, path)
    for name, parameter in ranker.named_parameters():
        if _SUM + name in tensors:
            optimizer.state[parameter]["sum"] = tensors[_SUM + name].to(parameter.device)
    epochs: list[dict[str, Any]] = json.loads(bytes(tensors["history"].tolist()))
    return History([Epoch(**epoch) for epoch in epochs])


def tidy(folder: Path, *, finished: bool) -> None:
    """Removes what a run that was killed while it wrote has left, and a checkpoint nobody needs any more."""
    remove_leftovers(folder)
    if finished:
        (folder / CHECKPOINT).unlink(missing_ok=True)


def random_seed(seed: int, *what: object) -> int:
    """A seed for one purpose, the same on every machine.

    >>> random_seed(1, "baseline", 3) != random_seed(1, "baseline", 4)
    True
    """
    digest = hashlib.sha256(repr((seed, *what)).encode()).digest()
    return int.from_bytes(digest[:7], "big")
