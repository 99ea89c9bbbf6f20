"""Texts resolved with helpers: other processes do what is done around the network while it computes.

    helpers   cut, windows of batch k + 1      decisions of batch k − 1
    network                     scores of batch k

What goes between processes are texts and arrays (`sending.py`). Results come in the order of the texts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from corelax.core.device import available_threads
from corelax.core.helpers import Helpers, can_start
from corelax.decode import Decided
from corelax.decode.scored import Scored
from corelax.document import Document
from corelax.rankers.encoder.items import Item
from corelax.rankers.encoder.model import ScoringModel
from corelax.resolve.batching import batches_of
from corelax.resolve.given import Given
from corelax.resolve.helping import Options, Part, PreparedPart, helper
from corelax.resolve.resolution import Resolution
from corelax.resolve.sending import Row, kept_tuples, rows_of
from corelax.resolve.turns import scored_by_turns

MOST = 8  # workers that are started unless more are asked for
AHEAD = 2  # batches that are prepared, and batches that are decided, while the network computes


def usual_workers(model: ScoringModel) -> int:
    """How many helpers a model has if nobody says: those that a GPU waits for, none where cores compute."""
    cores = available_threads()
    is_useful = "cuda" in model.runtime and cores > 2 and can_start()
    return min(MOST, cores - 1) if is_useful else 0


def resolve_with_helpers(
    model: ScoringModel,
    texts: Iterable[Given],
    options: Options,
    *,
    workers: int,
    batch_size: int,
) -> Iterator[Resolution]:
    """The entities of texts, in their order. If the source of texts fails, those before are resolved first.

    Args:
        model: Whose network computes in this process.
        texts: Texts and speakers that were `checked`; gone through a few batches ahead.
        options: How they are resolved.
        workers: The number of helpers.
        batch_size: How many texts the network gets together.
    """
    batches = batches_of(texts, batch_size)
    for first in batches:
        with Helpers(workers, helper, (model.reader, options)) as helpers:
            yield from _Line(model, helpers, workers).results(first, batches)


class _Line:
    """Batches on their way: prepared by helpers, scored here, decided by helpers."""

    def __init__(self, model: ScoringModel, helpers: Helpers, workers: int) -> None:
        self._model, self._helpers, self._workers = model, helpers, workers
        # What is raised after all results: of what gives the texts, and of a text or the network before that.
        self._end: Exception | None = None
        self._problem: Exception | None = None

    def results(self, first: list[Given], others: Iterator[list[Given]]) -> Iterator[Resolution]:
        """The results of all batches."""
        ahead = AHEAD + self._workers // len(first)  # small batches keep one helper busy each
        deciding = deque[list[_Deciding]]()
        for parts, scored in self._scored(self._batches(first, others, ahead)):
            deciding.append(self._decided(parts, scored))
            while len(deciding) > ahead:
                for part in deciding.popleft():
                    yield from part.results()
        for part in chain.from_iterable(deciding):
            yield from part.results()
        if problem := self._problem or self._end:
            raise problem

    def _batches(
        self, first: list[Given], others: Iterator[list[Given]], ahead: int
    ) -> Iterator[tuple[list[Part], list[Item]]]:
        """What the network reads of each batch."""
        preparing = deque([self._prepared(first)])
        while preparing:
            while len(preparing) <= ahead and (batch := self._next(others)):
                preparing.append(self._prepared(batch))
            yield _collected(preparing.popleft())

    def _scored(
        self, batches: Iterator[tuple[list[Part], list[Item]]]
    ) -> Iterator[tuple[list[Part], list[Scored]]]:
        """Batches with their scores, until something goes wrong."""
        try:
            yield from scored_by_turns(self._model, batches)
        except Exception as error:
            self._problem = error

    def _next(self, batches: Iterator[list[Given]]) -> list[Given] | None:
        if self._end is None:
            try:
                return next(batches, None)
            except Exception as error:
                self._end = error
        return None

    def _prepared(self, batch: list[Given]) -> list[_Preparing]:
        """A batch that helpers prepare, each a part of it."""
        size = -(-len(batch) // self._workers)
        parts = (batch[at : at + size] for at in range(0, len(batch), size))
        return [_Preparing(part, self._helpers.submit(("prepare", _sent(part)))) for part in parts]

    def _decided(self, parts: list[Part], scored: Sequence[Scored]) -> list[_Deciding]:
        """A batch that helpers decide on, in the parts in which it was prepared."""
        rest = iter(scored)
        deciding = []
        for part in parts:
            rows = rows_of([_smaller(each)[:6] for each in islice(rest, len(part.given))])
            words = [_words_only(s) if isinstance(s, Document) else s for s in part.given]
            task = part._replace(given=words), rows
            deciding.append(_Deciding(part, self._helpers.submit(("decide", task))))
        return deciding


def _collected(preparing: list[_Preparing]) -> tuple[list[Part], list[Item]]:
    """What the network reads of a batch."""
    parts: list[Part] = []
    items: list[Item] = []
    for part, future in preparing:
        prepared: PreparedPart = future.result()
        given = [text for text, _ in part]
        parts.append(Part(given, prepared.cuts, prepared.items.schemes))
        items.extend(prepared.items.items())
    return parts, items


class _Preparing(NamedTuple):
    """Some texts that a helper prepares."""

    given: list[Given]
    future: Future[Any]


class _Deciding(NamedTuple):
    """Some texts that a helper decides on."""

    part: Part
    future: Future[Any]

    def results(self) -> Iterator[Resolution]:
        """The resolutions, as soon as they are there."""
        rows: list[Row] = self.future.result()
        sources = self.part.cuts.sources(self.part.given)
        for source, arrays in zip(sources, kept_tuples(rows), strict=True):
            yield Resolution.later(source, Decided(*arrays))


def _sent(texts: list[Given]) -> list[Given]:
    """Texts without what is not read of them."""
    return [(_words_only(t) if isinstance(t, Document) else t, who) for t, who in texts]


def _words_only(document: Document) -> Document:
    """A document without what is not read of it."""
    layers = {name: document.layers[name] for name in ("speaker",) if name in document.layers}
    return Document(
        id=document.id,
        part=document.part,
        words=document.words,
        sentence_starts=document.sentence_starts,
        layers=layers,
    )


def _smaller(scored: Scored) -> Scored:
    """Scores that take less to send."""
    return scored._replace(antecedents=scored.antecedents.astype(np.int32, copy=False))
