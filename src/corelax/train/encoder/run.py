"""The stages of a recipe, trained one after the other; each corpus is read once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

from corelax.core.errors import CorelaxError
from corelax.core.files import check_file, file_digest
from corelax.core.folders import WEIGHTS
from corelax.rankers.encoder.config import read_config
from corelax.rankers.encoder.folder import load_ranker, new_ranker
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.schemes import with_settings
from corelax.resolve.models import model_folder
from corelax.train.encoder.config import EncoderConfig, corpus_and_times
from corelax.train.encoder.corpora import dev_examples, training_examples
from corelax.train.encoder.examples import Example, digest
from corelax.train.encoder.recipe import Recipe
from corelax.train.encoder.stage import EncoderStage, mean_model
from corelax.train.encoder.teacher import taught
from corelax.train.stage import RUN_DEFAULTS, RunOptions, train_stages
from corelax.train.workers import ALONE, Workers


@dataclass(frozen=True, kw_only=True)
class RecipeRun:
    """Trains the stages of a recipe.

    Attributes:
        recipe: Corpora and stages.
        encoder: The pretrained encoder, a folder or a name; or the name of the model that is started from.
        data: The folder that the files of corpora are in.
        out: Each stage becomes a model folder in this one.
        start: The folder of a trained model to start from, instead of an encoder and fresh weights.
        seed: The seed of weights, order and dropout.
        workers: The processes that train, and the device of this one.
    """

    recipe: Recipe
    encoder: str | Path
    data: Path
    out: Path
    start: Path | None = None
    seed: int = 1
    workers: Workers = ALONE
    _train: dict[str, list[Example]] = field(default_factory=dict, repr=False)
    _dev: dict[str, list[Example]] = field(default_factory=dict, repr=False)

    def train(
        self,
        stages: Sequence[str] = (),
        options: RunOptions = RUN_DEFAULTS,
    ) -> EncoderModel:
        """Trains stages and what they need; the model of the last."""
        order = self.recipe.order(stages)
        self._check_files(order)
        configs = [replace(self.recipe.stages[name], seed=self.seed) for name in order]
        size = self.workers.size
        for config in configs:
            if config.batch < size:
                options.note(
                    f"{config.stage}: a step has {config.batch} documents for {size} workers; "
                    f"--set {config.stage}.batch={size} gives each of them one"
                )
        models = train_stages(configs, self.out, self.make_stage, options)
        return models[order[-1]]

    def make_stage(self, config: EncoderConfig, models: Mapping[str, EncoderModel]) -> EncoderStage:
        """A stage, from its settings and the models of those before it."""
        if config.start:
            model = mean_model([models[name] for name in config.start])
        else:
            torch.manual_seed(config.seed)
            model = self._first_model()
        names = [corpus_and_times(name)[0] for name in config.corpora]
        teachers = {t for corpus in self.recipe.corpora_of(config.stage) for t in corpus.teachers}
        scored = [name for name, corpus in self.recipe.corpora.items() if corpus.dev]
        dev = {name: self._dev_examples(name, model) for name in scored}
        identity: dict[str, Any] = {
            "start": {
                name: file_digest(str(self._folder(name, models) / WEIGHTS))
                for name in [*config.start, *sorted(teachers)]
            },
            "encoder": Path(self.encoder).name,
            "ranker": asdict(self.recipe.ranker),
            # As they are in their files: on another machine a teacher may label some differently.
            "documents": {name: digest(self._examples(name, model)) for name in names},
            "dev documents": {name: digest(examples) for name, examples in dev.items()},
        }
        if not config.start:
            first = model.ranker.encoder if self.start is None else model.ranker
            identity["encoder weights"] = _weights_digest(first)
        return EncoderStage(
            config=config,
            model=model,
            examples=partial(self._taught, config, model, models),
            dev=dev,
            identity=identity,
            workers=self.workers,
        )

    def _check_files(self, order: Sequence[str]) -> None:
        """Better now than after hours of work."""
        used = [corpus for stage in order for corpus in self.recipe.corpora_of(stage)]
        files = [file for corpus in used for file in corpus.training_files]
        files += [file for corpus in self.recipe.corpora.values() for file in corpus.dev]
        for file in files:
            check_file(str(self.data / file))
        for corpus in used:
            for teacher in corpus.teachers:
                if teacher not in self.recipe.stages:
                    try:
                        read_config(model_folder(teacher))
                    except CorelaxError as error:
                        raise CorelaxError(f"corpus {corpus.name}: teacher: {error}") from None

    def _first_model(self) -> EncoderModel:
        """The model of stages that start from no other stage: a new one, or a trained one."""
        if self.start is None:
            return new_ranker(self.encoder, self.recipe.ranker)
        return with_settings(load_ranker(self.start, "cpu"), self.recipe.ranker)

    def _folder(self, name: str, models: Mapping[str, EncoderModel]) -> Path:
        return self.out / name if name in models else model_folder(name)

    def _taught(
        self, config: EncoderConfig, model: EncoderModel, models: Mapping[str, EncoderModel]
    ) -> list[Example]:
        """The training documents of corpora, each as many times as it says, as their teachers label them."""
        examples: list[Example] = []
        corpora = self.recipe.corpora_of(config.stage)
        for corpus, (name, times) in zip(
            corpora, map(corpus_and_times, config.corpora), strict=True
        ):
            of_corpus = self._examples(name, model)
            if corpus.teachers:
                teachers = {
                    teacher: models[teacher]
                    if teacher in models
                    else load_ranker(self._folder(teacher, models), self.workers.device)
                    for teacher in corpus.teachers
                }
                of_corpus = taught(of_corpus, corpus, teachers, self.recipe.ranker)
            examples += of_corpus * times
        return examples

    def _examples(self, name: str, model: EncoderModel) -> list[Example]:
        if name not in self._train:
            corpus = self.recipe.corpora[name]
            examples = training_examples(corpus, self.data, model.tokenizer, self.recipe.ranker)
            if not examples:
                raise CorelaxError(f"corpus {name}: no training documents")
            self._train[name] = examples
        return self._train[name]

    def _dev_examples(self, name: str, model: EncoderModel) -> list[Example]:
        if name not in self._dev:
            corpus = self.recipe.corpora[name]
            self._dev[name] = dev_examples(corpus, self.data, model.tokenizer, self.recipe.ranker)
        return self._dev[name]


def _weights_digest(network: nn.Module) -> str:
    total = hashlib.sha256()
    for tensor in network.state_dict().values():
        total.update(tensor.cpu().numpy().tobytes())
    return total.hexdigest()
