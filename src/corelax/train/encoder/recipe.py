"""Recipes: which stages of an encoder ranker are trained on which corpora, in which order."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.core.files import check_file
from corelax.core.settings import read_table
from corelax.rankers.encoder.config import read_config, settings_of
from corelax.rankers.encoder.model import EncoderModel
from corelax.rankers.encoder.schemes import with_schemes
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.resolve.models import model_folder
from corelax.train.configuration import (
    ENCODER,
    OWN,
    Configuration,
    check_name,
    order_stages,
    read_configuration,
)
from corelax.train.encoder.config import EncoderConfig, corpus_and_times
from corelax.train.encoder.corpora import TrainingCorpus
from corelax.train.encoder.stage import EncoderStages
from corelax.train.files import Paths
from corelax.train.loop import Progress
from corelax.train.settings import StageSettings, is_shared
from corelax.train.stage import Note, ignore, train_stages
from corelax.train.workers import ALONE, Workers

RANKER = tuple(setting.name for setting in fields(EncoderSettings))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What is trained on what, in which order.

    Attributes:
        ranker: Sizes and limits.
        corpora: The corpora by name.
        stages: The stages by name.
        wanted: The stages to train, beside those that they need; all if empty.
    """

    ranker: EncoderSettings = field(default_factory=EncoderSettings)
    corpora: Mapping[str, TrainingCorpus] = field(default_factory=dict)
    stages: Mapping[str, EncoderConfig] = field(default_factory=dict)
    wanted: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.stages:
            raise CorelaxError("there are no stages")
        for corpus in self.corpora.values():
            check_choice(f"corpus {corpus.name}: scheme", corpus.scheme, self.ranker.schemes)
        order_stages(self.stages, self._needs)

    def order(self, stages: Sequence[str] = ()) -> list[str]:
        """The stages to train, those that others need before them.

        Args:
            stages: The stages that are asked for; as the recipe says if empty.

        >>> read_recipe("base").order(["taught"])
        ['silver', 'teacher_1', 'teacher_2', 'teacher_3', 'teacher', 'taught']
        """
        for name in stages:
            check_name(name, self.stages, "--stage")
        return order_stages(stages or self.wanted or self.stages, self._needs)

    def corpora_of(self, stage: str) -> list[TrainingCorpus]:
        """The corpora that a stage learns from, and as it does."""
        names = [corpus_and_times(name)[0] for name in self.stages[stage].corpora]
        if not names:
            raise CorelaxError(f"stage {stage}: corpora must name at least one corpus")
        place = f"stage {stage}: corpora"
        soft = self.stages[stage].soft
        return [self.corpora[check_name(n, self.corpora, place)].for_weight(soft) for n in names]

    def _needs(self, stage: str) -> list[str]:
        """The stages that a stage starts from, and the teachers of its corpora that are stages."""
        starts, place = self.stages[stage].start, f"stage {stage}: start"
        teachers = [name for corpus in self.corpora_of(stage) for name in corpus.teachers]
        return [
            *(check_name(start, self.stages, place) for start in starts),
            *(name for name in teachers if name in self.stages),  # others are trained models
        ]


def read_recipe(config: str | os.PathLike[str] | Configuration) -> Recipe:
    """A recipe of the package by its name, one from a TOML file, or from what was read from it.

    >>> list(read_recipe("small").stages)[-1]
    'metric'
    """
    if not isinstance(config, Configuration):
        config = read_configuration(config)
    if config.kind != ENCODER:
        raise CorelaxError(f"{config.source}: is for a {config.kind} ranker")
    try:
        return Recipe(
            ranker=EncoderSettings(**_read("ranker", config.ranker, EncoderSettings)),
            corpora={
                name: TrainingCorpus(name=name, **_read(name, table, TrainingCorpus))
                for name, table in config.corpora.items()
            },
            stages={
                name: EncoderConfig(stage=name, **_read(name, table, EncoderConfig))
                for name, table in config.stages.items()
            },
            wanted=config.wanted,
        )
    except CorelaxError as error:
        raise CorelaxError(f"{config.source}: {error}") from None


def own_recipe(
    train: Paths,
    dev: Paths,
    settings: Mapping[str, Any] | None = None,
    *,
    format: str | None = None,
    config: str | os.PathLike[str] | Configuration = OWN,
) -> Recipe:
    """Stages on your own documents: by default likelihood, then the metric.

    Args:
        train: The file with training documents, or several.
        dev: The file with dev documents, or several: the best epoch on them is kept.
        settings: What differs, as for `changed_recipe`; "singletons" says whether entities of one mention are
            annotated and count.
        format: The format of both files; None goes by suffix or content.
        config: A configuration with one corpus, whose files are replaced.

    >>> recipe = own_recipe("train.conllu", "dev.conllu", {"singletons": "keep", "likelihood.epochs": 4})
    >>> list(recipe.stages), recipe.stages["likelihood"].epochs, recipe.corpora["corpus"].singletons
    (['likelihood', 'metric'], 4, 'keep')
    """
    settings = dict(settings or {})
    recipe = read_recipe(config)
    if len(recipe.corpora) != 1:
        raise CorelaxError("files can be given for one corpus only; name them in the .toml file")
    [corpus] = recipe.corpora.values()
    singletons = settings.pop("singletons", corpus.singletons)
    corpus = replace(
        corpus,
        train=_names(train),
        dev=_names(dev),
        singletons=singletons,
        format=format or corpus.format,
    )
    stages = {name: replace(stage, singletons=singletons) for name, stage in recipe.stages.items()}
    recipe = replace(recipe, corpora={corpus.name: corpus}, stages=stages)
    return changed_recipe(recipe, settings)


