"""Sparse rankers by the names of their networks, and as folders; nothing in a folder is ever run.

config.json          format, settings of the ranker, how it was trained
vocabulary.json      its features
model.safetensors    weights
README.md            a card, of a finished model
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import torch

from corelax.core.errors import CorelaxError
from corelax.core.files import write_text
from corelax.core.folders import (
    CONFIG,
    DIGEST,
    MOST_WORDS,
    WEIGHTS,
    blaming,
    check_digest,
    check_shapes,
    check_training,
    load_weights,
    read_model_config,
    read_regular,
    save_weights,
    set_weights,
    stored_shapes,
    with_digest,
)
from corelax.core.settings import read_table
from corelax.core.threads import survive_forks
from corelax.rankers.sparse.deep_network import DeepRanker
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.global_network import GlobalRanker
from corelax.rankers.sparse.network import OuterRanker, SparseRanker
from corelax.rankers.sparse.settings import DEEP, GLOBAL, LOCAL, LOCAL2, SparseSettings

VOCABULARY = "vocabulary.json"
FORMAT = "corelax sparse ranker 2"

Ranker = SparseRanker | DeepRanker
NETWORK_CLASSES: Mapping[str, type[SparseRanker] | type[DeepRanker]] = {
    LOCAL: SparseRanker,
    LOCAL2: OuterRanker,
    GLOBAL: GlobalRanker,
    DEEP: DeepRanker,
}


def fresh_ranker(vocabulary: Vocabulary, settings: SparseSettings) -> Ranker:
    """A ranker with fresh weights for the features of a vocabulary."""
    return NETWORK_CLASSES[settings.network](vocabulary, settings)


class Model(NamedTuple):
    """What a model folder holds.

    Attributes:
        ranker: The network.
        vocabulary: Its features.
        settings: Sizes and limits of the network.
        training: Settings and data of its training, weights it started from, scores, whether it is finished.
        digest: A hash of its weights.
    """

    ranker: Ranker
    vocabulary: Vocabulary
    settings: SparseSettings
    training: Mapping[str, Any]
    digest: str


def write_config(folder: Path, settings: SparseSettings, training: Mapping[str, Any]) -> None:
    """Writes `config.json`; that of a finished model has the digest of its weights."""
    content = {"format": FORMAT, "settings": asdict(settings), "training": training}
    text = json.dumps(with_digest(folder, content), indent=2, ensure_ascii=False)
    write_text(folder / CONFIG, text + "\n")


def read_config(folder: Path) -> tuple[SparseSettings, dict[str, Any]]:
    """The contents of `config.json`: the settings of a ranker, and how it was trained."""
    return _parse_config(folder, _config_content(folder))


def _config_content(folder: Path) -> Any:
    _check_is_there(folder / CONFIG)
    try:
        return read_model_config(folder)
    except ValueError as error:
        raise CorelaxError(f"{folder / CONFIG}: not the settings of a model ({error})") from None


def _parse_config(folder: Path, content: Any) -> tuple[SparseSettings, dict[str, Any]]:
    path = folder / CONFIG
    try:
        if content["format"] != FORMAT:
            raise ValueError(f"{content['format']!r} is not {FORMAT!r}")
        training = check_training(content["training"])
        if not {"config", "data", "start", "finished"} <= set(training):
            raise ValueError("what it was trained on is missing")
        return SparseSettings(**read_table(content["settings"], SparseSettings)), training
    except (ValueError, KeyError, TypeError, AttributeError, CorelaxError) as error:
        raise CorelaxError(f"{path}: not the settings of a model ({error})") from None


def is_finished(folder: Path) -> bool:
    return (folder / CONFIG).exists() and bool(read_config(folder)[1]["finished"])


def write_vocabulary(folder: Path, vocabulary: Vocabulary) -> None:
    write_text(folder / VOCABULARY, vocabulary.to_json())


def write_weights(folder: Path, ranker: Ranker, vocabulary: Vocabulary) -> None:
    save_weights(folder / WEIGHTS, ranker.state_dict(), belongs_to(vocabulary))


def belongs_to(vocabulary: Vocabulary) -> dict[str, str]:
    """What a file of weights says about the vocabulary that its rows are for."""
    return {"vocabulary": vocabulary.digest}


def load_model(folder: str | Path, device: torch.device | str = "cpu") -> Model:
    """A trained ranker.

    Args:
        folder: Where `corelax train` wrote it.
        device: Where the weights go.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CorelaxError(f"{folder}: no such folder; a model is a folder with {CONFIG}")
    content = _config_content(folder)
    survive_forks()
    path = folder / WEIGHTS
    with blaming(folder):
        settings, training = _parse_config(folder, content)
        words = folder / VOCABULARY
        _check_is_there(words)
        vocabulary = Vocabulary.from_json(read_regular(words, MOST_WORDS), f"{words}")
        _check_is_there(path)
        with torch.device("meta"):  # without memory, whatever the settings ask for
            # "sparse" would look at the weights.
            drawn = fresh_ranker(vocabulary, replace(settings, initialisation="uniform"))
            check_shapes(drawn, stored_shapes(path), path)
        ranker = fresh_ranker(vocabulary, settings)
        set_weights(ranker, load_weights(path, belongs_to(vocabulary)), path)
        digest = check_digest(path, read_regular(path), content.get(DIGEST))
        ranker.to(device)
    return Model(ranker, vocabulary, settings, training, digest)


def _check_is_there(path: Path) -> None:
    if not path.exists():
        needed = ", ".join((CONFIG, VOCABULARY, WEIGHTS))
        raise CorelaxError(f"{path}: no such file; a model folder has {needed}")
