"""`corelax.train(...)`: from annotated files to a trained model, all that the command does."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corelax.core.errors import CorelaxError
from corelax.core.files import write_text
from corelax.core.overwriting import check_not_input
from corelax.core.settings import read_value
from corelax.train.card import CARD
from corelax.train.configuration import SPARSE, Configuration, read_configuration
from corelax.train.files import PathLike, Paths, document_files
from corelax.train.joining import joined, was_restarted
from corelax.train.logs import with_logs
from corelax.train.loop import Progress
from corelax.train.settings import criterion_of
from corelax.train.stage import Note, ignore
from corelax.train.team import END, Team, follow, is_follower

if TYPE_CHECKING:
    from corelax.rankers.encoder.folder import EncoderModel
    from corelax.rankers.sparse.folder import Model
    from corelax.train.encoder.recipe import Recipe

DEFAULT, FINE_TUNING = "lea", "tune"


class ArgumentError(CorelaxError):
    """An argument of `train` that a configuration needs, or cannot use.

    Attributes:
        config: The configuration.
        argument: The name of the argument.
        needed: Whether it is missing; else it is useless.
    """

    def __init__(self, config: str, argument: str, *, needed: bool) -> None:
        self.config, self.argument, self.needed = config, argument, needed
        problem = f"needs {argument}" if needed else f"cannot use {argument}"
        super().__init__(f"config {config!r} {problem}")


@dataclass(frozen=True, slots=True)
class Trained:
    """What `train` returns.

    Attributes:
        folder: The model folder of the last stage.
        model: Its model; of a sparse ranker a `Model`, of an encoder ranker an `EncoderModel`.
    """

    folder: Path
    model: Model | EncoderModel

    @property
    def training(self) -> Mapping[str, Any]:
        """Settings, data, scores: what `config.json` says about the training."""
        return self.model.training

    @property
    def criterion(self) -> str:
        """What `training["dev"]` is: "CoNLL F1", or "F1" and "accuracy" of pretraining tasks."""
        return criterion_of(self.training["config"]["objective"])

    @property
    def scores(self) -> Mapping[str, Mapping[str, Any]]:
        """All scores on dev by corpus; a sparse ranker has one, "dev". Empty for a pretraining task."""
        scores = self.training.get("scores", {})
        return {"dev": scores} if "conll" in scores else scores


def train(
    config: PathLike | None = None,
    *,
    out: PathLike,
    train: Paths | None = None,
    dev: Paths | None = None,
    data: PathLike | None = None,
    encoder: PathLike | None = None,
    start: PathLike | None = None,
    vectors: PathLike | None = None,
    stages: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    seed: int | None = None,
    device: str = "auto",
    format: str | None = None,
    resume: bool = False,
    int8: bool = False,
    log: str | Sequence[str] = (),
    workers: int | None = None,
    ray: str | None = None,
    progress: Progress | None = None,
    note: Note = ignore,
) -> Trained:
    """Trains a resolver, with the stages that it starts from.

    Stages that `out` has already are taken from there, so several objectives can share a baseline. Processes
    that torchrun has started train together; the first one reads and writes, all return the same.

    Args:
        config: A preset of the sparse ranker ("lea", "baseline", …); "own", "tune", "small" or "base"
            for encoder rankers; or a TOML file (see `corelax.train.configuration`). None is "lea",
            or "tune" with `start`.
        out: Each stage becomes a model folder in this one.
        train: The file with training documents, unless the configuration names its files; or several files,
            or folders of files.
        dev: The same for dev documents.
        data: The folder of the files that the configuration names.
        encoder: The pretrained encoder of an encoder ranker, a folder or a name.
        start: A trained encoder ranker to start from, a folder or an installed model such as "small"; instead
            of `encoder`.
        vectors: Word vectors that a deep ranker ("deep_lea", …) starts from: a folder with a .npy and a
            .parquet file, or a text file of a word and its values a line.
        stages: Only these stages of a file, and those they need; as the configuration says if empty.
        settings: Settings that are changed, by key, such as {"epochs": 3, "baseline.epochs": 5}.
        seed: The seed of weights, order and dropout; short for the setting "seed".
        device: "cpu", "cuda" or "auto".
        format: The format of `train` and `dev`; None goes by suffix or content.
        resume: Whether to continue a run that was interrupted; it produces identical weights.
        int8: Whether to write an encoder ranker a second time in one byte a weight, to OUT/STAGE.int8.
        log: "csv", "tensorboard" or "wandb", or several of them: see `corelax.train.logs`.
        workers: How many processes train an encoder ranker together, on this machine or on Ray; the documents
            of a step are spread over them. Scripts need `if __name__ == "__main__":` then.
        ray: A Ray cluster to train on: HOST:PORT of its head, "auto" for the one that runs here, "local" for
            a new one on this machine. Files and `out` must have the same paths on all its machines.
        progress: Progress callbacks.
        note: Receives messages: what takes time, the score of each stage.

    Raises:
        ArgumentError: An argument is missing, or goes with another configuration only.

    >>> from tempfile import TemporaryDirectory
    >>> from unittest.mock import patch
    >>> import corelax
    >>> from corelax.synthetic import Shape, generate
    >>> documents = list(generate(4, seed=1, shape=Shape.conll2012().scaled(15)))
    >>> with TemporaryDirectory() as folder, patch.dict(os.environ, CORELAX_CACHE=folder):
    ...     _ = corelax.write(documents, f"{folder}/documents.conll")
    ...     trained = corelax.train(
    ...         "anaphoricity",
    ...         train=f"{folder}/documents.conll",
    ...         dev=f"{folder}/documents.conll",
    ...         out=f"{folder}/runs",
    ...         settings={"hidden_mention": 8, "hidden_pair": 8, "epochs": 2},
    ...         device="cpu",
    ...     )
    >>> trained.folder.name, trained.training["finished"]
    ('anaphoricity', True)
    """
    if config is None:
        config = DEFAULT if start is None else FINE_TUNING
    followed: Trained  # what a follower is sent
    if is_follower():
        with joined(device) as team:
            followed = follow(team)
            return followed
    configuration = read_configuration(config)
    given = {
        "train": train, "dev": dev, "data": data, "encoder": encoder, "start": start, "stage": stages,
        "format": format, "int8": int8, "workers": workers, "ray": ray, "vectors": vectors,
    }  # fmt: skip
    _check_arguments(configuration, given)
    target = Path(out)
    if target.exists() and not target.is_dir():
        raise CorelaxError(f"{target}: is a file; name a folder")
    arguments: dict[str, Any] = {
        "train": train, "dev": dev, "data": data, "encoder": encoder, "start": start, "vectors": vectors,
        "stages": stages, "settings": settings, "seed": seed, "format": format, "int8": int8, "log": log,
        "resume": resume,
    }  # fmt: skip
    if ray is not None:
        from corelax.rankers.encoder.folder import load_ranker
        from corelax.train.on_ray import train_on_ray

        folder = train_on_ray(
            {"config": config, "out": out, **arguments},
            address=ray,
            workers=workers or 1,
            device=device,
            progress=progress,
            note=note,
        )
        return Trained(folder, load_ranker(folder))
    with joined(device, workers or 1) as team:
        if not team.leads:
            followed = follow(team)
            return followed
        trained = _train(configuration, target, team, progress, note, **arguments)
        _send_result(team, trained)
        return trained


def _train(
    configuration: Configuration,
    out: Path,
    team: Team,
    progress: Progress | None,
    note: Note,
    *,
    train: Paths | None,
    dev: Paths | None,
    data: PathLike | None,
    encoder: PathLike | None,
    start: PathLike | None,
    vectors: PathLike | None,
    stages: Sequence[str],
    settings: Mapping[str, Any] | None,
    seed: int | None,
    format: str | None,
    int8: bool,
    log: str | Sequence[str],
    resume: bool,
) -> Trained:
    """What `train` does in the process that reads and writes; arguments are those of `train`."""
    if configuration.kind == SPARSE and team.size > 1:
        raise CorelaxError(
            f"config {configuration.source!r} takes a document a step; train it in one process"
        )
    if advice := configuration.advice:
        note(advice)
    changes = dict(settings or {})
    if seed is not None:
        changes["seed"] = seed
    files = None
    if train is not None and dev is not None:
        files = (document_files(train), document_files(dev))
    progress = with_logs(progress, log, out)
    run = _train_sparse if configuration.kind == SPARSE else _train_encoder
    trained = run(
        configuration,
        out,
        files=files,
        data=Path() if data is None else Path(data),
        encoder="" if encoder is None else os.fspath(encoder),
        start=None if start is None else os.fspath(start),
        vectors=None if vectors is None else os.fspath(vectors),
        stages=stages,
        settings=changes,
        device=team.device,
        format=format,
        resume=resume or was_restarted(),
        progress=progress,
        note=note,
        team=team,
    )
    if int8:
        _write_int8(trained, note)
    return trained


def _check_arguments(config: Configuration, given: Mapping[str, Any]) -> None:
    """An error if an argument is missing, or goes with another configuration only."""
    needed, useless = [], []
    names_files = any("train" in corpus for corpus in config.corpora.values())
    from_files = given["train"] is None and given["dev"] is None and names_files
    if from_files or (names_files and len(config.corpora) > 1):
        needed += ["data"]
        useless += ["train", "dev", "format"]
    else:
        needed += ["train", "dev"]
        useless += ["data"]
    if config.kind == SPARSE:
        useless += ["encoder", "start", "int8", "workers", "ray"]
        if not config.source.endswith(".toml"):
            useless += ["stage"]  # a preset is a stage itself
    elif given["start"] is not None:
        useless += ["encoder", "vectors"]
    else:
        needed += ["encoder"]
        useless += ["vectors"]
    for name in needed:
        if given[name] is None:
            raise ArgumentError(config.source, name, needed=True)
    for name in useless:
        if given[name]:
            raise ArgumentError(config.source, name, needed=False)


def _train_sparse(
    config: Configuration,
    out: Path,
    *,
    files: tuple[Sequence[str], Sequence[str]] | None,
    data: Path,
    vectors: str | None,
    stages: Sequence[str],
    settings: Mapping[str, Any],
    device: str,
    format: str | None,
    resume: bool,
    progress: Progress | None,
    note: Note,
    **_: Any,
) -> Trained:
    from corelax.train.sparse.data import corpus_files, load_data
    from corelax.train.sparse.presets import stage_chain
    from corelax.train.sparse.stage import train_chain

    chain = stage_chain(config, settings, stages=stages)
    if files is None:
        train, dev, format = corpus_files(config, data)
        files = (train, dev)
    for stage in chain:
        check_not_input(out / stage.stage, [*files[0], *files[1]])
    corpora = load_data(chain[-1], *files, note, format, vectors)
    model = train_chain(
        chain, out, corpora, device=device, resume=resume, progress=progress, note=note
    )
    return Trained(out / chain[-1].stage, model)


def _train_encoder(
    config: Configuration,
    out: Path,
    *,
    files: tuple[Sequence[str], Sequence[str]] | None,
    data: Path,
    encoder: str,
    start: str | None,
    stages: Sequence[str],
    settings: Mapping[str, Any],
    device: str,
    format: str | None,
    resume: bool,
    progress: Progress | None,
    note: Note,
    team: Team,
    **_: Any,
) -> Trained:
    from corelax.resolve.models import model_folder
    from corelax.train.encoder.recipe import (
        RANKER,
        changed_recipe,
        own_recipe,
        read_recipe,
        run_recipe,
        start_from,
    )

    changes = {key: value for key, value in settings.items() if key != "seed"}
    if files is not None:
        recipe = own_recipe(*files, changes, format=format, config=config)
    else:
        recipe = read_recipe(config)
        recipe = changed_recipe(recipe, changes, stage=recipe.order(stages)[-1])
    folder = None if start is None else model_folder(start)
    if folder is not None:
        if fixed := [name for name in RANKER if name in changes]:
            raise CorelaxError(f"{fixed[0]}: the sizes of a trained ranker cannot be changed")
        recipe = start_from(recipe, folder)
    for stage in recipe.order(stages):
        check_not_input(out / stage, _files_of(recipe, data))
    model = run_recipe(
        recipe,
        out,
        encoder=encoder if start is None else start,
        data=data,
        start=folder,
        stages=stages,
        seed=read_value("seed", settings.get("seed", 1), int),
        device=device,
        resume=resume,
        progress=progress,
        note=note,
        team=team,
    )
    return Trained(out / recipe.order(stages)[-1], model)


def _send_result(team: Team, trained: Trained) -> None:
    """Followers return the same as the leader."""
    from corelax.rankers.encoder.folder import EncoderModel
    from corelax.train.encoder.trainee import portable

    if team.size > 1 and isinstance(trained.model, EncoderModel):
        team.call(END, Trained(trained.folder, portable(trained.model)))


def _files_of(recipe: Recipe, data: Path) -> list[Path]:
    """The files that a recipe reads."""
    corpora = recipe.corpora.values()
    return [data / name for c in corpora for name in (*c.train, *c.dev, *c.markables, c.documents)]


def _write_int8(trained: Trained, note: Note) -> None:
    """Writes an encoder ranker in one byte a weight, beside the one that was trained."""
    from corelax.rankers.encoder.folder import EncoderModel, save_ranker

    if isinstance(trained.model, EncoderModel):
        packed = trained.folder.with_name(f"{trained.folder.name}.int8")
        save_ranker(packed, trained.model, precision="int8")
        write_text(packed / CARD, (trained.folder / CARD).read_text(encoding="utf-8"))
        note(f"{packed}")
