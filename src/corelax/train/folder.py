"""A trained ranker as a folder: `config.json`, `vocabulary.json`, `model.safetensors`, and a card to read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from corelax.errors import CorelaxError
from corelax.features.vocabulary import Vocabulary
from corelax.io.files import write_bytes, write_text
from corelax.rankers.sparse import SparseRanker
from corelax.train.config import Config

CONFIG, VOCABULARY, WEIGHTS, CARD = (
    "config.json",
    "vocabulary.json",
    "model.safetensors",
    "README.md",
)
FORMAT = "corelax sparse ranker 1"
_OF = "vocabulary"


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


def save_weights(path: Path, weights: Mapping[str, Tensor], vocabulary: Vocabulary) -> None:
    """Writes tensors, and which vocabulary their rows belong to."""
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    write_bytes(path, save(contiguous, {_OF: vocabulary.digest}))


def load_weights(path: Path, vocabulary: Vocabulary) -> dict[str, Tensor]:
    """Reads tensors; an error if the file is damaged or belongs to another vocabulary."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise _missing(path) from None
    except (SafetensorError, OSError) as error:
        raise CorelaxError(f"{path}: not whole ({error}); copy or train it again") from None
    if metadata.get(_OF, vocabulary.digest) != vocabulary.digest:
        raise CorelaxError(f"{path}: does not belong to the {VOCABULARY} beside it")
    return weights


def set_weights(ranker: SparseRanker, weights: Mapping[str, Tensor], path: Path) -> None:
    """Gives a ranker its weights, or an error that names what does not fit."""
    wanted = ranker.state_dict()
    for name, weight in wanted.items():
        if name not in weights:
            raise CorelaxError(f"{path}: {name} is missing")
        if weights[name].shape != weight.shape:
            found, needed = list(weights[name].shape), list(weight.shape)
            raise CorelaxError(f"{path}: {name} is {found}, but the model needs {needed}")
    ranker.load_state_dict({name: weights[name] for name in wanted})


def load_model(folder: str | Path, device: torch.device | str = "cpu") -> Model:
    """A trained ranker. Nothing in the folder is ever run."""
    folder = Path(folder)
    if not folder.is_dir():
        raise CorelaxError(f"{folder}: no such folder; a model is a folder with {CONFIG}")
    config, training = load_settings(folder)
    vocabulary = Vocabulary.from_json(_read(folder / VOCABULARY), f"{folder / VOCABULARY}")
    ranker = new_ranker(vocabulary, config)
    set_weights(ranker, load_weights(folder / WEIGHTS, vocabulary), folder / WEIGHTS)
    digest = hashlib.sha256(_read(folder / WEIGHTS)).hexdigest()
    return Model(ranker.to(device), vocabulary, config, training, digest)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise _missing(path) from None
    except OSError as error:
        raise CorelaxError(f"{path}: {error.strerror or error}") from None


def _missing(path: Path) -> CorelaxError:
    needed = ", ".join((CONFIG, VOCABULARY, WEIGHTS))
    return CorelaxError(f"{path}: no such file; a model folder has {needed}")
