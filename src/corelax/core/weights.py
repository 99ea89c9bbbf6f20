"""Weights in a file, with digests of what they belong to; and from there into a network.

Weights are complete, finite and of their shapes, or they are refused. Shapes are compared before a network
is built, so that settings cannot ask for more memory than the file of weights has.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from corelax.core.errors import CorelaxError
from corelax.core.files import write_bytes
from corelax.core.folders import check_regular

Shapes = Mapping[str, tuple[int, ...]]


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
    if path.exists():
        check_regular(path)
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


def stored_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor in a file, of which only the header is read.

    >>> stored_shapes(Path("nowhere"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: nowhere: no such file; a model folder has it
    """
    if not path.exists():
        raise CorelaxError(f"{path}: no such file; a model folder has it")
    check_regular(path)
    try:
        with safe_open(path, framework="pt") as file:
            names = file.keys()
            return {name: tuple(file.get_slice(name).get_shape()) for name in names}
    except (SafetensorError, OSError) as error:
        raise CorelaxError(f"{path}: not whole ({error}); copy or train it again") from None


def check_shapes(network: nn.Module, shapes: Shapes, path: Path) -> None:
    """An error that names the first weight of a network that is missing or of another shape.

    Args:
        network: May be on the device "meta", where it takes no memory.
        shapes: The shape of each weight that there is.
        path: Where the weights are.

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
        if not is_finite(weights[name]):
            raise CorelaxError(
                f"{path}: {name} holds values that are not finite; copy or train it again"
            )
    network.load_state_dict({name: weights[name] for name in wanted})


def is_finite(tensor: Tensor) -> bool:
    """Whether a tensor holds neither NaN nor infinity. Its extremes tell, and take no memory.

    >>> is_finite(torch.tensor([1.0, torch.nan])), is_finite(torch.tensor([1.0])), is_finite(torch.ones(0))
    (False, True, True)
    """
    return tensor.numel() == 0 or bool(torch.stack(tensor.aminmax()).isfinite().all())
