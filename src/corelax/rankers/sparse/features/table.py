"""A document as small integers: all that training and prediction need of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corelax.document import Document, Span
from corelax.document.clustering import Clustering, entity_of_mentions

Ints = NDArray[np.int32]
NO_ENTITY = -1
WORDS = 8  # of a mention: head, first, last, two before, two after, governor


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTable:
    """One document. Rows of features are those of a `Vocabulary`; −1 is no feature.

    Attributes:
        key: The name of the document.
        spans: [mention, 2] start and end.
        features: [mention, template] rows of φ_a.
        current: [mention, 2] rows of the pair features that mention i alone has: `canon_i`, `genre`.
        previous: [mention, 1] rows of those that mention j alone has: `canon_j`.
        codes: [code] the distinct pair codes of the document.
        code_of_pair: [pair] which of them each pair has: rows i of the lower triangle, one after the other.
        gold: [mention] number of its gold entity, −1 for none.
        gold_mentions: [gold mention, 4] entity, start, end of all gold mentions, found or not; then 0, or for
            mentions with gaps or empty nodes, which no detected mention equals, a number of their own.
        words: [mention, 8] the rows of a mention's words; −1 is no word, or none that is known. This and what
            follows is empty if the vocabulary has no words.
        tokens: [token] the row of each word of the document.
        sentences: [sentence] where each sentence begins.
    """

    key: str
    spans: Ints
    features: Ints
    current: Ints
    previous: Ints
    codes: Ints
    code_of_pair: NDArray[Any]
    gold: Ints
    gold_mentions: Ints
    words: Ints = field(default_factory=lambda: np.zeros((0, WORDS), dtype=np.int32))
    tokens: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    sentences: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @property
    def size(self) -> int:
        """The number of mentions."""
        return len(self.spans)

    @property
    def gold_sizes(self) -> Ints:
        """[entity] the number of mentions of each gold entity, found or not."""
        least = int(self.gold.max(initial=-1)) + 1
        return np.bincount(self.gold_mentions[:, 0], minlength=least).astype(np.int32)

    @property
    def gold_clusters(self) -> list[list[Span]]:
        """The gold entities."""
        clusters: list[list[Span]] = [[] for _ in self.gold_sizes]
        for entity, start, end, special in self.gold_mentions.tolist():
            clusters[entity].append(Span(start, end, empty=(special,) if special else ()))
        return clusters

    @property
    def is_anaphoric(self) -> NDArray[np.bool_]:
        """[mention] whether an earlier mention is in the same gold entity."""
        first = {entity: i for i, entity in reversed(list(enumerate(self.gold.tolist())))}
        anaphoric = [e != NO_ENTITY and first[e] < i for i, e in enumerate(self.gold.tolist())]
        return np.array(anaphoric, dtype=bool)

    def clusters_of(self, entities: Sequence[Sequence[int]]) -> Clustering[Span]:
        """Entities of mention numbers as entities of spans."""
        spans = [Span(*span) for span in self.spans.tolist()]
        return Clustering([[spans[mention] for mention in entity] for entity in entities])

    def first(self, mentions: int) -> DocumentTable:
        """The document cut to its first mentions; gold mentions beyond the cut are left out as well."""
        if self.size <= mentions:
            return self
        last = tuple(self.spans[mentions - 1].tolist()) if mentions else (-1, -1)
        beyond = {tuple(span) for span in self.spans[mentions:].tolist()}
        within = {tuple(span) for span in self.spans[:mentions].tolist()}
        inside = [
            span in within or (span not in beyond and span <= last)
            for span in map(tuple, self.gold_mentions[:, 1:3].tolist())
        ]
        pairs = self.code_of_pair[: mentions * (mentions - 1) // 2]
        used, renumbered = np.unique(pairs, return_inverse=True)
        return DocumentTable(
            key=self.key,
            spans=self.spans[:mentions],
            features=self.features[:mentions],
            current=self.current[:mentions],
            previous=self.previous[:mentions],
            codes=self.codes[used],
            code_of_pair=renumbered.astype(self.code_of_pair.dtype),
            gold=self.gold[:mentions],
            gold_mentions=self.gold_mentions[np.array(inside, dtype=bool)],
            words=self.words[:mentions],
            tokens=self.tokens,
            sentences=self.sentences,
        )


def gold_of(spans: Sequence[tuple[int, int]], doc: Document) -> tuple[Ints, Ints]:
    """`gold` and `gold_mentions` of a document's mentions.

    A mention of several entities belongs to the first of them.
    """
    everyone: list[tuple[int, int, int, int]] = []
    for entity, cluster in enumerate(doc.clusters):
        for mention in cluster:
            special = 0 if mention.is_continuous else len(everyone) + 1
            everyone.append((entity, mention.start, mention.end, special))
    entity_of = entity_of_mentions(
        [(m.start, m.end) for m in cluster if m.is_continuous] for cluster in doc.clusters
    )
    gold = [entity_of.get(span, NO_ENTITY) for span in spans]
    return (
        np.array(gold, dtype=np.int32),
        np.array(everyone, dtype=np.int32).reshape(len(everyone), 4),
    )
