"""A resolution as a row of a table: `doc_id`, `text`, `mentions`, `entities`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from corelax.core.printable import json_text
from corelax.io import FORMATS, format_for
from corelax.scale.parquet import parquet_bytes

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution

ROWS, PARQUET = "rows", "parquet"
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


def part_suffix(kind: str) -> str:
    """How the names of parts end.

    >>> part_suffix("rows"), part_suffix("corefud")
    ('.jsonl', '.conllu')
    """
    suffixes = {ROWS: ".jsonl", PARQUET: ".parquet", "conll2012": ".conll", "corefud": ".conllu"}
    return suffixes.get(kind) or {"ua": ".conllua", "jsonlines": ".jsonl"}[format_for("", kind)]


def part_bytes(resolutions: Sequence[Resolution], kind: str) -> bytes:
    """The contents of a part.

    Args:
        resolutions: Those of a shard.
        kind: "rows" for lines of JSON, "parquet", or a name from `corelax.io.FORMATS`.
    """
    if kind == PARQUET:
        return parquet_bytes([row_of(resolution) for resolution in resolutions])
    if kind == ROWS:
        lines = (json_text(row_of(resolution)) + "\n" for resolution in resolutions)
    else:
        write = FORMATS[kind].write
        lines = (write(resolution.document) for resolution in resolutions)
    return "".join(lines).encode()
