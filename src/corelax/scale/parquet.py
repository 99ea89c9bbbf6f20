"""Texts in Parquet files. The library `pyarrow` is loaded when one is met."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corelax.core.errors import CorelaxError, one_line
from corelax.io.jsonlines import NAME_FIELDS
from corelax.scale.places import open_place


class DamagedFile(CorelaxError):
    """A Parquet file, or a part of one, that cannot be read."""


def row_weights(path: str) -> list[tuple[int, int]]:
    """For each group of rows of a file: how many there are, and the bytes of one."""
    with _opened(path) as file:
        groups = (file.metadata.row_group(number) for number in range(file.num_row_groups))
        return [(g.num_rows, g.total_byte_size // max(1, g.num_rows)) for g in groups]


def read_rows(
    path: str, start: int, stop: int, column: str
) -> Iterator[tuple[int, str | None, Any]]:
    """Some rows of a file, one after the other: number, name if there is one, text."""
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


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with open_place(path) as raw:
        try:
            with pq.ParquetFile(raw) as file:
                yield file
        except (pa.ArrowException, OSError, ValueError) as error:
            line = one_line(next(iter(str(error).splitlines()), type(error).__name__), 120)
            raise DamagedFile(f"{path}: not a whole Parquet file ({line}); copy it again") from None
