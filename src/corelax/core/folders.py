"""Files of model folders, which anybody may have written: regular, bounded, with a digest of the weights."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corelax.core.errors import MAX_MESSAGE, CorelaxError, one_line
from corelax.core.files import explain, file_digest, write_text

CONFIG, WEIGHTS = "config.json", "model.safetensors"
DIGEST = "weights_sha256"  # the key in config.json
MOST_CONFIG = 1 << 24  # bytes of config.json, whose usual size is 2^12
MOST_WORDS = 1 << 28  # bytes of a vocabulary or tokenizer; large ones have 2^25


def check_regular(path: Path, at_most: int | None = None) -> None:
    """An error if a file is a directory, pipe or device, which could be read for ever, or is too large.

    Args:
        path: A file, or a link to one.
        at_most: The largest number of bytes.

    >>> check_regular(Path("docs"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: docs: must be a regular file
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise CorelaxError(f"{path}: {explain(error)}") from None
    if not path.is_file():
        raise CorelaxError(f"{path}: must be a regular file")
    if at_most is not None and size > at_most:
        raise CorelaxError(f"{path}: has {size:,} bytes; at most {at_most:,} can be right")


def read_regular(path: Path, at_most: int | None = None) -> bytes:
    """The bytes of a regular file of bounded size.

    >>> read_regular(Path("README.md"), at_most=3)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: README.md: has ... bytes; at most 3 can be right
    """
    check_regular(path, at_most)
    try:
        return path.read_bytes()
    except OSError as error:
        raise CorelaxError(f"{path}: {explain(error)}") from None


def parse_json(text: str | bytes) -> Any:
    """What JSON says.

    Raises:
        ValueError: It is not JSON, or it is nested deeper than any file of a model.

    >>> parse_json("[" * 200_000)
    Traceback (most recent call last):
        ...
    ValueError: nested too deeply
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_model_config(folder: Path) -> Any:
    """What `config.json` of a model folder says, whichever ranker it is of.

    Raises:
        ValueError: The file is not JSON.

    >>> read_model_config(Path("nowhere"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: nowhere/config.json: no such file
    """
    return parse_json(read_regular(folder / CONFIG, MOST_CONFIG))


def with_digest(folder: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """The contents of `config.json` with the digest of the weights that lie beside it.

    A model whose training is not finished gets none: its weights are written anew after every epoch.

    Args:
        folder: The model folder.
        content: What `config.json` is to say, with what is known of the training under "training".
    """
    plain = {key: value for key, value in content.items() if key != DIGEST}
    training = content.get("training")
    is_finished = not isinstance(training, Mapping) or training.get("finished", True)
    if not is_finished or not (folder / WEIGHTS).is_file():
        return plain
    return {**plain, DIGEST: file_digest(folder / WEIGHTS)}


def record_digest(folder: str | os.PathLike[str]) -> str:
    """Writes the digest of the weights of a finished model into its `config.json`; returns it.

    For weights that were written by other means than `corelax train`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name:
    ...     _ = Path(name, "config.json").write_text("{}")
    ...     _ = Path(name, "model.safetensors").write_bytes(b"weights")
    ...     digest = record_digest(name)
    ...     read_model_config(Path(name)) == {"weights_sha256": digest}
    True
    """
    folder = Path(folder)
    content = with_digest(folder, read_model_config(folder))
    write_text(folder / CONFIG, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return str(content.get(DIGEST, ""))


def check_digest(path: Path, weights: bytes, wanted: object) -> str:
    """The digest of weights; an error if `config.json` names another one.

    Args:
        path: The file that the weights are in.
        weights: Its bytes.
        wanted: What `config.json` says; None in folders that have no digest.

    >>> check_digest(Path("model.safetensors"), b"", "0a1b")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: model.safetensors: not the weights that config.json was ...
    """
    digest = hashlib.sha256(weights).hexdigest()
    if wanted is not None and wanted != digest:
        raise CorelaxError(
            f"{path}: not the weights that {CONFIG} was written for; copy or train it again"
        )
    return digest


def check_training(training: Any) -> dict[str, Any]:
    """What `config.json` says of the training: a table, with a table of settings in it if there are any.

    >>> check_training({"config": 3})
    Traceback (most recent call last):
        ...
    ValueError: training is not a table of settings
    """
    if isinstance(training, dict) and isinstance(training.get("config", {}), dict):
        return training
    raise ValueError("training is not a table of settings")


@contextmanager
def blaming(folder: Path) -> Iterator[None]:
    """Errors while a model is loaded, which libraries raise in any kind, as one line that names the folder.

    >>> with blaming(Path("runs/lea")):
    ...     {}["settings"]
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: runs/lea: not a whole model ('settings' is missing); copy ...
    """
    try:
        yield
    except MemoryError:
        raise CorelaxError(f"{folder}: not enough memory to load it") from None
    except Exception as error:
        line = first_line(error)
        if isinstance(error, CorelaxError) and line.startswith(str(folder)):
            raise
        raise CorelaxError(
            f"{folder}: not a whole model ({line}); copy or train it again"
        ) from None


def first_line(error: Exception) -> str:
    """The beginning of what an error says, or at least its kind.

    >>> first_line(ValueError("wrong\\nat line 3")), first_line(OSError())
    ('wrong', 'OSError')
    """
    lines = str(error).strip().splitlines() or [type(error).__name__]
    line = f"{lines[0]} is missing" if isinstance(error, KeyError) else lines[0]
    return line if isinstance(error, CorelaxError) else one_line(line, MAX_MESSAGE)
