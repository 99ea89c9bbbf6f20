"""`corelax.train(...)`: from annotated files to a trained model, all that the command does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corelax.core.errors import CorelaxError
from corelax.core.files import check_not_input, write_text
from corelax.core.settings import read_value
from corelax.train.card import CARD
from corelax.train.configuration import SPARSE, Configuration, read_configuration
from corelax.train.files import PathLike, document_files
from corelax.train.logs import with_logs
from corelax.train.loop import Progress
from corelax.train.options import TrainOptions
from corelax.train.settings import criterion_of
from corelax.train.stage import Note, RunOptions, ignore
from corelax.train.workers import Workers, joined, was_restarted

if TYPE_CHECKING:
    from corelax.rankers.encoder.model import EncoderModel
    from corelax.rankers.sparse.folder import Model


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
    progress: Progress | None = None,
    note: Note = ignore,
    **options: Any,
) -> Trained:
    """Trains a resolver, with the stages that it starts from.

    Stages that `out` has already are taken from there, so several objectives can share a baseline. Processes
    that torchrun has started train together; the first one writes, all return the same.

    Args:
        config: A preset of the sparse ranker ("lea", "baseline", …); "own", "tune", "small" or "base"
            for encoder rankers; or a TOML file (see `corelax.train.configuration`). None is "lea",
            or "tune" with `start`.
        progress: Progress callbacks.
        note: Receives messages: what takes time, the score of each stage.
        options: `out`, and the others of `TrainOptions`: `train` and `dev` (a file, several, or folders of
            files), `settings` (such as {"epochs": 3, "baseline.epochs": 5}), `seed`, `device`, `resume`, …

    Raises:
        ArgumentError: An argument is missing, or goes with another configuration only.

    >>> from tempfile import TemporaryDirectory
    >>> from unittest.mock import patch
    >>> import corelax
    >>> from corelax.synthetic import Shape, generate
    >>> documents = list(generate(4, seed=1, shape=Shape.conll2012().scaled(15)))
    >>> with TemporaryDirectory() as folder, patch.dict("os.environ", CORELAX_CACHE=folder):
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
    given = TrainOptions(config=config, **options)  # type: ignore[arg-type]
    return train_with(given, progress=progress, note=note)


def train_with(
    options: TrainOptions, *, progress: Progress | None = None, note: Note = ignore
) -> Trained:
    """What `train` does, with its options as an object."""
    with joined(options.device) as workers:
        if not workers.leads:
            progress, note = None, ignore
        return _train(options, workers, progress, note)


def _train(
    options: TrainOptions, workers: Workers, progress: Progress | None, note: Note
) -> Trained:
    configuration = read_configuration(options.config or "")
    options.check_for(configuration)
    progress = with_logs(progress, options.log) if workers.leads else None
    if configuration.kind == SPARSE:
        if workers.size > 1:
            raise CorelaxError(
                f"config {configuration.source!r} takes a document a step; train it in one process"
            )
        return _train_sparse(configuration, options, workers.device, progress, note)
    trained = _train_encoder(configuration, options, workers, progress, note)
    if options.int8 and workers.leads:
        _write_int8(trained, note)
    return trained


def _train_sparse(
    config: Configuration,
    options: TrainOptions,
    device: str,
    progress: Progress | None,
    note: Note,
) -> Trained:
    from corelax.train.sparse.data import corpus_files, load_data
    from corelax.train.sparse.presets import stage_chain
    from corelax.train.sparse.stage import train_chain

    out, format = options.out, options.format
    chain = stage_chain(config, options.changes, stages=options.stages)
    if options.train is not None and options.dev is not None:
        train, dev = document_files(options.train), document_files(options.dev)
    else:
        train, dev, format = corpus_files(config, Path(options.data or ""))
    for stage in chain:
        check_not_input(out / stage.stage, [*train, *dev])
    corpora = load_data(chain[-1], train, dev, note, format, options.vectors)
    model = train_chain(
        chain,
        out,
        corpora,
        device=device,
        options=RunOptions(resume=options.resume, progress=progress, note=note),
    )
    return Trained(out / chain[-1].stage, model)


def _train_encoder(
    config: Configuration,
    options: TrainOptions,
    workers: Workers,
    progress: Progress | None,
    note: Note,
) -> Trained:
    from corelax.resolve.models import model_folder
    from corelax.train.encoder.recipe import RANKER, changed_recipe, own_recipe, read_recipe
    from corelax.train.encoder.run import RecipeRun

    out, data, stages = options.out, Path(options.data or ""), options.stages
    changes = options.changes
    seed = read_value("seed", changes.pop("seed", 1), int)
    if options.train is not None and options.dev is not None:
        files = document_files(options.train), document_files(options.dev)
        recipe = own_recipe(*files, changes, format=options.format, config=config)
    else:
        recipe = read_recipe(config)
        recipe = changed_recipe(recipe, changes, stage=recipe.order(stages)[-1])
    start = None if options.start is None else model_folder(options.start)
    if start is not None:
        if fixed := [name for name in RANKER if name in changes]:
            raise CorelaxError(f"{fixed[0]}: the sizes of a trained ranker cannot be changed")
        recipe = recipe.on_top_of(start)
    files_read = [
        data / file for c in recipe.corpora.values() for file in (*c.training_files, *c.dev)
    ]
    for stage in recipe.order(stages):
        check_not_input(out / stage, files_read)
    encoder = options.start or options.encoder or ""
    run = RecipeRun(
        recipe=recipe, encoder=encoder, data=data, out=out, start=start, seed=seed, workers=workers
    )
    resume = options.resume or was_restarted()
    model = run.train(stages, RunOptions(resume=resume, progress=progress, note=note))
    return Trained(out / recipe.order(stages)[-1], model)


def _write_int8(trained: Trained, note: Note) -> None:
    from corelax.rankers.encoder.folder import save_ranker
    from corelax.rankers.encoder.model import EncoderModel

    if isinstance(trained.model, EncoderModel):
        packed = trained.folder.with_name(f"{trained.folder.name}.int8")
        save_ranker(packed, trained.model, precision="int8")
        write_text(packed / CARD, (trained.folder / CARD).read_text(encoding="utf-8"))
        note(f"{packed}")
