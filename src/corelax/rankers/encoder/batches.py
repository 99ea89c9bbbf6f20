"""Spans and antecedents of whole documents, long or many, in bounded memory.

The encoder reads a few windows at a time, of several short documents or of a part of a long one. Of each
window only the vectors of likely mentions are kept; antecedents are then looked for block by block. So
memory is a constant plus what the kept spans take, and time grows with the length of the text.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from corelax.core.errors import CorelaxError
from corelax.rankers.encoder.antecedents import BLOCK, Candidates, Spans
from corelax.rankers.encoder.inputs import TextWindow
from corelax.rankers.encoder.ranker import EncoderRanker, Scored
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.words import Ints
from corelax.relax.membership import BLOCK as STEP

LEAST_LOGIT = -3.0  # spans that are less likely mentions (5 %) are dropped
PIECES = {"cpu": 1024, "cuda": 65536}  # read by the encoder at a time
ALLOCATOR = 1.25  # what it holds, against what is used
TOGETHER = {"cpu": BLOCK, "cuda": 16 * BLOCK}  # spans of several documents that are linked at once

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


@torch.inference_mode()
def score_documents(
    ranker: EncoderRanker,
    items: Sequence[Item],
    *,
    least: float = LEAST_LOGIT,
    pieces: int | None = None,
) -> list[Scored]:
    """The spans of each document and their antecedents; [1, span] each, on the CPU.

    A GPU computes in bfloat16.

    Args:
        ranker: In evaluation mode.
        items: The documents.
        least: Spans with a smaller mention logit are dropped.
        pieces: How many pieces the encoder reads at a time, or one window if that is longer; None depends on
            the device.
    """
    kind = ranker.device.type
    with torch.autocast(kind, dtype=torch.bfloat16, enabled=kind == "cuda"):
        return _scored(ranker, items, least, pieces or PIECES[kind])


def _scored(
    ranker: EncoderRanker, items: Sequence[Item], least: float, pieces: int
) -> list[Scored]:
    are_given = {item.given is not None for item in items} == {True}
    if not are_given and any(item.given is not None for item in items):
        raise CorelaxError("mentions must be given for all documents, or for none")
    places: list[Tensor] = []  # of each span: the number of its window
    every = [(number, item, w) for number, item in enumerate(items) for w in item.windows]
    rows = _Row(_most_spans(items, ranker.settings))
    # Windows of like lengths together, so that little is filled up.
    order = sorted(range(len(every)), key=lambda at: -len(every[at][2].pieces))
    for batch in _batches(order, [len(every[at][2].pieces) for at in order], pieces):
        chosen = [every[at] for at in batch]
        read = ranker.read([w for _, _, w in chosen], [item.scheme for _, item, _ in chosen])
        given = _given([(item.given, w) for _, item, w in chosen if item.given is not None])
        found = ranker.find(read, least, given if are_given else None)
        rows.add(found.spans)
        places.append(torch.tensor(batch, device=ranker.device)[found.kept.window])
    if not every:
        return [_nothing(ranker.settings) for _ in items]
    spans, place = rows.spans, torch.cat(places)
    ordered = place.argsort(stable=True)
    spans = Spans(*(tensor[:, ordered] for tensor in spans))
    owner = torch.tensor([number for number, _, _ in every], device=ranker.device)
    counts = owner[place].bincount(minlength=len(items)).tolist()
    return _linked(ranker, spans, counts, [item.scheme for item in items])


def _linked(
    ranker: EncoderRanker, spans: Spans, counts: list[int], schemes: list[int]
) -> list[Scored]:
    """Antecedents of each document; documents of like lengths together."""
    ends = list(accumulate(counts))
    results: dict[int, Scored] = {}
    order = sorted(range(len(counts)), key=lambda at: -counts[at])
    for batch in _batches(order, [counts[at] for at in order], TOGETHER[ranker.device.type]):
        together = _joined([spans.part(ends[at] - counts[at], ends[at]) for at in batch])
        scored = ranker.link(together, [counts[at] for at in batch], [schemes[at] for at in batch])
        # Vectors are the largest part and not needed any more.
        plain = scored.spans._replace(vectors=scored.spans.vectors[..., :0])
        columns, links = [t.cpu() for t in plain], [t.cpu() for t in scored.candidates]
        for row, at in enumerate(batch):
            size = counts[at]
            results[at] = Scored(
                Spans(*(tensor[row : row + 1, :size] for tensor in columns)),
                torch.tensor([size]),
                Candidates(*(tensor[row : row + 1, :size] for tensor in links)),
            )
    return [results[at] for at in range(len(counts))]


class _Row:
    """Spans in a row, in memory that is allocated at once: added one by one they would fragment it."""

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._tensors: list[Tensor] = []

    def add(self, spans: Spans) -> None:
        """Appends spans [1, span]."""
        if not self._tensors:
            self._tensors = [t.new_empty((1, self._most, *t.shape[2:])) for t in spans]
        end = self._size + spans.number.shape[1]
        for row, tensor in zip(self._tensors, spans, strict=True):
            row[:, self._size : end] = tensor
        self._size = end

    @property
    def spans(self) -> Spans:
        """[1, span] all of them."""
        return Spans(*self._tensors).part(0, self._size)


def _most_spans(items: Sequence[Item], settings: EncoderSettings) -> int:
    """The most spans that can be kept: a share of the words of each window, or those that are given."""
    return sum(
        math.ceil(window.size * settings.span_ratio) if item.given is None else len(item.given)
        for item in items
        for window in item.windows
    )


def _nothing(settings: EncoderSettings) -> Scored:
    """A document without words."""
    none = torch.zeros(1, 0, dtype=torch.long)
    vectors, logit = torch.zeros(1, 0, settings.span_size), torch.zeros(1, 0)
    numbers = dict.fromkeys(Spans._fields[2:-1], none)
    spans = Spans(vectors=vectors, logit=logit, **numbers, real=none.bool())
    return Scored(
        spans, torch.tensor([0]), Candidates(torch.zeros(1, 0, 1), none[..., None][..., :0])
    )


def _joined(rows: Sequence[Spans]) -> Spans:
    return Spans(*(torch.cat(tensors, 1) for tensors in zip(*rows, strict=True)))


def _batches(order: Sequence[int], sizes: Sequence[int], most: int) -> Iterator[list[int]]:
    """Runs of `order` whose sizes, filled up to the largest, are at most `most` together.

    >>> list(_batches([7, 8, 9], [5, 4, 1], 10))
    [[7, 8], [9]]
    """
    batch: list[int] = []
    largest = 0
    for item, size in zip(order, sizes, strict=True):
        if batch and max(largest, size) * (len(batch) + 1) > most:
            yield batch
            batch, largest = [], 0
        batch.append(item)
        largest = max(largest, size)
    if batch:
        yield batch


def _given(windows: Sequence[tuple[Given, TextWindow]]) -> Ints:
    """[span, 3] the given mentions that lie in each window: window, first word in it, width less one."""
    rows = []
    for row, (given, window) in enumerate(windows):
        beyond = window.first + window.size
        inside = given[bisect_left(given, (window.first, 0)) : bisect_left(given, (beyond, 0))]
        rows += [(row, s - window.first, e - s - 1) for s, e in inside if e <= beyond]
    return np.array(rows, np.int64).reshape(-1, 3)


def memory_bound(
    settings: EncoderSettings, *, size: int, heads: int, pieces: int, words: int
) -> int:
    """The most bytes that resolving a document takes, without the weights, if no mentions are given.

    Args:
        settings: The ranker's sizes and limits.
        size: The length of the encoder's vectors.
        heads: The number of attention heads of the encoder.
        pieces: How many word pieces the encoder reads at a time.
        words: The number of words of the document.
    """
    spans = int(words * settings.span_ratio) + 1
    # Per piece: attention and feed-forward in the encoder, then all spans of the scorer.
    per_piece = (
        4 * (16 * size + 3 * settings.window * heads)
        + 4 * 4 * settings.max_width * settings.hidden_size
    )
    pair = 4 * (2 * settings.span_size + 4 * settings.hidden_size)
    block = BLOCK * (settings.antecedents * pair + 4 * 8 * (settings.reach + BLOCK))
    # Per span: its vector and eleven numbers twice (in a row, in order), its candidates and their scores
    # twice (linked, on the CPU), their probabilities twice.
    per_candidate = 2 * (4 + 8) + 2 * 8
    per_span = 2 * (4 * settings.span_size + 11 * 8) + per_candidate * (settings.antecedents + 1)
    membership = 8 * (
        5 * STEP**2 + 3 * STEP * settings.reach
    )  # tables of a block and what it reaches
    per_word = 1000  # strings, offsets and windows, mentions in the result
    total = pieces * per_piece + block + membership + spans * per_span + words * per_word
    return int(ALLOCATOR * total)
