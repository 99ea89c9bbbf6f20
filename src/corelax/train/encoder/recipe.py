"""Recipes: which stages of an encoder ranker are trained on which corpora, in which order."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.core.settings import read_table
from corelax.rankers.encoder.config import read_config, settings_of
from corelax.rankers.encoder.schemes import with_schemes
from corelax.rankers.encoder.settings import EncoderSettings
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
from corelax.train.files import Paths, path_names
from corelax.train.settings import StageSettings, is_shared

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

    def on_top_of(self, folder: Path) -> Recipe:
        """This recipe with the sizes of a trained model, and its schemes beside those of the recipe."""
        known = settings_of(read_config(folder)["settings"])
        return replace(self, ranker=with_schemes(known, self.ranker.schemes))


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
        train=path_names(train),
        dev=path_names(dev),
        singletons=singletons,
        format=format or corpus.format,
    )
    stages = {name: replace(stage, singletons=singletons) for name, stage in recipe.stages.items()}
    recipe = replace(recipe, corpora={corpus.name: corpus}, stages=stages)
    return changed_recipe(recipe, settings)


_INSTEAD = {
    "seed": "holds for all stages; use --seed",
    "singletons": "each corpus of the recipe says whether its singletons count",
    "decoding": "an encoder ranker decodes by links",
}


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


def _read(name: str, table: Mapping[str, Any], kind: type) -> dict[str, Any]:
    try:
        return read_table(table, kind, leave_out=("stage", "name"))
    except CorelaxError as error:
        raise CorelaxError(f"{name}: {error}") from None
