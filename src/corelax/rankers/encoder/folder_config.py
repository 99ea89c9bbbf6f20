"""`config.json` of an encoder ranker: settings, calibrations, how it was trained. Needs no torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.core.files import write_text
from corelax.core.folders import CONFIG, read_model_config
from corelax.decode.calibration import Calibration
from corelax.rankers.encoder.settings import EncoderSettings

ENCODER = "encoder"  # the folder with the encoder's own settings and its tokenizer
FORMAT = "corelax encoder ranker 2"
SPARSE = "corelax sparse ranker"  # how the formats of the other kind of ranker begin
MARKS = ("cls_token", "sep_token", "unk_token")


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
    """Writes `config.json` as a whole."""
    plain = {name: calibration.as_dict() for name, calibration in calibrations.items()}
    content = {**content, "calibration": plain} if plain else content
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def settings_of(given: Mapping[str, Any]) -> EncoderSettings:
    """Settings from JSON, where tuples are lists."""
    options: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    return EncoderSettings(**options)


def calibrations_of(
    given: Mapping[str, Mapping[str, Any]], settings: EncoderSettings
) -> dict[str, Calibration]:
    """Calibrations from JSON; folders of before have none."""
    return {
        check_choice("calibration", scheme, settings.schemes): Calibration.from_dict(content)
        for scheme, content in given.items()
    }


def check_pieces(vocabulary: Mapping[str, int], rows: int) -> None:
    """Refuses a tokenizer with pieces that the encoder does not know.

    Args:
        vocabulary: The number of each piece.
        rows: How many pieces the encoder knows.

    >>> check_pieces({"a": 7}, 5)
    Traceback (most recent call last):
        ...
    ValueError: its tokenizer numbers 'a' 7, but the encoder knows 5 pieces
    """
    piece, number = max(vocabulary.items(), key=lambda item: item[1], default=("", -1))
    if not 0 <= number < rows:
        raise ValueError(
            f"its tokenizer numbers {piece!r} {number}, but the encoder knows {rows} pieces"
        )
