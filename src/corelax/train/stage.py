"""A stage of training, for any ranker: what was trained before, the loop, and the model folder it leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from corelax.core.errors import CorelaxError
from corelax.core.folders import CONFIG
from corelax.core.locks import as_json, differences, lock_folder
from corelax.train.card import CardText, write_card
from corelax.train.checkpoint import tidy
from corelax.train.loop import Progress, Trainee, train_epochs
from corelax.train.settings import StageSettings
from corelax.train.workers import Workers

Note = Callable[[str], None]
Model = TypeVar("Model")


def ignore(_: str) -> None:
    """Default `note`: discard messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How stages are trained, whatever they compute.

    Attributes:
        resume: Whether to continue a stage that was begun; else it is an error.
        progress: Progress callbacks.
        note: Receives the score of each stage.
        checkpoint_seconds: As for `train_epochs`.
    """

    resume: bool = False
    progress: Progress | None = None
    note: Note = ignore
    checkpoint_seconds: float = 0.0


RUN_DEFAULTS = RunOptions()


class Stage(Protocol[Model]):
    """A stage with one kind of ranker."""

    @property
    def config(self) -> StageSettings:
        """Its settings."""

    @property
    def workers(self) -> Workers:
        """The processes that train it; only the first one writes."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """What else decides the result: documents, weights it starts from."""

    @property
    def training(self) -> dict[str, Any]:
        """What `config.json` says about the training: the settings as "config", the identity, file names."""

    def saved(self, folder: Path) -> Mapping[str, Any]:
        """The training that a folder holds, with all settings of this version under "config"."""

    def begin(self, folder: Path, training: Mapping[str, Any]) -> Trainee:
        """Writes a model folder that is not finished, if this process writes; what is to be trained."""

    def load(self, folder: Path) -> Model:
        """The model in a folder."""

    def scores(self, model: Model) -> Mapping[str, Any] | None:
        """All scores of a finished model on dev, if it resolves anything."""

    def card(self, training: Mapping[str, Any]) -> CardText:
        """What the model's card says about ranker and data."""

    def finish(self, folder: Path, model: Model, training: Mapping[str, Any]) -> Model:
        """Writes `config.json`; the model with what is known about its training."""


def train_stage(stage: Stage[Model], folder: Path, options: RunOptions = RUN_DEFAULTS) -> Model:
    """Trains a stage, or takes it from its folder if it was trained in the same way before."""
    config = stage.config
    finished = finished_model(stage, folder)
    if finished is not None:
        options.note(f"{config.stage}: trained before ({_on_dev(config, stage.saved(folder))})")
        return finished
    if (folder / CONFIG).exists() and not options.resume:
        raise CorelaxError(
            f"{folder}: holds an unfinished run; continue with --resume or delete the folder"
        )
    workers = stage.workers
    with lock_folder(folder) if workers.leads else nullcontext():
        finished = finished_model(stage, folder)  # by a command that ended just now
        if workers.gather(finished is not None)[0]:  # nobody writes before all have looked
            return stage.load(folder) if finished is None else finished
        return _train(stage, folder, options)


def _train(stage: Stage[Model], folder: Path, options: RunOptions) -> Model:
    config, workers = stage.config, stage.workers
    training = {**stage.training, "finished": False}
    if workers.leads:
        tidy(folder, finished=False)
    trainee = stage.begin(folder, training)
    history = train_epochs(
        trainee,
        config,
        folder,
        options.progress,
        checkpoint_seconds=options.checkpoint_seconds,
        writes=workers.leads,
    )
    if not workers.leads:
        workers.gather()  # until the first one has written the model
        return stage.load(folder)

    kept = history.kept(config.keep)
    training |= {"finished": True, "epoch": kept.epoch, "dev": kept.dev}
    history.write_log(folder)  # a run that was killed may have left the log of the epoch before
    model = stage.load(folder)
    scores = stage.scores(model)
    if scores is not None:
        training["scores"] = scores
    write_card(folder, config, training, stage.card(training))
    model = stage.finish(folder, model, training)  # last: from now on the stage is finished
    tidy(folder, finished=True)
    workers.gather()
    if options.progress is not None:
        options.progress.end(config, training)
    options.note(
        f"{config.stage}: {_on_dev(config, training)}, epoch {kept.epoch} of {config.epochs}"
    )
    return model


def train_stages(
    configs: Iterable[StageSettings],
    out: Path,
    make_stage: Callable[[Any, Mapping[str, Model]], Stage[Model]],
    options: RunOptions,
) -> dict[str, Model]:
    """Trains stages one after the other, each in its folder; their models by name."""
    models: dict[str, Model] = {}
    for config in configs:
        stage = make_stage(config, models)
        models[config.stage] = train_stage(stage, out / config.stage, options)
    return models


def finished_model(stage: Stage[Model], folder: Path) -> Model | None:
    """The model of a stage that was trained before in the same way, or None if it is not finished."""
    if not (folder / CONFIG).exists():
        return None
    saved = stage.saved(folder)
    wanted = {"config": asdict(stage.config), **stage.identity}
    names = [_shown(name) for name in differences(as_json(saved), as_json(wanted))]
    if names:
        raise CorelaxError(
            f"{folder}: was trained with other settings or files ({', '.join(names)}); "
            "use another --out, or delete it"
        )
    if not saved["finished"]:
        return None
    if stage.workers.leads:
        tidy(folder, finished=True)
    return stage.load(folder)


def _shown(name: str) -> str:
    kind, _, rest = name.partition(".")
    return {"config": rest, "start": f"weights of {rest}", "data": f"{rest} file"}.get(kind, name)


def _on_dev(config: StageSettings, training: Mapping[str, Any]) -> str:
    return f"{config.criterion} {100 * training['dev']:.2f} on dev"
