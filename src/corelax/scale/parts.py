"""The output of a shard: rows `doc_id`, `text`, `mentions`, `entities`, or annotated documents."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corelax.core.printable import json_text
from corelax.io import FORMATS
from corelax.scale.options import PARQUET, ROWS

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution

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