def _names(paths: Paths) -> tuple[str, ...]:
    if isinstance(paths, (str, os.PathLike)):
        return (os.fspath(paths),)
    return tuple(os.fspath(path) for path in paths)


def changed_recipe(
    recipe: Recipe, settings: Mapping[str, Any], *, stage: str | None = None
) -> Recipe:
    """The recipe with some settings changed.

    Args:
        recipe: The recipe to change.
        settings: Values by key: `metric.epochs` is for a stage, `span_size` for the ranker, `epochs` for the
            stage that is asked for. Text is read as what the key takes.
        stage: The stage that is asked for; the last if None.

    >>> recipe = changed_recipe(read_recipe("small"), {"taught.epochs": "3", "epochs": "5", "window": "128"})
    >>> recipe.stages["taught"].epochs, recipe.stages["metric"].epochs, recipe.ranker.window
    (3, 5, 128)
    """
    last = stage or recipe.order()[-1]
    of_ranker: dict[str, Any] = {}
    of_stage: dict[str, dict[str, Any]] = {}
    for key, value in settings.items():
        prefix, dot, rest = key.rpartition(".")
        if is_shared(StageSettings, rest):
            raise CorelaxError(f"{key}: {_INSTEAD[rest]}")
        if dot and prefix not in recipe.stages:
            known = ", ".join(recipe.stages)
            raise CorelaxError(f"{key}: {prefix} is no stage of the recipe, which has {known}")
        if not dot and key in RANKER:
            of_ranker[key] = value
        else:
            of_stage.setdefault(prefix or last, {})[rest] = value
    stages = {
        name: config.changed(of_stage.get(name, {})) for name, config in recipe.stages.items()
    }
    changes = _read("ranker", of_ranker, EncoderSettings)
    return replace(recipe, ranker=replace(recipe.ranker, **changes), stages=stages)


_INSTEAD = {
    "seed": "holds for all stages; use --seed",
    "singletons": "each corpus of the recipe says whether its singletons count",
    "decoding": "an encoder ranker decodes by links",
}


def run_recipe(
    recipe: Recipe,
    out: Path,
    *,
    encoder: str | Path,
    data: Path,
    start: Path | None = None,
    stages: Sequence[str] = (),
    seed: int = 1,
    resume: bool = False,
    progress: Progress | None = None,
    note: Note = ignore,
    workers: Workers = ALONE,
) -> EncoderModel:
    """Trains the stages of a recipe and what they need; the model of the last.

    Args:
        recipe: Corpora and stages.
        out: Each stage becomes a model folder in this one.
        encoder: The pretrained encoder, a folder or a name.
        data: The folder that the files of corpora are in.
        start: The folder of a trained model to start from; then `encoder` is its name.
        stages: Only these, and those they need; as the recipe says if empty.
        seed: The seed of weights, order and dropout.
        resume: Whether to continue a stage that was begun.
        progress: Progress callbacks.
        note: Receives the score of each stage.
        workers: The processes that train, and the device of this one.
    """
    order = recipe.order(stages)
    used = [corpus for stage in order for corpus in recipe.corpora_of(stage)]
    for corpus in used:  # better now than after hours of work
        listed = (corpus.documents,) if corpus.documents else ()
        for file in (*corpus.train, *corpus.markables, *listed):
            check_file(str(data / file))
        for teacher in corpus.teachers:
            if teacher not in recipe.stages:
                _check_model(teacher, f"corpus {corpus.name}: teacher")
    for corpus in recipe.corpora.values():
        for file in corpus.dev:
            check_file(str(data / file))
    make_stage = EncoderStages(
        recipe.ranker,
        recipe.corpora,
        encoder=encoder,
        data=data,
        out=out,
        start=start,
        workers=workers,
    )
    configs = [replace(recipe.stages[name], seed=seed) for name in order]
    for config in configs:
        if config.batch < workers.size:
            note(
                f"{config.stage}: a step has {config.batch} documents for {workers.size} workers; "
                f"--set {config.stage}.batch={workers.size} gives each of them one"
            )
    models = train_stages(configs, out, make_stage, resume=resume, progress=progress, note=note)
    return models[order[-1]]


def start_from(recipe: Recipe, folder: Path) -> Recipe:
    """The recipe on top of a trained model: its sizes, and its schemes beside those of the recipe.

    Args:
        recipe: Stages and corpora.
        folder: The folder of an encoder ranker.
    """
    known = settings_of(read_config(folder)["settings"])
    return replace(recipe, ranker=with_schemes(known, recipe.ranker.schemes))


def _check_model(name: str, place: str) -> None:
    """An error if there is no stage, no folder and no installed model of a name."""
    try:
        read_config(model_folder(name))
    except CorelaxError as error:
        raise CorelaxError(f"{place}: {error}") from None


def _read(name: str, table: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """The settings in a table, as the fields of a dataclass take them."""
    try:
        return read_table(table, kind, leave_out=("stage", "name"))
    except CorelaxError as error:
        raise CorelaxError(f"{name}: {error}") from None
