"""Documents through the network, several together: the one place where arrays span documents.

Memory is a constant and what the likely spans take, and time grows with the length of the text: the encoder
reads a few windows at a time, and antecedents are looked for block by block.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import repeat
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from corelax.core.errors import CorelaxError
from corelax.decode.arrays import Ints
from corelax.decode.calibration import UNCALIBRATED, Calibration
from corelax.decode.scored import Scored, without_spans
from corelax.rankers.encoder.inputs import TextWindow
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.span_table import SpanTable, likely_spans, span_table
from corelax.rankers.encoder.words import LAYERS

LEAST_LOGIT = -3.0  # spans that are less likely mentions (5 %) are dropped
AT_ONCE = 2  # calls of a network that multiplies bytes
# Of spans, in the order of their column; text and head are hashes, head_word is a place in the document.
PROPERTIES = ("start", "end", "sentence", "speaker", "turn", "person", "text", "head", "head_word")
NO_CALIBRATIONS: Mapping[str, Calibration] = MappingProxyType({})

_T = TypeVar("_T")
Given = Sequence[tuple[int, int]]
Vectors = NDArray[np.float32]


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


class WindowBatch(NamedTuple):
    """Windows that the encoder reads together, filled up to the longest, and their spans.

    Attributes:
        pieces: [window, piece] numbers of word pieces.
        lengths: [window] how many pieces are real.
        owners: [window, piece] the word that a piece is of, or −1.
        layers: [window, word, layer] properties of words (`words.LAYERS`), −1 beyond the window.
        first: [window] the first word in its document.
        schemes: [window] numbers of schemes.
        spans: All spans.
    """

    pieces: Ints
    lengths: Ints
    owners: Ints
    layers: Ints
    first: Ints
    schemes: Ints
    spans: SpanTable

    @property
    def shapes(self) -> Ints:
        """[window, word] how words are written."""
        shapes: Ints = self.layers[:, :, LAYERS.index("shape")]
        return shapes


class Network(Protocol):
    """A ranker's network, which torch, onnxruntime or kernels run: arrays in, arrays out."""

    least_at_once: int | None  # from how many batches on two calls at once are faster; None: never

    @property
    def settings(self) -> EncoderSettings:
        """Sizes and limits of the ranker."""

    @property
    def name(self) -> str:
        """What computes, and where."""

    @property
    def size(self) -> int:
        """The length of the encoder's vectors."""

    @property
    def heads(self) -> int:
        """The number of the encoder's attention heads."""

    @property
    def threads(self) -> int:
        """How many threads a call may compute with."""

    @property
    def pieces(self) -> int:
        """How many pieces the encoder reads at a time, or one window if that is longer."""

    @property
    def block(self) -> int:
        """How many spans are linked at a time."""

    def words(self, batch: WindowBatch, threads: int) -> tuple[Any, Vectors]:
        """Vectors of words, which only `spans` looks at, and [span] the logits of all spans."""

    def spans(self, words: Any, batch: WindowBatch, number: Ints) -> tuple[Vectors, Ints]:
        """[kept, size] vectors and [kept, property] `PROPERTIES` of some spans, by their numbers."""

    def links(
        self,
        vectors: Vectors,
        number: Ints,
        properties: Ints,
        scheme: int,
        rows: Ints,
        threads: int,
    ) -> tuple[Vectors, Ints]:
        """[row, 1 + candidate] scores of antecedents, and [row, candidate] numbers of spans.

        Args:
            vectors: [span, size] the spans of a block and those before it.
            number: [span] their numbers in the document.
            properties: [span, property].
            scheme: The number of the scheme.
            rows: [row] the places of the block.
            threads: How many threads may compute.
        """


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
    # Windows of like lengths are read together. Products of bytes are so short that the threads of one call
    # would mostly wait for each other: then two calls compute at once, in the same memory.
    pieces = pieces or network.pieces
    batches, at_once = list(batches_of(items, pieces)), 1
    if network.least_at_once and network.threads > 1 and settings.window * AT_ONCE <= pieces:
        smaller = list(batches_of(items, pieces // AT_ONCE))
        if len(smaller) >= network.least_at_once:
            batches, at_once = smaller, AT_ONCE
    every = [without_spans(settings.reach)] * len(items)
    if not batches:
        return every
    # The spans that are kept of all windows, then in the order of documents and text.
    kept = _each(at_once, network.threads, partial(_kept, network, least), batches)
    window, logit, vectors, properties = map(np.concatenate, zip(*kept, strict=True))
    order = window.argsort(kind="stable")
    logit, vectors, properties = logit[order], vectors[order], properties[order]
    owner = np.repeat(np.arange(len(items)), [len(item.windows) for item in items])
    counts = np.bincount(owner[window], minlength=len(items))
    ends = np.cumsum(counts)
    # Antecedents: short documents of a scheme are looked at as one, between which nothing is linked.
    groups = list(_groups([item.scheme for item in items], counts, network.block))

    def linked(threads: int, group: slice) -> tuple[Vectors, Ints]:
        at = slice(ends[group.start] - counts[group.start], ends[group.stop - 1])
        row = vectors[at], properties[at], counts[group]
        return _linked(network, items[group.start].scheme, *row, threads)

    results = _each(at_once, network.threads, linked, groups)
    for group, (scores, antecedents) in zip(groups, results, strict=True):
        first = ends[group.start] - counts[group.start]
        for number in range(group.start, group.stop):
            at = slice(ends[number] - counts[number], ends[number])
            inside = slice(at.start - first, at.stop - first)
            of_spans = dict(zip(PROPERTIES, properties[at].T, strict=True))
            every[number] = Scored(
                start=of_spans["start"],
                end=of_spans["end"],
                head=of_spans["head_word"],
                logit=logit[at],
                scores=scores[inside],
                antecedents=antecedents[inside],
                reach=settings.reach,
                calibration=calibrations.get(settings.schemes[items[number].scheme], UNCALIBRATED),
            )
    return every


class Reading(NamedTuple):
    """A few windows that are read together.

    Attributes:
        places: [window] their numbers among the windows of all documents.
        windows: What is read.
        schemes: [window] numbers of schemes.
        given: [span, 3] given mentions: window, first word in it, width less one; None: they are looked for.
    """

    places: Ints
    windows: list[TextWindow]
    schemes: list[int]
    given: Ints | None


def batches_of(items: Sequence[Item], pieces: int) -> Iterator[Reading]:
    """The windows of all documents; those of like lengths together, so that little is filled up."""
    if len({item.given is None for item in items}) > 1:
        raise CorelaxError("mentions must be given for all documents, or for none")
    every = [(item, window) for item in items for window in item.windows]
    order = sorted(range(len(every)), key=lambda at: -len(every[at][1].pieces))
    for places in runs(order, [len(every[at][1].pieces) for at in order], pieces):
        chosen = [every[at] for at in places]
        given = [
            (row, start - window.first, end - start - 1)
            for row, (item, window) in enumerate(chosen)
            for start, end in _inside(item.given or (), window)
        ]
        yield Reading(
            np.array(places),
            [window for _, window in chosen],
            [item.scheme for item, _ in chosen],
            None if items[0].given is None else np.array(given, np.int64).reshape(-1, 3),
        )


def window_batch(
    windows: Sequence[TextWindow], schemes: Sequence[int], max_width: int
) -> WindowBatch:
    """Windows as arrays, with all spans of at most `max_width` words."""
    sentences = [window.layers[:, LAYERS.index("sentence")] for window in windows]
    return WindowBatch(
        pieces=filled([window.pieces for window in windows], 0),
        lengths=np.array([len(window.pieces) for window in windows]),
        owners=filled([window.owners for window in windows], -1),
        layers=filled([window.layers for window in windows], -1),
        first=np.array([window.first for window in windows]),
        schemes=np.array(schemes, np.int64),
        spans=span_table(sentences, max_width),
    )


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


def filled(rows: Sequence[Ints], value: int) -> Ints:
    """[row, longest, ...] rows of different lengths, filled up.

    >>> filled([np.array([1, 2]), np.array([3])], -1).tolist()
    [[1, 2], [3, -1]]
    """
    table = np.full((len(rows), max(map(len, rows)), *rows[0].shape[1:]), value, np.int64)
    for line, row in zip(table, rows, strict=True):
        line[: len(row)] = row
    return table


def _inside(given: Given, window: TextWindow) -> Given:
    """The given mentions that lie in a window."""
    beyond = window.first + window.size
    near = given[bisect_left(given, (window.first, 0)) : bisect_left(given, (beyond, 0))]
    return [span for span in near if span[1] <= beyond]


def _kept(
    network: Network, least: float, threads: int, reading: Reading
) -> tuple[Ints, Vectors, Vectors, Ints]:
    """[kept] the places of their windows, logits, vectors and properties of likely spans."""
    settings = network.settings
    batch = window_batch(reading.windows, reading.schemes, settings.max_width)
    words, logits = network.words(batch, threads)
    if reading.given is None:
        number = likely_spans(logits, batch.spans, settings.span_ratio, least)
    else:
        number = batch.spans.numbers(reading.given)
    if len(number):
        vectors, properties = network.spans(words, batch, number)
    else:
        vectors = np.zeros((0, settings.span_size), np.float32)
        properties = np.zeros((0, len(PROPERTIES)), np.int64)
    return reading.places[batch.spans.window[number]], logits[number], vectors, properties


def _groups(schemes: Sequence[int], counts: Ints, block: int) -> Iterator[slice]:
    """Runs of documents of one scheme whose spans fit into one block; a longer document is one by itself.

    >>> list(_groups([0, 0, 0, 1], np.array([100, 20, 9, 5]), 128))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    first = 0
    for at in range(1, len(counts) + 1):
        is_over = at == len(counts) or schemes[at] != schemes[first]
        if is_over or counts[first : at + 1].sum() > block:
            yield slice(first, at)
            first = at


def _linked(
    network: Network, scheme: int, vectors: Vectors, properties: Ints, counts: Ints, threads: int
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
            threads,
        )
        scores[start:end, : links.shape[1]] = links
        antecedents[start:end, : candidates.shape[1]] = candidates
    first = np.repeat(np.cumsum(counts) - counts, counts)
    antecedents = np.where(scores[:, 1:] > -np.inf, antecedents - (apart + first)[:, None], 0)
    if (antecedents < 0).any() or (antecedents >= np.repeat(counts, counts)[:, None]).any():
        raise CorelaxError("the graphs reach farther than config.json says; export them again")
    return scores, antecedents


def _each(
    at_once: int, threads: int, function: Callable[[int, Any], _T], arguments: Sequence[Any]
) -> list[_T]:
    """Results of a function that is told its share of the threads; several may be computed at once."""
    count = min(at_once, len(arguments))
    share = repeat(max(1, threads // count))
    if count == 1:
        return list(map(function, share, arguments))
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(function, share, arguments))
