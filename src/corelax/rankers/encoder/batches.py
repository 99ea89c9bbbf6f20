"""Documents through the network, several together: the one place where arrays span documents.

Memory is a constant and what the likely spans take, and time grows with the length of the text: the encoder
reads a few windows at a time, and antecedents are looked for block by block.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from corelax.core.errors import CorelaxError
from corelax.decode.arrays import Ints
from corelax.decode.calibration import UNCALIBRATED, Calibration
from corelax.decode.scored import Scored, without_spans
from corelax.rankers.encoder.inputs import TextWindow
from corelax.rankers.encoder.network import PROPERTIES, Network, Vectors, window_batch
from corelax.rankers.encoder.places import likely_spans

LEAST_LOGIT = -3.0  # spans that are less likely mentions (5 %) are dropped
NO_CALIBRATIONS: Mapping[str, Calibration] = MappingProxyType({})

Given = Sequence[tuple[int, int]]


class Item(NamedTuple):
    """A document to be scored.

    Attributes:
        windows: What the encoder reads.
        scheme: The number of the scheme.
        given: The mentions in order, as (first word, one past the last), if they are known.
    """

    windows: tuple[TextWindow, ...]
    scheme: int
    given: Given | None = None


def score_documents(
    network: Network,
    items: Sequence[Item],
    *,
    least: float = LEAST_LOGIT,
    pieces: int | None = None,
    calibrations: Mapping[str, Calibration] = NO_CALIBRATIONS,
) -> list[Scored]:
    """The likely mentions of each document and the scores of their antecedents.

    Args:
        network: What computes.
        items: The documents.
        least: Spans with a smaller mention logit are dropped.
        pieces: How many pieces the encoder reads at a time; None is the network's number.
        calibrations: The calibration of each scheme that has one.
    """
    settings = network.settings
    if len({item.given is None for item in items}) > 1:
        raise CorelaxError("mentions must be given for all documents, or for none")
    every = [(item, window) for item in items for window in item.windows]
    if not every:
        return [without_spans(settings.reach)] * len(items)
    # Windows of like lengths are read together. Of each batch the likely spans are kept; then all of them
    # are put in the order of the text.
    sizes = [len(window.pieces) for _, window in every]
    longest_first = sorted(range(len(sizes)), key=lambda at: -sizes[at])
    kept = [
        _kept(network, np.array(batch), [every[at] for at in batch], least)
        for batch in runs(
            longest_first, [sizes[at] for at in longest_first], pieces or network.pieces
        )
    ]
    window, logit, vectors, properties = map(np.concatenate, zip(*kept, strict=True))
    order = window.argsort(kind="stable")
    logit, vectors, properties = logit[order], vectors[order], properties[order]

    # Antecedents: short documents of a scheme are looked at as one, between which nothing is linked.
    owner = np.repeat(np.arange(len(items)), [len(item.windows) for item in items])
    counts = np.bincount(owner[window], minlength=len(items))
    ends = np.cumsum(counts)

    results = []
    for group in _groups([item.scheme for item in items], counts, network.block):
        first = ends[group[0]] - counts[group[0]]
        row = slice(first, ends[group[-1]])
        scheme = items[group[0]].scheme
        sizes_of_group = counts[group[0] : group[-1] + 1]
        scores, antecedents = _linked(
            network, scheme, vectors[row], properties[row], sizes_of_group
        )
        calibration = calibrations.get(settings.schemes[scheme], UNCALIBRATED)
        for number in group:
            at = slice(ends[number] - counts[number], ends[number])
            start, end, *_, head = properties[at].T
            inside = slice(at.start - first, at.stop - first)
            scored = logit[at], scores[inside], antecedents[inside]
            results.append(Scored(start, end, head, *scored, settings.reach, calibration))
    return results


def runs(order: Sequence[int], sizes: Sequence[int], most: int) -> Iterator[list[int]]:
    """Runs of `order` whose sizes, filled up to the largest, are at most `most` together.

    >>> list(runs([7, 8, 9], [5, 4, 1], 10))
    [[7, 8], [9]]
    """
    run: list[int] = []
    largest = 0
    for item, size in zip(order, sizes, strict=True):
        if run and max(largest, size) * (len(run) + 1) > most:
            yield run
            run, largest = [], 0
        run.append(item)
        largest = max(largest, size)
    if run:
        yield run


class _Kept(NamedTuple):
    """[span] the window, logit, vector and properties of the spans that are kept of a batch."""

    window: Ints
    logit: Vectors
    vectors: Vectors
    properties: Ints


def _kept(
    network: Network, places: Ints, chosen: Sequence[tuple[Item, TextWindow]], least: float
) -> _Kept:
    settings = network.settings
    schemes = [item.scheme for item, _ in chosen]
    batch = window_batch([window for _, window in chosen], schemes, settings.max_width)
    words, logits = network.words(batch)
    if chosen[0][0].given is None:
        number = likely_spans(logits, batch.spans, settings.span_ratio, least)
    else:
        given = [
            (row, start - window.first, end - start - 1)
            for row, (item, window) in enumerate(chosen)
            for start, end in _inside(item.given or (), window)
        ]
        number = batch.spans.numbers(np.array(given, np.int64).reshape(-1, 3))
    if len(number):
        vectors, properties = network.spans(words, batch, number)
    else:
        vectors = np.zeros((0, settings.span_size), np.float32)
        properties = np.zeros((0, len(PROPERTIES)), np.int64)
    return _Kept(places[batch.spans.window[number]], logits[number], vectors, properties)


def _inside(given: Given, window: TextWindow) -> Given:
    beyond = window.first + window.size
    near = given[bisect_left(given, (window.first, 0)) : bisect_left(given, (beyond, 0))]
    return [span for span in near if span[1] <= beyond]


def _groups(schemes: Sequence[int], counts: Ints, block: int) -> Iterator[range]:
    """Runs of documents of one scheme whose spans fit into one block; a longer document is one by itself.

    >>> list(_groups([0, 0, 0, 1], np.array([100, 20, 9, 5]), 128))
    [range(0, 2), range(2, 3), range(3, 4)]
    """
    first = 0
    for at in range(1, len(counts) + 1):
        is_over = at == len(counts) or schemes[at] != schemes[first]
        if is_over or counts[first : at + 1].sum() > block:
            yield range(first, at)
            first = at


def _linked(
    network: Network, scheme: int, vectors: Vectors, properties: Ints, counts: Ints
) -> tuple[Vectors, Ints]:
    """[span, 1 + candidate] scores, and [span, candidate] antecedents by their numbers in each document."""
    reach, size = network.settings.reach, len(vectors)
    most = min(network.settings.antecedents, size)
    scores = np.full((size, 1 + most), -np.inf, np.float32)
    antecedents = np.zeros((size, most), np.int64)
    # Spans of different documents have numbers so far apart that none reaches those of another.
    apart = np.repeat(np.arange(len(counts)), counts) * reach
    number = np.arange(size) + apart
    for start in range(
        0, size, network.block
    ):  # a block at a time, with the spans that it can reach
        begin, end = max(0, start - reach), min(start + network.block, size)
        links, candidates = network.links(
            vectors[begin:end],
            number[begin:end],
            properties[begin:end],
            scheme,
            np.arange(start - begin, end - begin),
        )
        scores[start:end, : links.shape[1]] = links
        antecedents[start:end, : candidates.shape[1]] = candidates
    first = np.repeat(np.cumsum(counts) - counts, counts)
    antecedents = np.where(scores[:, 1:] > -np.inf, antecedents - (apart + first)[:, None], 0)
    if (antecedents < 0).any() or (antecedents >= np.repeat(counts, counts)[:, None]).any():
        raise CorelaxError("the graphs reach farther than config.json says; export them again")
    return scores, antecedents
