"""What one worker does with one shard: reads its documents, resolves them, and returns its part.

A part has rows `doc_id`, `text`, `mentions`, `entities`, or is an annotated file.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.core.files import TOO_DEEP, TOO_LARGE
from corelax.core.printable import json_text
from corelax.document import Document
from corelax.io import FORMATS
from corelax.resolve.options import FileOptions
from corelax.scale.options import PARQUET, ROWS, ShardOptions
from corelax.scale.reading import Bad, read_piece
from corelax.scale.shards import Shard

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution

Resolve = Callable[[list[Document]], list["Resolution"]]
SUFFIXES = {
    ROWS: ".jsonl",
    PARQUET: ".parquet",
    "conll2012": ".conll",
    "corefud": ".conllu",
    "ua": ".conllua",
    "jsonlines": ".jsonl",
}
_COLUMNS = (
    "start end text entity antecedent probability link_probability entity_probability".split()
)


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


def row_of(resolution: Resolution) -> dict[str, Any]:
    """A row: characters of the text, and numbers of mentions and entities in their lists.

    >>> from corelax.document import Document
    >>> from corelax.resolve.resolution import resolution_of
    >>> row_of(resolution_of(Document(id="d", words=("Hello",)), []))
    {'doc_id': 'd', 'text': 'Hello', 'mentions': [], 'entities': []}
    """
    record = resolution.as_dict()
    return {
        "doc_id": record["id"],
        "text": record["text"],
        "mentions": [{name: m[name] for name in _COLUMNS} for m in record["mentions"]],
        "entities": [
            {
                "name": entity["representative"],
                "probability": entity["probability"],
                "mentions": [mention["id"] for mention in entity["mentions"]],
            }
            for entity in record["entities"]
        ],
    }


def part_bytes(resolutions: Sequence[Resolution], kind: str) -> bytes:
    if kind == PARQUET:
        return _parquet([row_of(resolution) for resolution in resolutions])
    if kind == ROWS:
        lines = (json_text(row_of(resolution)) + "\n" for resolution in resolutions)
    else:
        write = FORMATS[kind].write
        lines = (write(resolution.document) for resolution in resolutions)
    return "".join(lines).encode()


def _parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = {"start": pa.int32(), "end": pa.int32()}
    shares = dict.fromkeys(("probability", "link_probability", "entity_probability"), pa.float64())
    mention = {**place, "text": pa.string(), "entity": pa.int32(), "antecedent": pa.int32()}
    entity = {"name": pa.string(), "probability": pa.float64(), "mentions": pa.list_(pa.int32())}
    schema = pa.schema(
        {
            "doc_id": pa.string(),
            "text": pa.string(),
            "mentions": pa.list_(pa.struct({**mention, **shares})),
            "entities": pa.list_(pa.struct(entity)),
        }
    )
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), buffer)
    return buffer.getvalue()
