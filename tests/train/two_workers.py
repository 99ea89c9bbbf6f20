"""Functions that two workers call at the same time, as if torchrun had started them."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from typing import Any

import torch

from corelax.train.workers import joined

Call = tuple[Callable[..., Any], tuple[Any, ...]]
SECONDS = 120


def on_both(calls: Sequence[Call]) -> list[list[Any]]:
    """What each of some functions of modules returns on both workers; it is given the workers first."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = get_context("spawn")
    results = context.Queue()
    arguments = [(rank, port, calls, results) for rank in (0, 1)]
    processes = [context.Process(target=_work, args=args, daemon=True) for args in arguments]
    for process in processes:
        process.start()
    by_rank = dict(results.get(timeout=SECONDS) for _ in processes)
    for process in processes:
        process.join(SECONDS)
    return [list(pair) for pair in zip(by_rank[0], by_rank[1], strict=True)]


def _work(rank: int, port: int, calls: Sequence[Call], results: Any) -> None:
    local = {"LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": 2, "RANK": rank, "WORLD_SIZE": 2}
    names = {**local, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    os.environ |= {name: str(value) for name, value in names.items()}
    torch.set_num_threads(1)
    with joined("cpu") as workers:
        results.put((rank, [function(workers, *arguments) for function, arguments in calls]))
