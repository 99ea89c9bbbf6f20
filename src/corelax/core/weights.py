"""Weights in a file, with digests of what they belong to; and from there into a network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from corelax.core.errors import CorelaxError
from corelax.core.files import write_bytes


def save_weights(path: Path, weights: Mapping[str, Tensor], owners: Mapping[str, str]) -> None:
    """Writes tensors.

    Args:
        path: The file, replaced as a whole.
        weights: The tensors by name.
        owners: Digests of what the weights belong to, by its name, such as {"vocabulary": "0a1b"}.
    """
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
    try:
        with safe_open(path, framework="pt") as file:
            saved_for = file.metadata() or {}
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise CorelaxError(f"{path}: no such file; copy or train it again") from None
    except (SafetensorError, OSError) as error:
        raise CorelaxError(f"{path}: not whole ({error}); copy or train it again") from None
    for owner, digest in owners.items():
        if saved_for.get(owner, digest) != digest:
            raise CorelaxError(f"{path}: does not belong to the {owner} beside it")
    return weights


def set_weights(network: nn.Module, weights: Mapping[str, Tensor], path: Path) -> None:
    """Gives a network its weights, or an error that names what does not fit.

    >>> import torch
    >>> set_weights(nn.Linear(2, 1), {"weight": torch.zeros(1, 3)}, Path("model.safetensors"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: model.safetensors: weight is [1, 3], but the model needs [1, 2]
    """
    wanted = network.state_dict()
    for name, weight in wanted.items():
        if name not in weights:
            raise CorelaxError(f"{path}: {name} is missing")
        if weights[name].shape != weight.shape:
            given, needed = list(weights[name].shape), list(weight.shape)
            raise CorelaxError(f"{path}: {name} is {given}, but the model needs {needed}")
    network.load_state_dict({name: weights[name] for name in wanted})
