"""A stage of an encoder ranker: what its model folder says, and what is trained."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from corelax.core.errors import CorelaxError
from corelax.core.folders import CONFIG
from corelax.rankers.encoder.config import read_config
from corelax.rankers.encoder.folder import (
    load_ranker,
    save_ranker,
    write_config,
    write_encoder,
)
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.torch_network import TorchNetwork
from corelax.train.card import CardText
from corelax.train.checkpoint import CHECKPOINT
from corelax.train.encoder.config import EncoderConfig
from corelax.train.encoder.evaluate import dev_report
from corelax.train.encoder.examples import Example
from corelax.train.encoder.trainee import EncoderTrainee
from corelax.train.workers import ALONE, Workers

Dev = Mapping[str, Sequence[Example]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderStage:
    """What `train_stage` needs to know of a stage with an encoder ranker.

    Attributes:
        config: The settings.
        model: The weights to start from.
        examples: Gives the training documents; called only if the stage is not finished.
        dev: Dev documents of each corpus; the mean of their CoNLL scores tells epochs apart.
        identity: What else decides the result: documents, weights it starts from.
        workers: The processes that train, and the device of this one.
    """

    config: EncoderConfig
    model: EncoderModel
    examples: Callable[[], Sequence[Example]]
    dev: Dev
    identity: Mapping[str, Any]
    workers: Workers = ALONE

    @property
    def training(self) -> dict[str, Any]:
        return {"config": asdict(self.config), **self.identity}

    def saved(self, folder: Path) -> dict[str, Any]:
        training = dict(read_config(folder)["training"])
        try:
            config = EncoderConfig.from_saved(training["config"])
        except (CorelaxError, KeyError, AttributeError) as error:
            path = folder / CONFIG
            raise CorelaxError(f"{path}: not the settings of a model ({error})") from None
        return {**training, "config": asdict(config)}

    def begin(self, folder: Path, training: Mapping[str, Any]) -> EncoderTrainee:
        """Writes a model that is not finished, unless there is a checkpoint to continue from."""
        examples = self.examples()
        torch.manual_seed(self.config.random_seed("start"))
        # A copy, since other stages may start from the same weights.
        ranker = copy.deepcopy(self.model.ranker).to(self.workers.device)
        model = self.model._replace(network=TorchNetwork(ranker), training=training)
        trainee = EncoderTrainee(self.config, model, examples, self.dev, self.workers)
        if not self.workers.leads:
            return trainee
        if (folder / CHECKPOINT).exists():
            write_encoder(folder, model)  # may have been cut off
        else:
            save_ranker(folder, model)
        return trainee

    def load(self, folder: Path) -> EncoderModel:
        return load_ranker(folder, self.workers.device)

    def scores(self, model: EncoderModel) -> dict[str, Any]:
        return {name: dev_report(model.ranker, part).as_dict() for name, part in self.dev.items()}

    def card(self, training: Mapping[str, Any]) -> CardText:
        encoder = f" ({training['encoder']})" if "encoder" in training else ""
        corpora = training.get("documents", {})
        return CardText(
            ranker=f"A mention ranker on top of a pretrained encoder{encoder}",
            data=[
                *(f"- {name} (sha256 {sha[:16]}…)" for name, sha in corpora.items()),
                "",
                "The licences of the training documents and of the encoder hold for what was learnt "
                "from them.",
            ],
        )

    def finish(
        self, folder: Path, model: EncoderModel, training: Mapping[str, Any]
    ) -> EncoderModel:
        finished = model._replace(training=training)
        write_config(folder, finished)
        return finished


def mean_model(models: Sequence[EncoderModel]) -> EncoderModel:
    """A ranker whose weights are the mean of those of others, which were trained from the same start.

    Such a mean often resolves better than any of them, and costs no more (Wortsman et al. 2022).
    """
    first, *others = models
    if not others:
        return first
    ranker = copy.deepcopy(first.ranker)
    every = [model.ranker.state_dict() for model in models]
    with torch.no_grad():
        for name, weight in ranker.state_dict().items():
            weight.copy_(torch.stack([weights[name] for weights in every]).mean(0))
    return first._replace(network=TorchNetwork(ranker))
