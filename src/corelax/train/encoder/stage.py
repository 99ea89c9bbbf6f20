"""A stage of an encoder ranker, and how one is made from a configuration of corpora and stages."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

from corelax.core.errors import CorelaxError
from corelax.core.files import file_digest
from corelax.core.folders import CONFIG, WEIGHTS
from corelax.rankers.encoder.config import read_config
from corelax.rankers.encoder.folder import (
    load_ranker,
    new_ranker,
    save_ranker,
    write_config,
    write_encoder,
)
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.schemes import with_settings
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.torch_network import TorchNetwork
from corelax.resolve.models import model_folder
from corelax.train.card import CardText
from corelax.train.checkpoint import CHECKPOINT
from corelax.train.encoder.config import EncoderConfig, corpus_and_times
from corelax.train.encoder.corpora import (
    TrainingCorpus,
    dev_examples,
    training_examples,
)
from corelax.train.encoder.evaluate import dev_report
from corelax.train.encoder.examples import Example, digest
from corelax.train.encoder.teacher import taught
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
        """Settings and identity."""
        return {"config": asdict(self.config), **self.identity}

    def saved(self, folder: Path) -> dict[str, Any]:
        """The training that a folder holds, with all settings."""
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
        """The model in a folder."""
        return load_ranker(folder, self.workers.device)

    def scores(self, model: EncoderModel) -> dict[str, Any]:
        """All scores on the dev documents of each corpus."""
        return {name: dev_report(model.ranker, part).as_dict() for name, part in self.dev.items()}

    def card(self, training: Mapping[str, Any]) -> CardText:
        """What the card says about encoder and corpora."""
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
        """Writes `config.json`."""
        finished = model._replace(training=training)
        write_config(folder, finished)
        return finished


class EncoderStages:
    """Makes the stages of a configuration, and reads each corpus once.

    Args:
        ranker: Sizes and limits of the ranker.
        corpora: All corpora by name.
        encoder: The pretrained encoder, a folder or a name; or the name of the model that is started from.
        data: The folder that the files of corpora are in.
        out: The folder of the model folders.
        start: A trained model to start from, instead of an encoder and fresh weights.
        workers: The processes that train, and the device of this one.
    """

    def __init__(
        self,
        ranker: EncoderSettings,
        corpora: Mapping[str, TrainingCorpus],
        *,
        encoder: str | Path,
        data: Path,
        out: Path,
        start: Path | None = None,
        workers: Workers = ALONE,
    ) -> None:
        self._settings, self._corpora, self._encoder = ranker, corpora, encoder
        self._start, self._workers = start, workers
        self._data, self._out = data, out
        self._train: dict[str, list[Example]] = {}
        self._dev: dict[str, list[Example]] = {}

    def __call__(self, config: EncoderConfig, models: Mapping[str, EncoderModel]) -> EncoderStage:
        """A stage, from its settings and the models of those before it."""
        if config.start:
            model = mean_model([models[name] for name in config.start])
        else:
            torch.manual_seed(config.seed)
            model = self._first_model()
        wanted = [corpus_and_times(name) for name in config.corpora]
        # Documents as they are in their files: on another machine a teacher may label some differently.
        digests = {name: digest(self._read(name, model)) for name, _ in wanted}
        learnt = [self._corpora[name].for_weight(config.soft) for name, _ in wanted]
        teachers = {teacher for corpus in learnt for teacher in corpus.teachers}
        dev = {name: self._read_dev(name, model) for name, c in self._corpora.items() if c.dev}
        identity: dict[str, Any] = {
            "start": {
                name: file_digest(str(self._folder(name, models) / WEIGHTS))
                for name in [*config.start, *sorted(teachers)]
            },
            "encoder": Path(self._encoder).name,
            "ranker": asdict(self._settings),
            "documents": digests,
            "dev documents": {name: digest(examples) for name, examples in dev.items()},
        }
        if not config.start:
            first = model.ranker.encoder if self._start is None else model.ranker
            identity["encoder weights"] = _weights_digest(first)
        return EncoderStage(
            config=config,
            model=model,
            examples=partial(self._examples, config, model, models),
            dev=dev,
            identity=identity,
            workers=self._workers,
        )

    def read_corpora(self, configs: Iterable[EncoderConfig]) -> None:
        """Reads what stages learn from and are scored on now, such as before a fork."""
        model = self._first_model()
        for name in {corpus_and_times(name)[0] for config in configs for name in config.corpora}:
            self._read(name, model)
        for name, corpus in self._corpora.items():
            if corpus.dev:
                self._read_dev(name, model)

    def _first_model(self) -> EncoderModel:
        """The model of stages that start from no other stage: a new one, or a trained one."""
        if self._start is None:
            return new_ranker(self._encoder, self._settings)
        return with_settings(load_ranker(self._start, "cpu"), self._settings)

    def _folder(self, name: str, models: Mapping[str, EncoderModel]) -> Path:
        """The folder of a stage, or else of a trained model."""
        return self._out / name if name in models else model_folder(name)

    def _examples(
        self,
        config: EncoderConfig,
        model: EncoderModel,
        models: Mapping[str, EncoderModel],
    ) -> list[Example]:
        """The training documents of corpora, each as many times as it says, as their teachers label them."""
        examples: list[Example] = []
        for name, times in map(corpus_and_times, config.corpora):
            corpus = self._corpora[name].for_weight(config.soft)
            of_corpus = self._read(name, model)
            if corpus.teachers:
                teachers = {
                    teacher: models[teacher]
                    if teacher in models
                    else load_ranker(self._folder(teacher, models), self._workers.device)
                    for teacher in corpus.teachers
                }
                of_corpus = taught(of_corpus, corpus, teachers, self._settings)
            examples += of_corpus * times
        return examples

    def _read(self, name: str, model: EncoderModel) -> list[Example]:
        """The training documents of a corpus, as they are annotated."""
        if name not in self._train:
            corpus = self._corpora[name]
            examples = training_examples(corpus, self._data, model.tokenizer, self._settings)
            if not examples:
                raise CorelaxError(f"corpus {name}: no training documents")
            self._train[name] = examples
        return self._train[name]

    def _read_dev(self, name: str, model: EncoderModel) -> list[Example]:
        if name not in self._dev:
            corpus = self._corpora[name]
            self._dev[name] = dev_examples(corpus, self._data, model.tokenizer, self._settings)
        return self._dev[name]


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


def _weights_digest(network: nn.Module) -> str:
    total = hashlib.sha256()
    for tensor in network.state_dict().values():
        total.update(tensor.cpu().numpy().tobytes())
    return total.hexdigest()
