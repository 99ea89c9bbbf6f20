"""Spans and antecedents of whole documents, long or many, in bounded memory.

The encoder reads a few windows at a time, of several short documents or of a part of a long one. Of each
window only the vectors of likely mentions are kept; antecedents are then looked for block by block. So
memory is a constant plus what the kept spans take, and time grows with the length of the text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from corelax.decode.arrays import Ints
from corelax.rankers.encoder.antecedents import Spans
from corelax.rankers.encoder.items import LEAST_LOGIT, Item, most_spans, owners, readings, runs
from corelax.rankers.encoder.memory import BLOCK, PIECES
from corelax.rankers.encoder.ranker import EncoderRanker
from corelax.rankers.encoder.scored import ScoredDocument, without_spans
from corelax.rankers.encoder.spans import to_device

# Spans of several documents that are linked at once.
TOGETHER = {"cpu": BLOCK, "cuda": 8192, "mps": 512}


@torch.inference_mode()
def score_documents(
    ranker: EncoderRanker,
    items: Sequence[Item],
    *,
    least: float = LEAST_LOGIT,
    pieces: int | None = None,
) -> list[ScoredDocument]:
    """The spans of each document and the scores of their antecedents.

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
) -> list[ScoredDocument]:
    rows = _Row(most_spans(items, ranker.settings.span_ratio))
    # What is known here a GPU need not be asked for: how many spans windows have, and their order.
    places: list[Ints] = []  # of each span: the number of its window
    for reading in readings(items, pieces):
        found = ranker.find(ranker.read(reading.windows, reading.schemes), least, reading.given)
        rows.add(found.spans)
        places.append(np.repeat(reading.places, found.kept.counts))
    if not places:
        return [without_spans() for _ in items]
    place = np.concatenate(places)
    owner = owners(items)[place]
    counts = np.bincount(owner, minlength=len(items))
    order = np.argsort(-counts, kind="stable")  # documents of like lengths beside each other
    rank = np.argsort(order, kind="stable")
    ordered = to_device(np.lexsort((place, rank[owner])), ranker.device)
    spans = Spans(*(tensor[:, ordered] for tensor in rows.spans))
    return _linked(ranker, spans, order.tolist(), counts.tolist(), [item.scheme for item in items])


def _linked(
    ranker: EncoderRanker, spans: Spans, order: list[int], counts: list[int], schemes: list[int]
) -> list[ScoredDocument]:
    """Antecedents of each document; documents of like lengths together.

    Args:
        ranker: As in `score_documents`.
        spans: [1, span] of all documents, in the given order.
        order: The numbers of the documents.
        counts: [document] how many spans each has.
        schemes: [document].
    """
    results: dict[int, ScoredDocument] = {}
    end = 0
    for batch in runs(order, [counts[at] for at in order], TOGETHER[ranker.device.type]):
        sizes = [counts[at] for at in batch]
        start, end = end, end + sum(sizes)
        scored = ranker.link(spans.part(start, end), sizes, [schemes[at] for at in batch])
        spans_of = scored.spans
        places = torch.stack([spans_of.start, spans_of.end, spans_of.head_word]).cpu().numpy()
        tensors = (spans_of.logit, scored.candidates.scores, scored.candidates.antecedents.int())
        columns = [*places, *(tensor.cpu().numpy() for tensor in tensors)]
        for row, at in enumerate(batch):
            results[at] = ScoredDocument(*(column[row, : counts[at]] for column in columns))
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
