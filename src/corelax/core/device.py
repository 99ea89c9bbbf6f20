"""Where tensors live."""

from __future__ import annotations

import torch

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError


def choose_device(device: str) -> str:
    """`auto` is a GPU if there is one.

    >>> choose_device("cpu")
    'cpu'
    """
    check_choice("device", device, ("auto", "cpu", "cuda"))
    has_gpu = torch.cuda.is_available()
    if device == "cuda" and not has_gpu:
        raise CorelaxError("device cuda: there is no GPU that torch can use")
    return ("cuda" if has_gpu else "cpu") if device == "auto" else device
