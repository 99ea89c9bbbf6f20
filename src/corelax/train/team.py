"""The processes that train one model together.

The first one leads: it alone reads files, decides, writes, logs and tells errors. The others follow: they are
sent the documents and the weights, and do what the leader does (`follow`), each with its share of a step.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any, NoReturn

import torch
from torch import Tensor, nn
from torch import distributed as dist

from corelax.core.errors import CorelaxError
from corelax.core.exchange import LostWorker, reaching_workers
from corelax.relax.advice import trusted

BEGIN, END, FAIL = "begin", "end", "fail"
REPORT = "corelax/report"  # where a follower leaves its error
PATIENCE = timedelta(days=7)  # followers wait while the leader reads corpora or asks a teacher
BUCKET = 1 << 24  # gradients that are sent together


class FollowerEnded(CorelaxError):
    """A process that follows has nothing more to do, since training failed. The leader tells why."""


class Team:
    """The workers of a run, as one of them sees it.

    Args:
        rank: The number of this worker; 0 leads.
        size: How many there are.
        device: Where this worker computes.

    >>> Team().leads, Team(rank=1, size=2).leads
    (True, False)
    """

    def __init__(self, rank: int = 0, size: int = 1, device: str = "cpu") -> None:
        self.rank, self.size, self.device = rank, size, device
        self._control: Any = None

    @classmethod
    def of_group(cls, device: str) -> Team:
        """The team of the default process group, which all its processes ask for at the same time."""
        team = cls(dist.get_rank(), dist.get_world_size(), device)
        with reaching_workers():
            # What is said and counted goes by CPU, so that nobody has to wait for a GPU.
            team._control = dist.new_group(backend="gloo", timeout=PATIENCE)
        return team

    @property
    def leads(self) -> bool:
        """Whether this worker decides, and writes."""
        return self.rank == 0

    def call(self, method: str, *arguments: Any) -> None:
        """Lets the followers call a method of what they serve; does nothing if this is one of them."""
        if self.size > 1 and self.leads:
            self._broadcast((method, arguments))

    def receive(self) -> tuple[str, Sequence[Any]]:
        """What the leader wants next."""
        message: tuple[str, Sequence[Any]] = self._broadcast(None)
        return message

    def gather(self, value: Any) -> list[Any]:
        """The values of all workers, in their order."""
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        with reaching_workers():
            dist.all_gather_object(values, value, group=self._control)
        return values

    def add_gradients(self, weights: Iterable[nn.Parameter], loss: Tensor) -> Tensor:
        """Adds up the gradients of all workers, in place; the sum of their losses.

        A weight that no worker has a gradient for still has none afterwards, so that an optimiser leaves it
        alone. Not `DistributedDataParallel`: a worker may have no document in a step, and a part of the
        backward pass may be a recorded CUDA graph.

        Args:
            weights: The weights, the same on all workers.
            loss: This worker's part of the loss.
        """
        total = loss.detach().clone()
        if self.size == 1:
            return total
        weights = list(weights)
        used = torch.tensor([weight.grad is not None for weight in weights], dtype=torch.uint8)
        with reaching_workers():
            dist.all_reduce(used, dist.ReduceOp.MAX, group=self._control)
        sums = [total]
        for weight, is_used in zip(weights, used.tolist(), strict=True):
            if is_used:
                if weight.grad is None:
                    weight.grad = torch.zeros_like(weight)
                sums.append(weight.grad)
        for bucket in _buckets(sums):
            together = torch.cat([tensor.flatten() for tensor in bucket])
            with reaching_workers():
                dist.all_reduce(together)
            sizes = [tensor.numel() for tensor in bucket]
            parts = together.split(sizes)  # type: ignore[no-untyped-call]
            for tensor, part in zip(bucket, parts, strict=True):
                tensor.copy_(part.view_as(tensor))
        return total

    def report(self, message: str) -> None:
        """Leaves an error for the leader, who will find this worker gone."""
        store = dist.distributed_c10d._get_default_store()
        store.set(REPORT, f"worker {self.rank}: {message}")

    def reported(self) -> str | None:
        """The error that a follower has left, if there is one."""
        if self.size == 1:
            return None
        try:
            store = dist.distributed_c10d._get_default_store()
            return store.get(REPORT).decode() if store.check([REPORT]) else None
        except (RuntimeError, ValueError):  # the store went with the worker
            return None

    def _broadcast(self, message: Any) -> Any:
        box = [message]
        with reaching_workers():
            dist.broadcast_object_list(box, 0, group=self._control)
        return box[0]


ALONE = Team()


def follow(team: Team) -> Any:
    """Does what the leader says until training has ended; what the leader returns from it.

    The first message is the function that makes what is served; then come its methods.
    """
    served: Any = None
    try:
        while True:
            method, arguments = team.receive()
            if method == END:
                return arguments[0]
            if method == FAIL:
                raise FollowerEnded(arguments[0])
            with trusted():
                if method == BEGIN:
                    make: Callable[..., Any] = arguments[0]
                    served = make(*arguments[1:], team)
                else:
                    getattr(served, method)(*arguments)
    except LostWorker:
        raise FollowerEnded("another worker has ended") from None
    except torch.OutOfMemoryError:
        hint = getattr(served, "memory_hint", "use --device cpu")
        _leave(team, f"the GPU has too little memory; {hint}")
    except (FollowerEnded, KeyboardInterrupt):
        raise
    except CorelaxError as error:
        _leave(team, str(error))


def _leave(team: Team, message: str) -> NoReturn:
    team.report(message)
    raise FollowerEnded(message) from None


def is_follower() -> bool:
    """Whether torchrun has started this process as one that follows.

    >>> is_follower()
    False
    """
    rank, size = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
    return rank.isdecimal() and size.isdecimal() and int(rank) > 0 and int(size) > 1


def _buckets(tensors: Iterable[Tensor]) -> Iterator[list[Tensor]]:
    """Tensors of one kind in lists of at most `BUCKET` numbers, or of one tensor."""
    bucket: list[Tensor] = []
    for tensor in tensors:
        if bucket and sum(t.numel() for t in bucket) + tensor.numel() > BUCKET:
            yield bucket
            bucket = []
        bucket.append(tensor)
    yield bucket
