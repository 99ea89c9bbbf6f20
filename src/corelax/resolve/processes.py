"""Documents resolved in several processes, each with a model of its own, in the order of the input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from corelax.core.device import available_threads
from corelax.core.workers import map_in_processes
from corelax.document import Document
from corelax.resolve.batching import batches_of
from corelax.resolve.resolution import Resolution


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
    batches = batches_of(documents, batch_size)
    arguments = (model, {**loading, "threads": each}, dict(options))
    results = map_in_processes(batches, jobs, batch_resolver, arguments, in_order=True)
    for _, resolutions in results:
        yield from resolutions


def batch_resolver(
    model: str | Path | None, loading: Mapping[str, Any], options: Mapping[str, Any]
) -> Callable[[Sequence[Document]], list[Resolution]]:
    """What resolves a batch of documents together, with a model that is loaded now."""
    from corelax.resolve.resolver import Resolver

    resolver = Resolver.from_pretrained(model, **loading)

    def resolve(documents: Sequence[Document]) -> list[Resolution]:
        return list(resolver.pipe(documents, batch_size=len(documents), workers=0, **options))

    return resolve
