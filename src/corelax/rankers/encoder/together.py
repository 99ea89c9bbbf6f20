"""Decisions about many short documents at once, as about one long document: each array serves all of them.

Nothing links the spans of different documents, so that each is decided as it would be alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat

import numpy as np

from corelax.core.errors import CorelaxError
from corelax.decode import Decided
from corelax.decode.arrays import Ints
from corelax.decode.calibration import Calibration
from corelax.decode.scored import Scored
from corelax.document import Document
from corelax.rankers.encoder.belonging import EntityProbabilities
from corelax.rankers.encoder.decisions import decided
from corelax.text.remembered import ends_of
from corelax.text.vocabulary import joined

MOST_SPANS = 4096  # of documents that are decided together: more would take memory and save nothing

Given = tuple[Scored, Document | None, Calibration]


def decided_together(given: Sequence[Given], *, singletons: str, reach: int) -> Iterator[Decided]:
    """What is decided about each of several documents, in their order.

    Args:
        given: What a ranker says of a document, its words if they keep people apart, and the calibration of
            its scheme; as for `decided`.
        singletons: As for `decided`.
        reach: As for `decided`.
    """
    for group in _groups(given, reach):
        if len(group) > 1:
            yield from _decided_as_one(group, singletons, reach)
        else:
            [(scored, document, calibration)] = group
            yield decided(
                scored,
                singletons=singletons,
                reach=reach,
                calibration=calibration,
                document=document,
            )


def _groups(given: Sequence[Given], reach: int) -> Iterator[list[Given]]:
    """Runs of documents that can be decided as one."""
    group: list[Given] = []
    size = 0
    for each in given:
        spans = len(each[0].start)
        if group and not (
            size + spans <= MOST_SPANS and _can_join(each, reach) and _are_alike(group[0], each)
        ):
            yield group
            group, size = [], 0
        group.append(each)
        size += spans
        if not _can_join(each, reach):
            yield group
            group, size = [], 0
    if group:
        yield group


def _can_join(given: Given, reach: int) -> bool:
    """Whether a document can be decided with others: without speakers, and with nothing beyond reach."""
    scored, document, _ = given
    is_quiet = document is None or "speaker" not in document.layers
    return is_quiet and 0 < len(scored.start) <= reach


def _are_alike(first: Given, second: Given) -> bool:
    """Whether two documents have as many candidates, the same calibration, and words or none."""
    return (
        first[0].scores.shape[1] == second[0].scores.shape[1]
        and (first[1] is None) == (second[1] is None)
        and first[2] == second[2]
    )


def _decided_as_one(group: Sequence[Given], singletons: str, reach: int) -> Iterator[Decided]:
    """Decides on the documents in a row, and cuts the result into theirs."""
    documents = [document for _, document, _ in group if document is not None]
    spans = ends_of(np.array([len(scored.start) for scored, _, _ in group]))
    # Without words only their order matters.
    words = ends_of(np.array([len(d.words) for d in documents] or [0] * len(group)))
    together = decided(
        _in_a_row([scored for scored, _, _ in group], spans, words),
        singletons=singletons,
        reach=int(spans[-1]),
        calibration=group[0][2],
        document=_joined(documents) if documents else None,
    )
    yield from _cut(together, spans, words, reach)


def _joined(documents: Sequence[Document]) -> Document:
    """The words of all documents, each with the number of its document."""
    words = joined([document.words for document in documents])
    numbers = (repeat(str(at), len(document.words)) for at, document in enumerate(documents))
    return Document(
        id="together", words=words, layers={"document": tuple(chain.from_iterable(numbers))}
    )


def _in_a_row(group: Sequence[Scored], spans: Ints, words: Ints) -> Scored:
    """The spans of all documents, with words and antecedents counted over all of them."""
    start, end, head, logit, scores, antecedents = map(
        np.concatenate, zip(*(each[:6] for each in group), strict=True)
    )
    sizes = spans[1:] - spans[:-1]
    first_word = np.repeat(words[:-1], sizes)
    first_span = np.repeat(spans[:-1], sizes)
    return Scored(
        start + first_word,
        end + first_word,
        head + first_word,
        logit,
        scores,
        antecedents + first_span[:, None],
        int(spans[-1]),
        group[0].calibration,
    )


def _cut(together: Decided, spans: Ints, words: Ints, reach: int) -> Iterator[Decided]:
    """What was decided about each document."""
    belongs = together.entity_probability
    if not isinstance(belongs, EntityProbabilities):
        raise CorelaxError("entity probabilities of several documents are computed for each")
    edges = np.searchsorted(belongs.written, spans)  # [document + 1] among the mentions
    sizes = edges[1:] - edges[:-1]
    first_word = np.repeat(words[:-1], sizes)
    first_entity = np.repeat(belongs.entity[spans[:-1]], sizes)
    first_mention = np.repeat(edges[:-1], sizes)
    columns = {
        "start": together.start - first_word,
        "end": together.end - first_word,
        "entity": together.entity - first_entity,
        "antecedent": np.where(together.antecedent < 0, -1, together.antecedent - first_mention),
        "probability": together.probability,
        "link_probability": together.link_probability,
        "head": together.head - first_word,
        "likely": np.where(together.likely < 0, -1, together.likely - first_word[:, None, None]),
        "likely_probability": together.likely_probability,
    }
    ends = edges.tolist()
    bounds = spans.tolist()
    for number in range(len(sizes)):
        mentions = slice(ends[number], ends[number + 1])
        of_document = slice(bounds[number], bounds[number + 1])
        yield Decided(
            **{name: column[mentions].copy() for name, column in columns.items()},
            entity_probability=belongs.part(of_document, mentions, reach),
        )
