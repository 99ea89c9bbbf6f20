"""A stage of the sparse ranker, and chains of stages: pretraining, baseline, then the objective."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch

from corelax.core.device import choose_device
from corelax.core.folders import CONFIG
from corelax.rankers.sparse.deep_network import DeepRanker
from corelax.rankers.sparse.folder import (
    Model,
    fresh_ranker,
    load_model,
    read_config,
    write_config,
    write_vocabulary,
)
from corelax.rankers.sparse.settings import DEEP, GLOBAL, LOCAL, LOCAL2, PRETRAINING
from corelax.train.card import CardText
from corelax.train.sparse.config import Config, saved_config
from corelax.train.sparse.data import Data
from corelax.train.sparse.evaluate import dev_report
from corelax.train.sparse.trainee import SparseTrainee, take_weights
from corelax.train.stage import RUN_DEFAULTS, RunOptions, train_stages
from corelax.train.workers import ALONE

KINDS = {
    LOCAL: "A mention ranker over sparse features",
    LOCAL2: "A mention ranker over sparse features, with two hidden layers",
    GLOBAL: "A mention ranker over sparse features and the clusters so far",
    DEEP: "A mention ranker over word vectors",
}


@dataclass(frozen=True, slots=True)
class SparseStage:
    """What `train_stage` needs to know of a stage with a sparse ranker.

    Attributes:
        config: The settings.
        data: Training and dev documents.
        start: The models of the stages that weights come from.
        device: "cpu" or "cuda".
    """

    config: Config
    data: Data
    start: Sequence[Model]
    device: str
    workers: ClassVar = ALONE

    @property
    def identity(self) -> dict[str, dict[str, str]]:
        digests = {model.training["config"]["stage"]: model.digest for model in self.start}
        return {"data": self.data.identity, "start": digests}

    @property
    def training(self) -> dict[str, Any]:
        files = {"train": self.data.train.name, "dev": self.data.dev.name}
        return {"config": self.config.of_training, **self.identity, "files": files}

    def saved(self, folder: Path) -> dict[str, Any]:
        return {**read_config(folder)[1], "config": asdict(saved_config(folder))}

    def begin(self, folder: Path, training: Mapping[str, Any]) -> SparseTrainee:
        """Writes settings and vocabulary; a ranker with the weights of the stages before."""
        vocabulary = self.data.train.vocabulary
        write_config(folder, self.config.ranker, training)
        write_vocabulary(folder, vocabulary)
        torch.manual_seed(self.config.random_seed("weights"))
        ranker = fresh_ranker(vocabulary, self.config.ranker)
        if isinstance(ranker, DeepRanker) and self.data.vectors is not None:
            ranker.set_vectors(*self.data.vectors.of(vocabulary.words or ()))
        take_weights(ranker, self.start)
        return SparseTrainee(self.config, ranker.to(self.device), self.data)

    def load(self, folder: Path) -> Model:
        return load_model(folder, self.device)

    def scores(self, model: Model) -> dict[str, Any] | None:
        """All scores on dev; None for a pretraining task."""
        if self.config.objective in PRETRAINING:
            return None
        return dev_report(model.ranker, self.data.dev.tables, self.config).as_dict()

    def card(self, training: Mapping[str, Any]) -> CardText:
        files, digests, vocabulary = training["files"], training["data"], self.data.train.vocabulary
        singletons = "kept" if self.config.singletons == "keep" else "dropped"
        words = "words that were frequent in training, agreement by word lists"
        if vocabulary.words is not None:
            words = f"{len(vocabulary.words):,} words by their vectors"
        return CardText(
            ranker=KINDS[self.config.network],
            scoring=[
                f"Mentions: {self.config.mentions}. Entities of one mention are {singletons}."
            ],
            data=[
                f"Trained on `{files['train']}` (sha256 {digests['train'][:16]}…), chosen on "
                f"`{files['dev']}` ({digests['dev'][:16]}…); {len(vocabulary.mention):,} features of "
                f"mentions, {len(vocabulary.pair)} of pairs. The licence of the training documents holds "
                "for what was learnt from them."
            ],
            limits=[
                f"It sees what its features see: {words}, distances and equal strings. It needs tags and "
                "trees (or dependencies), or given mentions."
            ],
        )

    def finish(self, folder: Path, model: Model, training: Mapping[str, Any]) -> Model:
        write_config(folder, self.config.ranker, training)
        return model._replace(training=training)


def train_chain(
    chain: Sequence[Config],
    out: Path,
    data: Data,
    *,
    device: str = "auto",
    options: RunOptions = RUN_DEFAULTS,
) -> Model:
    """Trains what is not trained yet of a chain; the model of its last stage.

    Finished stages with the same settings are taken as they are. One that was begun is an error, unless it is
    to be resumed.

    Args:
        chain: The stages, from `stage_chain`.
        out: Each stage becomes a model folder in this one.
        data: Training and dev documents.
        device: "cpu", "cuda" or "auto".
        options: How they are trained.
    """
    device = choose_device(device)

    def make_stage(config: Config, models: Mapping[str, Model]) -> SparseStage:
        folder = out / config.stage
        if (folder / CONFIG).exists():
            known = read_config(folder)[1]["config"]
            if gone := ", ".join(name for name in Config.GONE if name in known):
                options.note(f"{folder}: passes over {gone}, which are settings no longer")
        return SparseStage(config, data, [models[name] for name in config.start], device)

    models = train_stages(chain, out, make_stage, options)
    return models[chain[-1].stage]
