"""Texts resolved with helpers: other processes do what is done around the network while it computes.

    helpers   cut, windows of batch k + 1      decisions of batch k − 1
    network                     scores of batch k

What goes between processes are texts and arrays. Results come in the order of the texts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

import numpy as np

from corelax.core.checks import check_items
from corelax.core.device import available_threads
from corelax.core.helpers import Helpers, can_start
from corelax.decode import Decided
from corelax.document import Document
from corelax.rankers.encoder.items import Item
from corelax.rankers.encoder.model import ScoringModel
from corelax.rankers.encoder.reader import Reader
from corelax.rankers.encoder.scored import ScoredDocument
from corelax.resolve.batching import batches_of
from corelax.resolve.given import Speakers, Text, check_single, text_and_speakers
from corelax.resolve.resolution import Resolution
from corelax.resolve.steps import check_speakers, conclude, cut_or_given, item_of
from corelax.text.raw import CutText, check_text, speaker_range

MOST = 8  # workers that are started unless more are asked for
AHEAD = 2  # batches that are prepared, and batches that are decided, while the network computes

Given = tuple[str | Document, Speakers | None]


class Options(NamedTuple):
    """How texts are resolved; as in `Resolver.pipe`."""

    scheme: str | None
    singletons: str
    consistent: bool


def usual_workers(model: ScoringModel) -> int:
    """How many helpers a model has if nobody says: those that a GPU waits for, none where cores compute."""
    cores = available_threads()
    is_useful = "cuda" in model.runtime and cores > 2 and can_start()
    return min(MOST, cores - 1) if is_useful else 0


def resolve_with_helpers(
    model: ScoringModel,
    texts: Iterable[Text],
    options: Options,
    *,
    workers: int,
    batch_size: int,
) -> Iterator[Resolution]:
    """The entities of texts, in their order. If a text is wrong, those before it are resolved first.

    Args:
        model: Whose network computes in this process.
        texts: As in `Resolver.pipe`; gone through a few batches ahead.
        options: How they are resolved.
        workers: The number of helpers.
        batch_size: How many texts the network gets together.
    """
    batches = batches_of(map(sendable, texts), batch_size)
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
        preparing, deciding = deque([self._prepared(first)]), deque[_Deciding]()
        while preparing:
            ahead = AHEAD + self._workers // len(first)  # small batches keep one helper busy each
            while len(preparing) <= ahead and (batch := self._next(others)):
                preparing.append(self._prepared(batch))
            sources, items = self._collected(preparing.popleft())
            if items and (scored := self._scored(items)):
                deciding.append(self._decided(sources, items, scored))
            if self._problem is not None:
                preparing.clear()
            while len(deciding) > ahead:
                yield from deciding.popleft().results()
        for decided in deciding:
            yield from decided.results()
        if problem := self._problem or self._end:
            raise problem

    def _next(self, batches: Iterator[list[Given]]) -> list[Given] | None:
        if self._end is None:
            try:
                return next(batches, None)
            except Exception as error:
                self._end = error
        return None

    def _prepared(self, batch: list[Given]) -> tuple[list[Given], list[Future[Any]]]:
        """A batch that helpers prepare, each a part of it."""
        sent = [(_words_only(t) if isinstance(t, Document) else t, who) for t, who in batch]
        return batch, [self._helpers.submit(("prepare", part)) for part in self._parts(sent)]

    def _collected(
        self, preparing: tuple[list[Given], list[Future[Any]]]
    ) -> tuple[list[CutText | Document], list[Item]]:
        """What the network reads of a batch, up to the first text that is wrong."""
        batch, futures = preparing
        sources: list[CutText | Document] = []
        items: list[Item] = []
        for future in futures:
            prepared, problem = future.result()
            for cut, item in prepared:
                text, _ = batch[len(sources)]
                sources.append(text if isinstance(text, Document) else CutText(text, *cut))
                items.append(item)
            if problem is not None:
                self._problem = problem
                break
        return sources, items

    def _scored(self, items: list[Item]) -> list[ScoredDocument]:
        try:
            return self._model.score(items)
        except Exception as error:
            self._problem = error
            return []

    def _decided(
        self,
        sources: list[CutText | Document],
        items: Sequence[Item],
        scored: Sequence[ScoredDocument],
    ) -> _Deciding:
        """A batch that helpers decide on."""
        words = [_words_only(s) if isinstance(s, Document) else s for s in sources]
        schemes = [item.scheme for item in items]
        sent = list(zip(words, schemes, map(_smaller, scored), strict=True))
        futures = [self._helpers.submit(("decide", part)) for part in self._parts(sent)]
        return _Deciding(sources, futures)

    def _parts(self, batch: list[Any]) -> Iterator[list[Any]]:
        size = -(-len(batch) // self._workers)
        yield from (batch[at : at + size] for at in range(0, len(batch), size))


class _Deciding(NamedTuple):
    """A batch that helpers decide on."""

    sources: list[CutText | Document]
    futures: list[Future[Any]]

    def results(self) -> Iterator[Resolution]:
        """The resolutions, as soon as they are there."""
        sources = iter(self.sources)
        for future in self.futures:
            for decided in future.result():
                yield Resolution.later(next(sources), decided)


def sendable(text: Text) -> Given:
    """A text and its speakers, which other processes can be sent; or what is wrong with them."""
    given, speakers = text_and_speakers(text)
    check_single(given, speakers)
    if isinstance(given, Document):
        check_speakers(given)
        return given, None
    check_text(given)
    if speakers is not None:
        listed = check_items("document text: speakers", speakers)
        speakers = [speaker_range(turn, given, "text") for turn in listed]
    return str.__str__(given), speakers


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


def _smaller(scored: ScoredDocument) -> ScoredDocument:
    """Scores that take less to send."""
    return scored._replace(antecedents=scored.antecedents.astype(np.int32))


def helper(reader: Reader, options: Options) -> Callable[[tuple[str, Any]], Any]:
    """What a helper does: prepares texts, or decides on what was scored."""

    def prepare_all(texts: Sequence[Given]) -> tuple[list[tuple[Any, Item]], Exception | None]:
        """What was prepared, and what is wrong with the next text."""
        prepared: list[tuple[Any, Item]] = []
        for text, speakers in texts:
            try:
                source, document = cut_or_given(text, speakers)
                item = item_of(reader, document, options.scheme)
            except Exception as error:
                return prepared, error
            cut = source[1:] if isinstance(source, CutText) else None
            prepared.append((cut, item))
        return prepared, None

    def decide_all(
        parts: Sequence[tuple[CutText | Document, int, ScoredDocument]],
    ) -> list[Decided]:
        sources, schemes, scored = zip(*parts, strict=True)
        documents = [s if isinstance(s, Document) else s.document(offsets=False) for s in sources]
        results = conclude(
            reader,
            documents,
            schemes,
            scored,
            singletons=options.singletons,
            consistent=options.consistent,
        )
        return [decided.complete() for decided in results]

    steps: dict[str, Callable[[Any], Any]] = {"prepare": prepare_all, "decide": decide_all}
    return lambda task: steps[task[0]](task[1])
