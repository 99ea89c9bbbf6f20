"""`config.json` of an encoder ranker, and what must hold of a folder before a network is built of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.core.files import write_text
from corelax.core.folders import CONFIG, MOST_WORDS, Shapes, check_regular, read_model_config
from corelax.decode.calibration import Calibration
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.tokenizer import MARKS

ENCODER = "encoder"  # the folder with the encoder's own settings and its tokenizer
FORMAT = "corelax encoder ranker 2"
SPARSE = "corelax sparse ranker"  # how the formats of the other kind of ranker begin
# How the encoder is called and what it returns, which is not for the folder to say.
CALL: Mapping[str, Any] = MappingProxyType(
    {
        "return_dict": True,
        "output_attentions": False,
        "output_hidden_states": False,
        "chunk_size_feed_forward": 0,
        "is_decoder": False,
    }
)
_READ_WHOLE = {".json", ".txt", ".jinja", ".model"}


def read_config(folder: Path) -> dict[str, Any]:
    """The contents of `config.json`, if the folder is one of an encoder ranker.

    >>> read_config(Path("nowhere"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: nowhere: no model there; a model is a folder with config.json
    """
    if not (folder / CONFIG).exists():
        raise CorelaxError(f"{folder}: no model there; a model is a folder with {CONFIG}")
    try:
        content = read_model_config(folder)
        if str(content["format"]).startswith(SPARSE):
            raise CorelaxError(
                f"{folder}: a sparse ranker reads annotated files; an encoder ranker is needed here"
            )
        if content["format"] != FORMAT:
            raise ValueError(f"{content['format']!r} is not {FORMAT!r}")
        return dict(content)
    except (ValueError, KeyError, TypeError) as error:
        raise CorelaxError(f"{folder / CONFIG}: not the settings of a model ({error})") from None


def write_content(
    path: Path, content: Mapping[str, Any], calibrations: Mapping[str, Calibration]
) -> None:
    plain = {name: calibration.as_dict() for name, calibration in calibrations.items()}
    content = {**content, "calibration": plain} if plain else content
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def settings_of(given: Mapping[str, Any]) -> EncoderSettings:
    options: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    return EncoderSettings(**options)


def calibrations_of(
    given: Mapping[str, Mapping[str, Any]], settings: EncoderSettings
) -> dict[str, Calibration]:
    return {
        check_choice("calibration", scheme, settings.schemes): Calibration.from_dict(content)
        for scheme, content in given.items()
    }


def check_pieces(vocabulary: Mapping[str, int], rows: int) -> None:
    """Refuses a tokenizer with pieces beyond the rows of the encoder."""
    piece, number = max(vocabulary.items(), key=lambda item: item[1], default=("", -1))
    if not 0 <= number < rows:
        raise ValueError(
            f"its tokenizer numbers {piece!r} {number}, but the encoder knows {rows} pieces"
        )


def check_files(folder: Path) -> None:
    """Refuses pipes and devices, which would be read for ever, and files that are too large."""
    if not folder.is_dir():
        raise ValueError(f"{folder.name} is missing")
    for path in sorted(folder.rglob("*")):
        if not path.is_dir():
            check_regular(path, MOST_WORDS if path.suffix in _READ_WHOLE else None)


def check_layers(config: Any, shapes: Shapes) -> None:
    """Refuses more layers than there are weights: building them would take hours."""
    for name, value in vars(config).items():
        counts_layers = "layer" in name or "group" in name
        if counts_layers and isinstance(value, int) and value > len(shapes):
            raise ValueError(f"{name} is {value}, but there are {len(shapes)} weights")


def check_tokenizer(tokenizer: Any, encoder: Any) -> None:
    """Refuses a tokenizer without the marks that are needed, or with pieces beyond the encoder."""
    for mark in MARKS:
        if not isinstance(getattr(tokenizer, f"{mark}_id", None), int):
            raise ValueError(f"its tokenizer has no {mark}")
    check_pieces(tokenizer.get_vocab(), encoder.get_input_embeddings().weight.shape[0])


def check_window(window: int, encoder: Any) -> None:
    """Refuses windows that are longer than what the encoder can read, if it numbers its pieces."""
    positions = getattr(getattr(encoder, "embeddings", None), "position_embeddings", None)
    if positions is None or not hasattr(positions, "num_embeddings"):
        return
    # Some begin after the number of the padding.
    first = 0 if positions.padding_idx is None else positions.padding_idx + 1
    longest = positions.num_embeddings - first
    if window > longest:
        raise CorelaxError(f"window must be at most {longest} for this encoder, not {window}")
