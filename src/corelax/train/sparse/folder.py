"""A trained ranker as a folder: `config.json`, `vocabulary.json`, `model.safetensors`, and a card to read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import torch

from corelax.core.errors import CorelaxError
from corelax.core.files import write_text
from corelax.core.weights import load_weights, set_weights
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.network import SparseRanker
from corelax.train.sparse.config import Config

CONFIG, VOCABULARY, WEIGHTS, CARD = (
    "config.json",
    "vocabulary.json",
    "model.safetensors",
    "README.md",
)
FORMAT = "corelax sparse ranker 1"


class Model(NamedTuple):
    """What a model folder holds.

    Attributes:
        ranker: The network.
        vocabulary: Its features.
        config: The settings of the stage.
        training: Data, weights it started from, scores, whether it is finished.
        digest: Of its weights.
    """

    ranker: SparseRanker
    vocabulary: Vocabulary
    config: Config
    training: Mapping[str, Any]
    digest: str


def new_ranker(vocabulary: Vocabulary, config: Config) -> SparseRanker:
    """A ranker with fresh weights, of the sizes that the settings say."""
    return SparseRanker.for_vocabulary(
        vocabulary,
        hidden_mention=config.hidden_mention,
        hidden_pair=config.hidden_pair,
        initialisation=config.initialisation,
        max_antecedents=config.max_antecedents,
    )


def save_settings(folder: Path, config: Config, training: Mapping[str, Any]) -> None:
    """Writes `config.json`."""
    content = {"format": FORMAT, "config": asdict(config), "training": training}
    write_text(folder / CONFIG, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def load_settings(folder: Path) -> tuple[Config, dict[str, Any]]:
    """Reads `config.json`: the settings of a model, and what is known of its training."""
    path = folder / CONFIG
    text = _read(path)
    try:
        content = json.loads(text)
        if content["format"] != FORMAT:
            raise ValueError(f"{content['format']!r} is not {FORMAT!r}")
        settings = content["config"]
        for name in ("start", "costs"):
            settings[name] = tuple(settings[name])
        training = content["training"]
        if not {"data", "start", "finished"} <= set(training):
            raise ValueError("what it was trained on is missing")
        return Config(**settings), training
    except (ValueError, KeyError, TypeError, CorelaxError) as error:
        raise CorelaxError(f"{path}: not the settings of a model ({error})") from None


def is_finished(folder: Path) -> bool:
    """Whether a folder holds a model whose training is finished."""
    return (folder / CONFIG).exists() and bool(load_settings(folder)[1]["finished"])


def belongs_to(vocabulary: Vocabulary) -> dict[str, str]:
    """What a file of weights says about the vocabulary that its rows are for."""
    return {"vocabulary": vocabulary.digest}


def load_model(folder: str | Path, device: torch.device | str = "cpu") -> Model:
    """A trained ranker. Nothing in the folder is ever run."""
    folder = Path(folder)
    if not folder.is_dir():
        raise CorelaxError(f"{folder}: no such folder; a model is a folder with {CONFIG}")
    config, training = load_settings(folder)
    vocabulary = Vocabulary.from_json(_read(folder / VOCABULARY), f"{folder / VOCABULARY}")
    ranker = new_ranker(vocabulary, config)
    path = folder / WEIGHTS
    digest = hashlib.sha256(_read(path)).hexdigest()
    set_weights(ranker, load_weights(path, belongs_to(vocabulary)), path)
    return Model(ranker.to(device), vocabulary, config, training, digest)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        needed = ", ".join((CONFIG, VOCABULARY, WEIGHTS))
        raise CorelaxError(f"{path}: no such file; a model folder has {needed}") from None
    except OSError as error:
        raise CorelaxError(f"{path}: {error.strerror or error}") from None
