"""A stage of the sparse ranker: the best epoch on dev is kept, and never more than an epoch lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from corelax.core.errors import CorelaxError
from corelax.core.files import write_text
from corelax.core.weights import save_weights
from corelax.rankers.sparse.features.cache import FeatureCorpus
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.network import SparseRanker
from corelax.train.checkpoint import (
    History,
    load_checkpoint,
    random_seed,
    save_checkpoint,
    tidy,
)
from corelax.train.epochs import Watcher, run_epochs
from corelax.train.optim import AdaGrad
from corelax.train.sparse.card import write_card
from corelax.train.sparse.config import PRETRAINING, Config
from corelax.train.sparse.evaluate import dev_score, evaluate
from corelax.train.sparse.folder import (
    CONFIG,
    VOCABULARY,
    WEIGHTS,
    Model,
    belongs_to,
    load_model,
    load_settings,
    new_ranker,
    save_settings,
)
from corelax.train.sparse.steps import Update, make_steps


class Data(NamedTuple):
    """Training and dev documents."""

    train: FeatureCorpus
    dev: FeatureCorpus


def train_stage(
    config: Config, folder: Path, data: Data, start: Sequence[Model], device: str, watcher: Watcher
) -> Model:
    """Trains a stage, or goes on with it where it stopped, and leaves a model folder.

    Args:
        config: The settings.
        folder: The model folder; if it has a checkpoint, training goes on from there.
        data: Training and dev documents.
        start: The stages that weights come from.
        device: "cpu" or "cuda".
        watcher: Is told how it goes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tidy(folder, finished=False)
    files = {"train": data.train.name, "dev": data.dev.name}
    training: dict[str, Any] = {**identity(data, start), "files": files, "finished": False}
    save_settings(folder, config, training)
    write_text(folder / VOCABULARY, data.train.vocabulary.to_json())
    torch.manual_seed(random_seed(config.seed, config.stage, "weights"))
    ranker = new_ranker(data.train.vocabulary, config)
    take_weights(ranker, start)
    ranker.to(device)
    optimizer = AdaGrad(
        [
            {"params": ranker.first_layer, "lr": config.learning_rate},
            {"params": ranker.second_layer, "lr": config.output_learning_rate},
        ],
        accumulator=config.accumulator,
        l1=config.l1,
    )
    of = belongs_to(data.train.vocabulary)
    history = load_checkpoint(folder, ranker, optimizer, of)
    documents = training_documents(data.train.tables, config)
    steps = make_steps(documents, Update(ranker, optimizer, config.clip), config)

    def save(history: History) -> None:
        if history.best is history.epochs[-1] or config.keep == "last":
            save_weights(folder / WEIGHTS, ranker.state_dict(), of)
        save_checkpoint(folder, ranker, optimizer, history, of)
        history.write_log(folder)

    run_epochs(
        config,
        history,
        keys=[document.key for document in documents],
        take_epoch=steps.epoch,
        dev_score=lambda: dev_score(ranker, data.dev.tables, config),
        save=save,
        watcher=watcher,
        memory_hint="set max_mentions or max_antecedents, or --device cpu",
    )
    return _finish(folder, config, training, history, data, device)


def training_documents(tables: Sequence[DocumentTable], config: Config) -> list[DocumentTable]:
    """The documents to learn from: cut to the limit, without those that have no coreference."""
    cut = [table.first(config.max_mentions) if config.max_mentions else table for table in tables]
    if config.singletons == "drop":
        cut = [table for table in cut if table.is_anaphoric.any()]
    cut = [table for table in cut if table.size]
    if not cut:
        raise CorelaxError("no training document has two mentions of an entity; nothing to learn")
    return cut


def take_weights(ranker: SparseRanker, start: Sequence[Model]) -> None:
    """The weights that a stage starts from.

    Of pretrained networks the first layers are taken: the output layers were trained for something else.
    """
    own = ranker.state_dict()
    for model in start:
        found = model.ranker.state_dict()
        if model.config.objective == "anaphoricity":
            names = ["mention_table", "mention_bias"]
        elif model.config.objective in PRETRAINING:
            names = ["current_table", "previous_table", "pair_table", "pair_bias"]
        else:
            names = list(own)
        own.update({name: found[name].to(own[name].device) for name in names})
    ranker.load_state_dict(own)


def identity(data: Data, start: Sequence[Model]) -> dict[str, dict[str, str]]:
    """What a stage is trained on: documents, word lists, and the weights it starts from."""
    lists = data.train.vocabulary.lexicons
    return {
        "data": {"train": data.train.digest, "dev": data.dev.digest, "word lists": lists},
        "start": {model.config.stage: model.digest for model in start},
    }


def finished_model(
    folder: Path, config: Config, data: Data, start: Sequence[Model], device: str
) -> Model | None:
    """The model of a stage that was trained before in the same way, or None if it is not finished."""
    if not (folder / CONFIG).exists():
        return None
    old, training = load_settings(folder)
    other = [n for n in Config.__dataclass_fields__ if getattr(old, n) != getattr(config, n)]
    for what, values in identity(data, start).items():
        other += [
            f"weights of {name}" if what == "start" else f"{name} file"
            for name, value in values.items()
            if training[what].get(name) != value
        ]
    if other:
        raise CorelaxError(
            f"{folder}: was trained with other settings or files ({', '.join(other)}); "
            "use another --out, or delete it"
        )
    if not training["finished"]:
        return None
    tidy(folder, finished=True)
    return load_model(folder, device)


def _finish(
    folder: Path,
    config: Config,
    training: dict[str, Any],
    history: History,
    data: Data,
    device: str,
) -> Model:
    """The folder of a finished stage: scores of the epoch that was kept, a card, no checkpoint."""
    best = history.epochs[-1] if config.keep == "last" else history.best
    assert best is not None
    training |= {"finished": True, "epoch": best.epoch, "dev": best.dev}
    history.write_log(folder)
    model = load_model(folder, device)
    if config.objective not in PRETRAINING:
        report = evaluate(model.ranker, data.dev.tables, config)
        training["scores"] = report.as_dict()
    write_card(folder, config, training, data.train.vocabulary)
    save_settings(folder, config, training)
    tidy(folder, finished=True)
    return model._replace(training=training)
