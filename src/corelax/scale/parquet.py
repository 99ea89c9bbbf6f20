"""Parquet: texts in, resolutions out. The library `pyarrow` is loaded when a Parquet file is met."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from corelax.core.errors import CorelaxError, one_line
from corelax.io.jsonlines import NAME_FIELDS
from corelax.scale.places import open_place

TEXT = "text"


class DamagedFile(CorelaxError):
    """A Parquet file, or a part of one, that cannot be read."""


def row_weights(path: str) -> list[tuple[int, int]]:
    """For each group of rows of a file: how many there are, and the bytes of one."""
    with _opened(path) as file:
        groups = (file.metadata.row_group(number) for number in range(file.num_row_groups))
        return [(g.num_rows, g.total_byte_size // max(1, g.num_rows)) for g in groups]


def read_rows(
    path: str, start: int, stop: int, column: str = TEXT
) -> Iterator[tuple[int, str | None, Any]]:
    """Some rows of a file, one after the other: number, name if there is one, text.

    Args:
        path: The file.
        start: The first row.
        stop: One past the last.
        column: Where the texts are.
    """
    with _opened(path) as file:
        names = file.schema_arrow.names
        if column not in names:
            raise CorelaxError(
                f"{path}: no column {column!r}; it has {', '.join(names)} (--column NAME)"
            )
        name = next((field for field in NAME_FIELDS if field in names and field != column), None)
        columns = [column] if name is None else [name, column]
        first = 0
        for number in range(file.num_row_groups):
            rows = file.metadata.row_group(number).num_rows
            if first < stop and first + rows > start:
                group = file.read_row_group(number, columns=columns)
                low, high = max(start, first), min(stop, first + rows)
                part = group.slice(low - first, high - low).to_pydict()
                given = part[name] if name is not None else [None] * (high - low)
                keys = (None if key is None else str(key) for key in given)
                yield from zip(range(low, high), keys, part[column], strict=True)
            first += rows


def parquet_bytes(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows of resolutions as a Parquet file."""
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


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    """A Parquet file; an error in one line if it is none, or is damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with open_place(path) as raw:
        try:
            with pq.ParquetFile(raw) as file:
                yield file
        except (pa.ArrowException, OSError, ValueError) as error:
            line = one_line(next(iter(str(error).splitlines()), type(error).__name__), 120)
            raise DamagedFile(f"{path}: not a whole Parquet file ({line}); copy it again") from None
