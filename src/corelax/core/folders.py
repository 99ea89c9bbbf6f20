"""Files of model folders, which anybody may have written: regular, bounded, with a digest of the weights.

Weights are complete, finite and of their shapes, or they are refused. Shapes are compared before a network
is built, so that settings cannot ask for more memory than the file of weights has.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corelax.core.errors import MAX_MESSAGE, CorelaxError, one_line
from corelax.core.files import explain, file_digest, parse_json, write_bytes, write_text

if TYPE_CHECKING:
    from torch import Tensor, nn

CONFIG, WEIGHTS = "config.json", "model.safetensors"
DIGEST = "weights_sha256"  # the key in config.json
MOST_CONFIG = 1 << 24  # bytes of config.json, whose usual size is 2^12
MOST_WORDS = 1 << 28  # bytes of a vocabulary or tokenizer; large ones have 2^25
Shapes = Mapping[str, tuple[int, ...]]


def check_regular(path: Path, at_most: int | None = None) -> None:
    """An error if a file is a directory, pipe or device, which could be read for ever, or is too large.

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


def read_model_config(folder: Path) -> Any:
    """What `config.json` of a model folder says, whichever ranker it is of; a ValueError if it is no JSON.

    >>> read_model_config(Path("nowhere"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: nowhere/config.json: no such file
    """
    return parse_json(read_regular(folder / CONFIG, MOST_CONFIG))


def with_digest(folder: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """The contents of `config.json` with the digest of the weights that lie beside it.

    A model whose training is not finished gets none: its weights are written anew after every epoch.
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
    """The digest of weights; an error if `config.json` wants another one than that, or None.

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


def save_weights(path: Path, weights: Mapping[str, Tensor], owners: Mapping[str, str]) -> None:
    """Writes tensors, with digests of what they belong to, such as {"vocabulary": "0a1b"}."""
    from safetensors.torch import save

    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    write_bytes(path, save(contiguous, dict(owners)))


def load_weights(path: Path, owners: Mapping[str, str]) -> dict[str, Tensor]:
    """Reads tensors; an error if the file is damaged or belongs to other owners than these.

    >>> from tempfile import TemporaryDirectory
    >>> import torch
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "weights.safetensors"
    ...     save_weights(path, {"bias": torch.zeros(2)}, {"vocabulary": "0a1b"})
    ...     load_weights(path, {"vocabulary": "0a1b"})
    {'bias': tensor([0., 0.])}
    """
    if not path.exists():
        raise CorelaxError(f"{path}: no such file; copy or train it again")
    with _opened(path) as file:
        saved_for = file.metadata() or {}
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    for owner, digest in owners.items():
        if saved_for.get(owner, digest) != digest:
            raise CorelaxError(f"{path}: does not belong to the {owner} beside it")
    return weights


def stored_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor in a file, of which only the header is read.

    >>> stored_shapes(Path("nowhere"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: nowhere: no such file; a model folder has it
    """
    if not path.exists():
        raise CorelaxError(f"{path}: no such file; a model folder has it")
    with _opened(path) as file:
        return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    from safetensors import SafetensorError, safe_open

    check_regular(path)
    try:
        with safe_open(path, framework="pt") as file:
            yield file
    except (SafetensorError, OSError) as error:
        raise CorelaxError(f"{path}: not whole ({error}); copy or train it again") from None


def check_shapes(network: nn.Module, shapes: Shapes, path: Path) -> None:
    """An error that names the first weight of a network that is missing or of another shape.

    The network may be on the device "meta", where it takes no memory.

    >>> from torch import nn
    >>> check_shapes(nn.Linear(2, 1), {"weight": (1, 3)}, Path("model.safetensors"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: model.safetensors: weight is [1, 3], but the model needs [1, 2]
    """
    for name, weight in network.state_dict().items():
        if name not in shapes:
            raise CorelaxError(f"{path}: {name} is missing")
        if tuple(shapes[name]) != tuple(weight.shape):
            given, needed = list(shapes[name]), list(weight.shape)
            raise CorelaxError(f"{path}: {name} is {given}, but the model needs {needed}")


def set_weights(network: nn.Module, weights: Mapping[str, Tensor], path: Path) -> None:
    """Gives a network its weights, or an error that names what does not fit.

    >>> import torch
    >>> from torch import nn
    >>> weights = {"weight": torch.tensor([[torch.nan]]), "bias": torch.zeros(1)}
    >>> set_weights(nn.Linear(1, 1), weights, Path("model.safetensors"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: model.safetensors: weight holds values that are not finite; ...
    """
    check_shapes(network, {name: tuple(tensor.shape) for name, tensor in weights.items()}, path)
    wanted = network.state_dict()
    for name, weight in wanted.items():
        if weights[name].is_floating_point() != weight.is_floating_point():
            raise CorelaxError(f"{path}: {name} is of {weights[name].dtype}, not {weight.dtype}")
        if not _is_finite(weights[name]):
            raise CorelaxError(
                f"{path}: {name} holds values that are not finite; copy or train it again"
            )
    network.load_state_dict({name: weights[name] for name in wanted})


def _is_finite(tensor: Tensor) -> bool:
    """Whether a tensor holds neither NaN nor infinity. Its extremes tell, and take no memory."""
    return tensor.numel() == 0 or all(bool(extreme.isfinite()) for extreme in tensor.aminmax())
