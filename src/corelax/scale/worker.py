"""What one worker does with one shard: reads its documents, resolves them, and returns its part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.core.files import TOO_DEEP, TOO_LARGE
from corelax.document import Document
from corelax.resolve.options import FileOptions
from corelax.scale.options import ShardOptions
from corelax.scale.parts import part_bytes
from corelax.scale.reading import Bad, read_piece
from corelax.scale.shards import Shard

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution

Resolve = Callable[[list[Document]], list["Resolution"]]


class Part(NamedTuple):
    """A shard that is resolved: its output, how many documents and words are in it, and what is not."""

    content: bytes
    documents: int
    words: int
    bad: tuple[Bad, ...]


def shard_resolver(
    options: FileOptions, sharding: ShardOptions, loading: Mapping[str, Any]
) -> Callable[[Shard], Part]:
    from corelax.resolve.resolver import Resolver

    resolver = Resolver.from_pretrained(options.model, **loading)
    if options.scheme is not None:  # or every document would be called bad
        check_choice("scheme", options.scheme, resolver.schemes)
    as_trained = resolver.model.training.get("config", {})
    chosen: dict[str, Any] = {
        "singletons": options.singletons or as_trained.get("singletons"),
        "scheme": options.scheme,
    }

    def resolve(documents: list[Document]) -> list[Resolution]:
        return list(resolver.pipe(documents, batch_size=len(documents), **chosen))

    def work_on(shard: Shard) -> Part:
        bad: list[Bad] = []
        documents: list[Document] = []
        for piece in shard:
            for document in read_piece(piece, options, sharding.column):
                (bad if isinstance(document, Bad) else documents).append(document)  # type: ignore[arg-type]
        resolutions = list(_resolved(documents, resolve, options.batch_size, bad))
        words = sum(len(resolution.document.words) for resolution in resolutions)
        content = part_bytes(resolutions, sharding.output)
        return Part(content, len(resolutions), words, tuple(bad))

    return work_on


def _resolved(
    documents: list[Document], resolve: Resolve, batch_size: int, bad: list[Bad]
) -> Iterator[Resolution]:
    """Resolutions in the order of the documents; those of a batch that fails are tried one by one."""
    for at in range(0, len(documents), batch_size):
        batch = documents[at : at + batch_size]
        try:
            yield from resolve(batch)
        except Exception as error:
            fault = _fault(error)
            if len(batch) > 1:
                yield from _resolved(batch, resolve, 1, bad)
            else:
                bad.append(Bad(batch[0].key, "", fault))


def _fault(error: Exception) -> str:
    """What is wrong with a document; other errors than those of documents are raised again."""
    if isinstance(error, CorelaxError):
        return str(error)
    if isinstance(error, RecursionError):
        return TOO_DEEP
    if isinstance(error, MemoryError) or "out of memory" in str(error).lower():
        return TOO_LARGE
    raise error
