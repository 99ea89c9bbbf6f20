"""Batches of what comes one by one, so that an error costs nothing that came before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from corelax.resolve.given import Given

Item = TypeVar("Item")


def batches_of(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of `size` items, the last perhaps shorter; what came before an error is given first.

    Args:
        items: Gone through only as far as is asked for.
        size: How many are together.

    >>> def numbers():
    ...     yield from (1, 2, 3)
    ...     raise KeyError("four")
    >>> from contextlib import suppress
    >>> with suppress(KeyError):
    ...     for batch in batches_of(numbers(), 2):
    ...         print(batch)
    [1, 2]
    [3]
    """
    batch: list[Item] = []
    try:
        for item in items:
            batch.append(item)
            if len(batch) == size:
                yield batch
                batch = []
    except Exception:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def up_to(texts: Iterator[Given], characters: int) -> Iterator[Given]:
    """The first texts, until they have that many characters; a document has its words.

    >>> rest = iter([("Ann", None), ("Bo", None), ("Cy", None)])
    >>> [text for text, _ in up_to(rest, 4)], [text for text, _ in rest]
    (['Ann', 'Bo'], ['Cy'])
    """
    size = 0
    while size < characters:
        try:
            text = next(texts)
        except StopIteration:
            return
        raw, _ = text
        size += len(raw) if isinstance(raw, str) else sum(map(len, raw.words))
        yield text
