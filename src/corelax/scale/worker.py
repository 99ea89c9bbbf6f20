"""What one worker does with one shard: reads its documents, resolves them, and returns its part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.core.files import TOO_DEEP, TOO_LARGE
from corelax.document import Document
from corelax.resolve.batching import batches_of
from corelax.resolve.mentions import chosen_singletons
from corelax.scale.pieces import Shard
from corelax.scale.reading import Bad, Reading, read_piece
from corelax.scale.rows import part_bytes

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution


class Part(NamedTuple):
    """A shard that is resolved.

    Attributes:
        content: The bytes of its output.
        documents: How many documents are in it.
        words: How many words they have.
        bad: The documents that are not in it.
    """

    content: bytes
    documents: int
    words: int
    bad: tuple[Bad, ...]


class Work(NamedTuple):
    """How shards are resolved.

    Attributes:
        model: As in `Resolver.from_pretrained`.
        loading: Other arguments of `Resolver.from_pretrained`.
        singletons: "drop" or "keep"; None is as in training.
        scheme: The annotation scheme; None is the first of the model.
        batch_size: How many documents are resolved together.
        output: "rows", "parquet", or a name from `corelax.io.FORMATS`.
        reading: How files are read.
    """

    model: str | None
    loading: Mapping[str, Any]
    singletons: str | None
    scheme: str | None
    batch_size: int
    output: str
    reading: Reading


def shard_resolver(work: Work) -> Callable[[Shard], Part]:
    """What resolves shards, with a model that is loaded now."""
    from corelax.resolve.resolver import Resolver

    resolver = Resolver.from_pretrained(work.model, **work.loading)
    if work.scheme is not None:  # or every document would be called bad
        check_choice("scheme", work.scheme, resolver.schemes)
    singletons = chosen_singletons(work.singletons, resolver.model.training)

    def resolve(documents: list[Document]) -> list[Resolution]:
        resolutions = resolver.pipe(
            documents,
            batch_size=len(documents),
            singletons=singletons,
            scheme=work.scheme,
            workers=0,
        )
        return list(resolutions)

    def work_on(shard: Shard) -> Part:
        bad: list[Bad] = []
        documents = _good(shard, work.reading, bad)
        resolutions = list(_resolved(documents, resolve, work.batch_size, bad))
        words = sum(len(resolution.document.words) for resolution in resolutions)
        return Part(part_bytes(resolutions, work.output), len(resolutions), words, tuple(bad))

    return work_on


def _good(shard: Shard, how: Reading, bad: list[Bad]) -> Iterator[Document]:
    """The documents that could be read; the others are put aside."""
    for piece in shard:
        for document in read_piece(piece, how):
            if isinstance(document, Bad):
                bad.append(document)
            else:
                yield document


def _resolved(
    documents: Iterable[Document],
    resolve: Callable[[list[Document]], list[Resolution]],
    batch_size: int,
    bad: list[Bad],
) -> Iterator[Resolution]:
    """Resolutions in the order of the documents; those of a batch that fails are tried one by one."""
    for batch in batches_of(documents, batch_size):
        try:
            yield from resolve(batch)
        except Exception as error:
            if _fault(error) is None:
                raise
            for document in batch:
                yield from _alone(document, resolve, bad)


def _alone(
    document: Document, resolve: Callable[[list[Document]], list[Resolution]], bad: list[Bad]
) -> Iterator[Resolution]:
    try:
        yield from resolve([document])
    except Exception as error:
        if (fault := _fault(error)) is None:
            raise
        bad.append(Bad(document.key, "", fault))


def _fault(error: Exception) -> str | None:
    """What is wrong with a document, if it is the document that an error comes from."""
    if isinstance(error, CorelaxError):
        return str(error)
    if isinstance(error, RecursionError):
        return TOO_DEEP
    if isinstance(error, MemoryError) or "out of memory" in str(error).lower():
        return TOO_LARGE
    return None
