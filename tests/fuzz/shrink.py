"""Smaller cases: what is left when pieces are taken out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence


def smaller_bytes(case: bytes) -> Iterator[bytes]:
    """Without some of the lines, then without some of the bytes: halves first, single ones last.

    >>> list(smaller_bytes(b"ab"))
    [b'b', b'a']
    """
    yield from (b"".join(lines) for lines in _without_some(case.splitlines(keepends=True)))
    yield from _without_some(case)  # type: ignore[misc]


def smaller_fields(case: bytes) -> Iterator[bytes]:
    """A JSON object without one of its fields.

    >>> list(smaller_fields(b'{"a": 1, "b": 2}'))
    [b'{"b": 2}', b'{"a": 1}']
    """
    fields = json.loads(case)
    for name in fields:
        yield json.dumps({key: value for key, value in fields.items() if key != name}).encode()


def _without_some(items: Sequence[object]) -> Iterator[Sequence[object]]:
    size = len(items) // 2
    while size:
        for start in range(0, len(items), size):
            yield items[:start] + items[start + size :]  # type: ignore[operator]
        size //= 2
