"""Arrays on their way to a GPU and back, without waiting for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from corelax.decode.arrays import Ints
from corelax.rankers.encoder.items import fill, filled, filled_shape


def to_device(array: NDArray[Any], device: torch.device) -> Tensor:
    """An array as a tensor on a device. A GPU copies it when it comes to it, and nobody waits for that.

    >>> import numpy as np
    >>> to_device(np.array([1, 2]), torch.device("cpu"))
    tensor([1, 2])
    """
    tensor = torch.from_numpy(array)
    if device.type == "cuda":
        tensor = tensor.pin_memory()  # else the copy would wait for what was computed before
    return tensor.to(device, non_blocking=True)


def filled_on(rows: Sequence[Ints], value: int, device: torch.device) -> Tensor:
    """[row, longest, ...] rows of different lengths, filled up, on a device.

    For a GPU they are laid out where it copies from: one copy less, in memory that is used again.
    """
    if device.type != "cuda":
        return to_device(filled(rows, value), device)
    table = torch.empty(filled_shape(rows), dtype=torch.long, pin_memory=True)
    fill(table.numpy(), rows, value)
    return table.to(device, non_blocking=True)


class Arriving:
    """Tensors whose values are copied from a GPU once it has computed them.

    Args:
        tensors: All on one device; those of a CPU are there at once.

    >>> [array.tolist() for array in Arriving(torch.tensor([1, 2])).arrays()]
    [[1, 2]]
    """

    def __init__(self, *tensors: Tensor) -> None:
        device = tensors[0].device
        is_gpu = device.type == "cuda"
        # Into memory from which, and to which, a GPU copies while others compute.
        self._copies = [tensor.to("cpu", non_blocking=is_gpu) for tensor in tensors]
        self._copied = torch.cuda.Event() if is_gpu else None  # type: ignore[no-untyped-call]
        if self._copied is not None:
            # The stream of their GPU, which need not be the current one.
            self._copied.record(torch.cuda.current_stream(device))

    def arrays(self) -> list[NDArray[Any]]:
        """The values, as soon as they are there; nothing is waited for that was asked of the GPU later."""
        if self._copied is not None:
            self._copied.synchronize()
        return [copy.numpy() for copy in self._copies]
