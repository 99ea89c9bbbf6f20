"""A chain of stages: pretraining, baseline, then the objective, each in its folder under one roof."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.core.files import check_file
from corelax.rankers.sparse.features.cache import FeatureCorpus, other_corpus, training_corpus
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.mentions.lexicons import load_lexicons
from corelax.train.epochs import Watcher
from corelax.train.sparse.config import Config
from corelax.train.sparse.folder import CONFIG, Model
from corelax.train.sparse.loop import Data, finished_model, train_stage


def _ignore(_: str) -> None:
    """For those who want to hear nothing."""


def load_data(
    config: Config,
    train: str | os.PathLike[str],
    dev: str | os.PathLike[str],
    note: Callable[[str], None] = _ignore,
    format: str | None = None,
) -> Data:
    """The features of training and dev documents, from the cache if they are there.

    Args:
        config: The last stage of a chain.
        train: Training documents.
        dev: Dev documents.
        note: Is told what takes time.
        format: Of both files; else by suffix or content.
    """
    for file in (train, dev):
        check_file(os.fspath(file))  # better now than after minutes of work
    lexicons = load_lexicons()
    settings = config.feature_settings
    if config.mentions not in ("detect", "gold"):
        found = f"not {config.mentions!r}"
        raise CorelaxError(f"mentions must be 'detect' or 'gold' in training, {found}")
    mentions = config.mentions
    training = training_corpus(os.fspath(train), settings, lexicons, mentions, note, format)
    return Data(training, scored_documents(config, dev, training.vocabulary, note, format))


def scored_documents(
    config: Config,
    file: str | os.PathLike[str],
    vocabulary: Vocabulary,
    note: Callable[[str], None] = _ignore,
    format: str | None = None,
) -> FeatureCorpus:
    """The features of dev or test documents, by the vocabulary of training."""
    name = os.fspath(file)
    corpus = other_corpus(name, vocabulary, load_lexicons(), config.mentions, note, format)
    if not any(len(table.gold_mentions) for table in corpus.tables):
        raise CorelaxError(f"{name}: no document has entities to score against")
    return corpus


def train_chain(
    chain: Sequence[Config],
    out: Path,
    data: Data,
    *,
    device: str = "auto",
    resume: bool = False,
    watcher: Watcher | None = None,
    note: Callable[[str], None] = _ignore,
) -> Model:
    """Trains what is not trained yet of a chain; the model of its last stage.

    Finished stages with the same settings are taken as they are. One that was begun is an error, unless it is
    to be resumed.

    Args:
        chain: The stages, from `stage_chain`.
        out: Each stage becomes a model folder in this one.
        data: Training and dev documents.
        device: "cpu", "cuda" or "auto".
        resume: Whether to go on with a stage that was begun.
        watcher: Is told how it goes.
        note: Is told the score of each stage.

    >>> from tempfile import TemporaryDirectory
    >>> from unittest.mock import patch
    >>> from corelax.io import write
    >>> from corelax.synthetic import Shape, generate
    >>> from corelax.train import stage_chain
    >>> documents = list(generate(4, seed=1, shape=Shape.conll2012().scaled(15)))
    >>> with TemporaryDirectory() as folder, patch.dict(os.environ, CORELAX_CACHE=folder):
    ...     file = f"{folder}/documents.conll"
    ...     _ = write(documents, file)
    ...     chain = stage_chain("anaphoricity", {"hidden_mention": 8, "hidden_pair": 8, "epochs": 2})
    ...     data = load_data(chain[-1], file, file)
    ...     model = train_chain(chain, Path(folder, "runs"), data, device="cpu")
    ...     sorted(path.name for path in Path(folder, "runs/anaphoricity").iterdir())
    ['README.md', 'config.json', 'log.jsonl', 'model.safetensors', 'vocabulary.json']
    """
    device = choose_device(device)
    models: dict[str, Model] = {}
    for config in chain:
        folder = out / config.stage
        start = [models[name] for name in config.start]
        model = finished_model(folder, config, data, start, device)
        if model is not None:
            note(f"{config.stage}: trained before ({100 * model.training['dev']:.2f} on dev)")
        else:
            if (folder / CONFIG).exists() and not resume:
                raise CorelaxError(f"{folder}: was begun before; go on with --resume, or delete it")
            model = train_stage(config, folder, data, start, device, watcher or Watcher())
            best = f"{100 * model.training['dev']:.2f} on dev"
            note(f"{config.stage}: {best}, epoch {model.training['epoch']} of {config.epochs}")
        models[config.stage] = model
    return models[chain[-1].stage]
