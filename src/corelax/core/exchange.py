"""Sums over the workers of torch.distributed, and the error when one of them is lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor
from torch import distributed as dist

from corelax.core.errors import CorelaxError


class LostWorker(CorelaxError):
    """A worker has ended, or cannot be reached any more."""

    def __init__(self, message: str = "a worker was lost") -> None:
        super().__init__(message)


@contextmanager
def reaching_workers() -> Iterator[None]:
    """Turns errors of torch.distributed, each of which means that a worker is gone, into `LostWorker`.

    >>> with reaching_workers():
    ...     raise RuntimeError("[pair.cc:537] Connection closed by peer [127.0.0.1]:11491")
    Traceback (most recent call last):
        ...
    corelax.core.exchange.LostWorker: a worker was lost
    """
    try:
        yield
    except torch.OutOfMemoryError:
        raise
    except RuntimeError as error:
        raise LostWorker from error


def sum_over_workers(tensor: Tensor) -> Tensor:
    """The sum of a tensor over all workers; the tensor itself where torch.distributed is not in use.

    Every worker computes the same loss L from the sum S. The gradient of a worker's own tensor is W · ∂L/∂S,
    with W workers, so that the mean of the workers' gradients, which `DistributedDataParallel` takes, is
    that of L. Nothing is sent in the backward pass.

    >>> sum_over_workers(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    if not (dist.is_available() and dist.is_initialized()):
        return tensor
    own = tensor.detach()
    total = own.clone()
    with reaching_workers():
        dist.all_reduce(total)
    return total + dist.get_world_size() * (tensor - own)
