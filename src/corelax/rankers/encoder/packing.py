"""Weights as they are stored: four bytes each, two, or one with a scale for each row of a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from corelax.core.errors import CorelaxError
from corelax.core.files import write_bytes
from corelax.core.folders import check_digest, read_regular

PRECISIONS = ("int8", "half", "full")
SCALE = ".scale"


def write_packed(path: Path, weights: Mapping[str, Tensor], precision: str) -> None:
    """Writes weights as a whole file; `precision` is one of `PRECISIONS`."""
    write_bytes(path, save(packed(weights, precision)))


def packed(weights: Mapping[str, Tensor], precision: str) -> dict[str, Tensor]:
    """Weights as they are stored.

    In bytes, each row of a matrix has a scale s, its largest weight / 127, and a weight is s times a whole
    number; what is no matrix is stored in two bytes.

    >>> small = packed({"w": torch.tensor([[1.27, -0.01], [0.0, 0.5]])}, "int8")
    >>> small["w"].tolist(), [round(s, 3) for s in small["w.scale"].tolist()]
    ([[127, -1], [0, 127]], [0.01, 0.004])
    """
    result: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        weight = tensor.detach().float().cpu().contiguous()
        if precision == "int8" and weight.ndim == 2:
            scale = weight.abs().amax(1).clamp(min=1e-12) / 127
            result[name] = (weight / scale[:, None]).round().to(torch.int8)
            result[name + SCALE] = scale
        else:
            result[name] = weight if precision == "full" else weight.half()
    return result


def unpacked(stored: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights as the network takes them.

    Raises:
        ValueError: A matrix in bytes is without its scales, or scales are without their matrix.

    >>> weights = {"w": torch.randn(4, 8), "b": torch.randn(4)}
    >>> back = unpacked(packed(weights, "int8"))
    >>> bool((back["w"] - weights["w"]).abs().max() < weights["w"].abs().max() / 250)
    True
    >>> unpacked({"w": torch.ones(4, 8, dtype=torch.int8)})
    Traceback (most recent call last):
        ...
    ValueError: w is in bytes, without its scales
    """
    weights: dict[str, Tensor] = {}
    for name, tensor in stored.items():
        scale = stored.get(name + SCALE)
        if name.endswith(SCALE):
            if name.removesuffix(SCALE) not in stored:
                raise ValueError(f"{name} is without its weights")
        elif tensor.dtype == torch.int8:
            if scale is None:
                raise ValueError(f"{name} is in bytes, without its scales")
            if tensor.ndim != 2 or scale.shape != tensor.shape[:1]:
                shapes = f"{list(scale.shape)} for {list(tensor.shape)}"
                raise ValueError(f"{name}{SCALE} does not fit: {shapes}")
            weights[name] = tensor.float().mul_(scale.float()[:, None])
        elif scale is not None or not tensor.is_floating_point():
            raise ValueError(f"{name} is of {tensor.dtype}, which is no way to store weights")
        else:
            weights[name] = tensor.float()
    return weights


def read_weights(path: Path, digest: object = None) -> dict[str, Tensor]:
    """The weights in a file, as the network takes them.

    Args:
        path: The file.
        digest: What `config.json` says of it; None if nothing.

    >>> read_weights(Path("nowhere"))
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: nowhere: no such file
    """
    content = read_regular(path)
    try:
        weights = unpacked(load(content))
    except (SafetensorError, ValueError, KeyError, IndexError, RuntimeError) as error:
        raise CorelaxError(f"{path}: not whole ({error}); copy or train it again") from None
    check_digest(path, content, digest)  # after what can be said in more detail
    return weights
