"""Chains of links as arrays: the first mention of each mention's entity, and numbers of entities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corelax.core.errors import CorelaxError
from corelax.decode.arrays import Ints


def first_mentions(links: Sequence[int] | Ints) -> Ints:
    """[mention] the first mention of its entity, from the earlier mention that each is linked to or itself.

    Each round doubles how far all mentions have come along their chains.

    >>> first_mentions([0, 1, 0, 2, 1]).tolist()
    [0, 1, 0, 0, 1]
    """
    first: Ints = np.array(links, np.int64)
    if len(first) and not (first.min() >= 0 and (first <= np.arange(len(first))).all()):
        raise CorelaxError("a mention must be linked to an earlier one, or to itself")
    starts = first == np.arange(len(first))
    while not starts[first].all():
        first = first[first]
    return first


def entity_numbers(links: Sequence[int] | Ints) -> Ints:
    """[mention] the number of its entity, counted by first mentions; links as for `first_mentions`.

    >>> entity_numbers([0, 1, 0, 1]).tolist()
    [0, 1, 0, 1]
    """
    first = first_mentions(links)
    starts = first == np.arange(len(first))
    numbers: Ints = (starts.cumsum() - 1)[first]
    return numbers
