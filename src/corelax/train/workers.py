"""Processes that torchrun has started, which train one model together.

All read the same files and take the same steps, each with its part of a step's documents; only gradients are
sent. The first one alone writes, logs and shows progress.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch import distributed as dist
from torch.distributed import PrefixStore  # type: ignore[attr-defined]
from torch.distributed.rendezvous import rendezvous

from corelax.core.device import choose_device
from corelax.core.errors import CorelaxError
from corelax.core.exchange import LostWorker, reaching_workers

PATIENCE = timedelta(days=7)  # the others wait while the first one scores and writes
GRACE = 10.0  # seconds in which the first worker can report an error that all of them meet
RESUMED = "finished epochs are kept: the same command with --resume continues"


class Workers(NamedTuple):
    """The processes that train together, as one of them sees them.

    Attributes:
        rank: The number of this one; 0 writes.
        size: How many there are.
        device: Where this one computes.
    """

    rank: int = 0
    size: int = 1
    device: str = "cpu"

    @property
    def leads(self) -> bool:
        """Whether this one writes and reports."""
        return self.rank == 0

    def gather(self, value: Any = None) -> list[Any]:
        """The values of all workers in their order, once all have given theirs."""
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        with reaching_workers():
            dist.all_gather_object(values, value)
        return values

    def add_gradients(self, weights: Iterable[nn.Parameter], loss: Tensor) -> Tensor:
        """Adds up the gradients of all workers, in place; the sum of their losses.

        A weight that no worker has a gradient for still has none afterwards, so that an optimiser leaves it
        alone. Not `DistributedDataParallel`: a worker may have no document in a step.
        """
        total = loss.detach().clone()
        if self.size == 1:
            return total
        weights = list(weights)
        used = torch.tensor([weight.grad is not None for weight in weights], dtype=torch.uint8)
        with reaching_workers():
            dist.all_reduce(used, dist.ReduceOp.MAX)
        sums = [total]
        for weight, is_used in zip(weights, used.tolist(), strict=True):
            if is_used:
                weight.grad = torch.zeros_like(weight) if weight.grad is None else weight.grad
                sums.append(weight.grad)
        together = torch.cat([tensor.flatten() for tensor in sums])
        with reaching_workers():
            dist.all_reduce(together)
        parts = together.split([tensor.numel() for tensor in sums])  # type: ignore[no-untyped-call]
        for tensor, part in zip(sums, parts, strict=True):
            tensor.copy_(part.view_as(tensor))
        return total


ALONE = Workers()


@contextmanager
def joined(device: str = "auto") -> Iterator[Workers]:
    """The workers that this process trains with, itself among them.

    Args:
        device: "cpu", "cuda" (each worker of a machine has its own GPU), "cuda:0" (they share it), or "auto".

    >>> with joined("cpu") as workers:
    ...     workers.size
    1
    """
    rank, size = rank_and_size()
    if size == 1:
        yield Workers(device=choose_device(device))
        return
    try:
        name = _own_device(device)
        # NCCL refuses workers that share a GPU.
        backend = "cpu:gloo,cuda:nccl" if name == "cuda" else "gloo"
        with reaching_workers():
            store, *numbers = next(rendezvous("env://"))
            # What lost workers have left in the store is of no use to those that are started anew.
            store = PrefixStore(f"corelax/{_restarts()}", store)
            dist.init_process_group(
                backend, timeout=PATIENCE, store=store, rank=numbers[0], world_size=numbers[1]
            )
        yield Workers(rank, size, name)
    except CorelaxError as error:
        if rank:
            # The first worker meets most errors too: torchrun ends this one when it has reported them.
            time.sleep(GRACE)
            raise CorelaxError(f"worker {rank}: {error}") from None
        if isinstance(error, LostWorker):
            raise LostWorker(f"{error}; {RESUMED}") from None
        raise
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def rank_and_size() -> tuple[int, int]:
    """The number of this process among those that torchrun has started, and how many these are.

    >>> rank_and_size()
    (0, 1)
    """
    rank, size = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
    if not (rank.isdecimal() and size.isdecimal() and "MASTER_ADDR" in os.environ):
        return 0, 1
    return int(rank), int(size)


def was_restarted() -> bool:
    """Whether torchrun has started this worker once more, after one was lost."""
    return _restarts() != "0"


def _restarts() -> str:
    return os.environ.get("TORCHELASTIC_RESTART_COUNT") or "0"


def _own_device(device: str) -> str:
    name = choose_device(device)
    if name == "mps":
        raise CorelaxError("device mps: an Apple GPU has one worker; use --device cpu for several")
    if name == "cuda":
        here, gpus = int(os.environ["LOCAL_WORLD_SIZE"]), torch.cuda.device_count()
        if here > gpus:
            raise CorelaxError(
                f"{here} workers and {gpus} GPUs; start {gpus}, or share one with --device cuda:0"
            )
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    elif name.startswith("cuda"):
        torch.cuda.set_device(name)
    return name
