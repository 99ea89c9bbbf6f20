"""Spans and antecedents of whole documents, long or many, in bounded memory.

The encoder reads a few windows at a time, of several short documents or of a part of a long one. Of each
window only the vectors of likely mentions are kept; antecedents are then looked for block by block. So
memory is a constant plus what the kept spans take, and time grows with the length of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from corelax.decode.arrays import Ints
from corelax.decode.scored import Scored, without_spans
from corelax.rankers.encoder.antecedents import Spans
from corelax.rankers.encoder.cudnn import without_cudnn
from corelax.rankers.encoder.items import (
    LEAST_LOGIT,
    Item,
    Reading,
    most_spans,
    owners,
    readings,
    runs,
)
from corelax.rankers.encoder.memory import BLOCK, PIECES
from corelax.rankers.encoder.ranker import EncoderRanker, Linked, Looked
from corelax.rankers.encoder.transfers import Arriving, to_device

# Spans of several documents that are linked at once.
TOGETHER = {"cpu": BLOCK, "cuda": 8192, "mps": 512}


def score_documents(
    ranker: EncoderRanker,
    items: Sequence[Item],
    *,
    least: float = LEAST_LOGIT,
    pieces: int | None = None,
) -> list[Scored]:
    """The spans of each document and the scores of their antecedents.

    A GPU computes in bfloat16.

    Args:
        ranker: In evaluation mode.
        items: The documents.
        least: Spans with a smaller mention logit are dropped.
        pieces: How many pieces the encoder reads at a time, or one window if that is longer; None depends on
            the device.
    """
    scoring = Scoring(ranker, items, least=least, pieces=pieces)
    scoring.link()
    return scoring.results()


class Scoring:
    """Documents on their way through the network. Between the steps a GPU computes, and the caller is free:

        Scoring()    the encoder is started, and looks for likely mentions
        link()       waits for them; the search for their antecedents is started
        results()    waits for that

    Arguments as for `score_documents`.
    """

    def __init__(
        self,
        ranker: EncoderRanker,
        items: Sequence[Item],
        *,
        least: float = LEAST_LOGIT,
        pieces: int | None = None,
    ) -> None:
        self._ranker, self._items = ranker, items
        self._row = _Row(most_spans(items, ranker.settings.span_ratio))
        # What is known here a GPU need not be asked for: how many spans windows have, and their order.
        self._places: list[Ints] = []  # of each span: the number of its window
        self._looked: list[tuple[Reading, Looked]] = []
        self._linked: list[tuple[list[int], Arriving]] = []
        kind = ranker.device.type
        ahead = kind == "cuda"  # it computes on one reading while the spans of another are sent
        with _computing(kind):
            for reading in readings(items, pieces or PIECES[kind]):
                looked = ranker.look(
                    ranker.read(reading.windows, reading.schemes), least, reading.given
                )
                self._looked.append((reading, looked))
                self._keep(all_but=int(ahead))

    def _keep(self, all_but: int = 0) -> None:
        """Vectors of the spans that are kept, of all readings but the last few."""
        while len(self._looked) > all_but:
            reading, looked = self._looked.pop(0)
            found = self._ranker.keep(looked)
            self._row.add(found.spans)
            self._places.append(np.repeat(reading.places, found.kept.counts))

    def link(self) -> None:
        """Antecedents of each document; documents of like lengths together."""
        ranker, items = self._ranker, self._items
        with _computing(ranker.device.type):
            self._keep()
            if not self._places:
                return
            place = np.concatenate(self._places)
            owner = owners(items)[place]
            counts = self._counts = np.bincount(owner, minlength=len(items))
            # Documents of like lengths beside each other.
            order = np.argsort(-counts, kind="stable")
            rank = np.argsort(order, kind="stable")
            ordered = to_device(np.lexsort((place, rank[owner])), ranker.device)
            spans = Spans(*(tensor[:, ordered] for tensor in self._row.take()))
            end = 0
            for batch in runs(order.tolist(), counts[order].tolist(), TOGETHER[ranker.device.type]):
                start, end = end, end + int(counts[batch].sum())
                scored = ranker.link(
                    spans.part(start, end),
                    counts[batch].tolist(),
                    [items[at].scheme for at in batch],
                )
                self._linked.append((batch, _leaving(scored)))

    def results(self) -> list[Scored]:
        """The spans of each document and the scores of their antecedents."""
        documents: dict[int, Scored] = {}
        for batch, arriving in self._linked:
            places, *columns = arriving.arrays()
            for row, (at, count) in enumerate(
                zip(batch, self._counts[batch].tolist(), strict=True)
            ):
                every = (*places[:, row], *(column[row] for column in columns))
                documents[at] = Scored(  # type: ignore[misc]
                    *(column[:count] for column in every), reach=self._ranker.settings.reach
                )
        every_number, reach = range(len(self._items)), self._ranker.settings.reach
        return [documents[at] if at in documents else without_spans(reach) for at in every_number]


def store_as_computed(ranker: EncoderRanker) -> None:
    """Keeps the weights of matrix products in the two bytes in which a GPU multiplies them.

    What `Scoring` computes stays as it is: else every call would convert them again. Not for models that are
    trained or saved.
    """
    for part in ranker.modules():
        if isinstance(part, nn.Linear):
            part.to(torch.bfloat16)


@contextmanager
def _computing(kind: str) -> Iterator[None]:
    """How a kind of device computes where nothing is trained."""
    is_gpu = kind == "cuda"
    with torch.inference_mode(), torch.autocast(kind, torch.bfloat16, enabled=is_gpu):
        if not is_gpu:
            yield
            return
        with without_cudnn:
            yield


def _leaving(scored: Linked) -> Arriving:
    """What is needed of spans and antecedents, on its way to the CPU."""
    spans = scored.spans
    return Arriving(
        torch.stack([spans.start, spans.end, spans.head_word]),
        spans.logit,
        scored.candidates.scores,
        scored.candidates.antecedents.int(),
    )


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

    def take(self) -> Spans:
        """[1, span] all of them, which are kept here no longer."""
        spans = Spans(*self._tensors).part(0, self._size)
        self._tensors = []
        return spans
