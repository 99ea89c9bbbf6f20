"""Documents resolved in several processes, each with a model of its own, in the order of the input."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corelax.core.device import available_threads
from corelax.core.workers import work_for
from corelax.document import Document
from corelax.resolve.batching import batches_of
from corelax.resolve.resolution import Resolution

if TYPE_CHECKING:
    from corelax.resolve.resolver import Resolver

AHEAD = 2  # batches that wait for each process

_resolver: Resolver | None = None  # of a process that was started here


def resolve_in_processes(
    documents: Iterable[Document],
    jobs: int,
    *,
    model: str | Path | None,
    batch_size: int,
    threads: int | None = None,
    loading: Mapping[str, str],
    options: Mapping[str, Any],
) -> Iterator[Resolution]:
    """The entities of documents, in their order; what is resolved together is so in one process.

    Args:
        documents: Gone through a few batches ahead of what is resolved.
        jobs: The number of processes.
        model: As in `Resolver.from_pretrained`.
        batch_size: How many documents a process gets at a time.
        threads: Of each process; None shares out the cores.
        loading: Other arguments of `Resolver.from_pretrained`.
        options: Arguments of `Resolver.pipe`.
    """
    each = threads or max(1, available_threads() // jobs)
    pool = ProcessPoolExecutor(
        jobs,
        mp_context=get_context("spawn"),  # a fork would copy threads that do not run
        initializer=_load,
        initargs=(os.getpid(), model, {**loading, "threads": each}),
    )
    waiting: deque[Future[list[Resolution]]] = deque()
    try:
        for batch in batches_of(documents, batch_size):
            waiting.append(pool.submit(_resolve, batch, options))
            if len(waiting) > AHEAD * jobs:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _load(parent: int, model: str | Path | None, loading: Mapping[str, Any]) -> None:
    work_for(parent)
    from corelax.resolve.resolver import Resolver

    global _resolver
    _resolver = Resolver.from_pretrained(model, **loading)


def _resolve(documents: Sequence[Document], options: Mapping[str, Any]) -> list[Resolution]:
    if _resolver is None:
        raise RuntimeError("the process has no model")
    return list(_resolver.pipe(documents, batch_size=len(documents), **options))
