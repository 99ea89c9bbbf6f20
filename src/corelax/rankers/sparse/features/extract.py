"""From documents to tables: analysis, attributes, inventories, vocabulary, rows.

    fit(train)         counts words, collects the vocabulary
    table(document)    a document as integers

Training documents are looked at once: their mentions are kept until inventories and vocabulary are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.core.errors import CorelaxError
from corelax.document import Document, Span
from corelax.io import stream
from corelax.rankers.sparse.features.mention import Context, Inventories, mention_values
from corelax.rankers.sparse.features.pair import PairCodes, code_values
from corelax.rankers.sparse.features.settings import FeatureSettings
from corelax.rankers.sparse.features.table import WORDS, DocumentTable, Ints, gold_of
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.mentions.attributes import Attributes, mention_attributes
from corelax.rankers.sparse.mentions.detect import analyse, detected, given
from corelax.rankers.sparse.mentions.lexicons import Lexicons

MentionSource = Callable[[Document], Iterable[Span] | None]  # None: detect them
DETECT, GOLD = "detect", "gold"


def mention_source(name: str) -> MentionSource:
    """`detect`, `gold`, or the name of a file: its documents' mentions are taken, whatever their entities."""
    if name == DETECT:
        return lambda _: None
    if name == GOLD:
        return _annotated
    spans_of = {doc.name: _annotated(doc) for doc in stream(name, layers=False)}

    def from_file(doc: Document) -> list[Span]:
        if doc.name not in spans_of:
            raise CorelaxError(f"{name}: no mentions for document {doc.key}")
        return spans_of[doc.name]

    return from_file


def _annotated(doc: Document) -> list[Span]:
    return [mention for cluster in doc.clusters for mention in cluster]


class Described(NamedTuple):
    """A document with the attributes of its mentions."""

    document: Document
    context: Context
    mentions: list[Attributes]

    def values(self, known: Inventories, settings: FeatureSettings) -> list[list[str | None]]:
        """[mention, template] the values of φ_a."""
        return [mention_values(m, self.context, known, settings) for m in self.mentions]

    def pairs(self, settings: FeatureSettings) -> tuple[Ints, NDArray[Any]]:
        """The distinct codes of a document, and which of them each pair has."""
        return PairCodes(self.mentions, self.context.speakers, settings).distinct()


def describe(
    doc: Document, settings: FeatureSettings, lexicons: Lexicons, source: MentionSource
) -> Described:
    """Finds the mentions of a document and what is known of them."""
    analysis = analyse(doc)
    spans = source(doc)
    mentions = detected(analysis) if spans is None else given(analysis, spans)
    known = list(mention_attributes(analysis, mentions, lexicons, settings))
    return Described(doc, Context.of(analysis, settings), known)


def fit(
    described: Iterable[Described],
    settings: FeatureSettings,
    lexicons: Lexicons,
    *,
    words: bool = False,
) -> tuple[Vocabulary, list[DocumentTable]]:
    """The vocabulary of training documents, and their tables; with their words, if a ranker has vectors."""
    documents = list(described)
    if not any(document.mentions for document in documents):
        raise CorelaxError("the training documents have no mentions")
    every = (mention for document in documents for mention in document.mentions)
    inventories = Inventories.count(every, settings.lexical_cutoff)
    pairs = [document.pairs(settings) for document in documents]
    distinct = {code for codes, _ in pairs for code in codes.tolist()}
    pair = {item for code in distinct for item in code_values(code).items()}
    pair.update(item for document in documents for item in _single(document))
    mention: set[tuple[str, str]] = set()
    shown = [settings.display_name(template) for template in settings.mention_templates]
    for document in documents:
        for values in document.values(inventories, settings):
            named = zip(shown, values, strict=True)
            mention.update((name, value) for name, value in named if value is not None)
    seen = {word.lower() for document in documents for word in document.document.words}
    vocabulary = Vocabulary.collect(
        settings, inventories, mention, pair, lexicons.digest, seen if words else None
    )
    return vocabulary, [
        _table(document, vocabulary, *codes)
        for document, codes in zip(documents, pairs, strict=True)
    ]


def table(described: Described, vocabulary: Vocabulary) -> DocumentTable:
    """A document as integers."""
    return _table(described, vocabulary, *described.pairs(vocabulary.settings))


def _table(
    described: Described, vocabulary: Vocabulary, codes: Ints, code_of_pair: NDArray[Any]
) -> DocumentTable:
    settings, mentions, context = vocabulary.settings, described.mentions, described.context
    n = len(mentions)
    values = described.values(vocabulary.inventories, settings)
    rows = [vocabulary.mention_rows(of_mention) for of_mention in values]
    spans = [(m.mention.start, m.mention.end) for m in mentions]
    genre = vocabulary.pair_row("genre", context.genre)
    current = [(vocabulary.pair_row("canon_i", m.canonical), genre) for m in mentions]
    previous = [vocabulary.pair_row("canon_j", m.canonical) for m in mentions]
    gold, gold_mentions = gold_of(spans, described.document)
    return DocumentTable(
        key=described.document.key,
        spans=np.array(spans, dtype=np.int32).reshape(n, 2),
        features=np.array(rows, dtype=np.int32).reshape(n, len(settings.mention_templates)),
        current=np.array(current, dtype=np.int32).reshape(n, 2),
        previous=np.array(previous, dtype=np.int32).reshape(n, 1),
        codes=codes,
        code_of_pair=code_of_pair,
        gold=gold,
        gold_mentions=gold_mentions,
        **({} if vocabulary.words is None else _words(described, vocabulary)),
    )


def _words(described: Described, vocabulary: Vocabulary) -> dict[str, Ints]:
    """The words of a document and of each mention, as rows."""
    lower = [word.lower() for word in described.document.words]
    bounds = described.document.sentence_bounds
    of_mentions = []
    for known in described.mentions:
        start, end = known.mention.start, known.mention.end
        first, last = bounds[known.mention.sentence]
        places = (known.mention.head, start, end - 1, start - 1, start - 2, end, end + 1)
        near = [lower[place] if first <= place < last else None for place in places]
        of_mentions.append(vocabulary.word_rows([*near, known.governor]))
    return {
        "words": np.array(of_mentions, dtype=np.int32).reshape(len(of_mentions), WORDS),
        "tokens": np.array(vocabulary.word_rows(lower), dtype=np.int32),
        "sentences": np.array([start for start, _ in bounds], dtype=np.int32),
    }


def _single(described: Described) -> Iterator[tuple[str, str]]:
    """The pair features that depend on one mention; the first mention is nobody's current one."""
    canonical = [mention.canonical for mention in described.mentions]
    if len(canonical) > 1:
        yield "genre", described.context.genre
    yield from (("canon_i", form) for form in canonical[1:])
    yield from (("canon_j", form) for form in canonical[:-1])
