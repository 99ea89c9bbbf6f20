"""Training documents of which only pairs are annotated: GAP's pronoun and two names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from corelax.document import Document, Span
from corelax.document.clustering import Clustering
from corelax.io.gap import GapItem
from corelax.rankers.encoder.places import Places
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.tokenizer import WordPieces
from corelax.text import document_of
from corelax.train.encoder.examples import UNKNOWN, Example, KnownLinks, Markables, make_example

GAP = "gap"


def gap_examples(
    items: Iterable[GapItem], tokenizer: WordPieces, settings: EncoderSettings, scheme: int
) -> list[Example]:
    """Items as a ranker learns from them: whether the pronoun and each name corefer, and nothing else.

    An item is left out if a name is not a stretch of whole words in one sentence.
    """
    examples = []
    for item in items:
        document = document_of(item.text, id=item.id)
        spans = _word_spans(document, [item.pronoun, item.a, item.b])
        if spans is None:
            continue
        example = make_example(
            document.with_clusters(Clustering()),
            tokenizer,
            scheme=scheme,
            window=settings.window,
            max_width=settings.max_width,
        )
        places = Places(example.windows, len(document.words), settings.max_width)
        if not all(places.holds(span) for span in spans):
            continue
        pronoun, *names = spans
        pairs = [(max(pronoun, name), min(pronoun, name)) for name in names]
        same = np.array([item.a_coref, item.b_coref], np.int64)
        coreferent = sorted(
            {span for pair, yes in zip(pairs, same, strict=True) if yes for span in pair}
        )
        unknown = np.full(len(coreferent), UNKNOWN, np.int64)
        examples.append(
            example._replace(
                known=KnownLinks(
                    places.of([later for later, _ in pairs]),
                    places.of([earlier for _, earlier in pairs]),
                    same,
                ),
                markables=Markables(places.of(coreferent), unknown, unknown),
            )
        )
    return examples


def _word_spans(document: Document, spans: Sequence[tuple[int, int]]) -> list[Span] | None:
    """Stretches of characters as stretches of words, or None if one of them cuts a word."""
    offsets: Sequence[tuple[int, int]] = document.layer("offsets")
    starts = {start: at for at, (start, _) in enumerate(offsets)}
    ends = {end: at + 1 for at, (_, end) in enumerate(offsets)}
    if any(start not in starts or end not in ends for start, end in spans):
        return None
    return [Span(starts[start], ends[end]) for start, end in spans]
