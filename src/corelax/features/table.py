"""A document as small integers: all that training and prediction need to know of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corelax.clustering import Clustering
from corelax.document import Document, Span

Ints = NDArray[np.int32]
NO_ENTITY = -1


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
        gold_mentions: [gold mention, 3] entity, start, end of all gold mentions, found or not.
    """

    key: str
    spans: Ints
    features: Ints
    current: Ints
    previous: Ints
    codes: Ints
    code_of_pair: NDArray[np.uint16]
    gold: Ints
    gold_mentions: Ints

    @property
    def size(self) -> int:
        """The number of mentions."""
        return len(self.spans)

    @property
    def gold_sizes(self) -> Ints:
        """[entity] the number of mentions of each gold entity, found or not."""
        entities = self.gold_mentions[:, 0]
        return np.bincount(entities, minlength=0).astype(np.int32)

    @property
    def gold_clusters(self) -> list[list[Span]]:
        """The gold entities."""
        clusters: list[list[Span]] = [[] for _ in self.gold_sizes]
        for entity, start, end in self.gold_mentions.tolist():
            clusters[entity].append(Span(start, end))
        return clusters

    @property
    def is_anaphoric(self) -> NDArray[np.bool_]:
        """[mention] whether an earlier mention is in the same gold entity."""
        first = {entity: i for i, entity in reversed(list(enumerate(self.gold.tolist())))}
        found = [e != NO_ENTITY and first[e] < i for i, e in enumerate(self.gold.tolist())]
        return np.array(found, dtype=bool)

    def clusters_of(self, entities: Sequence[Sequence[int]]) -> Clustering[Span]:
        """Entities of mention numbers as entities of spans."""
        spans = [Span(*span) for span in self.spans.tolist()]
        return Clustering([[spans[mention] for mention in entity] for entity in entities])

    def first(self, mentions: int) -> DocumentTable:
        """The document cut to its first mentions. Gold sizes count what was cut off as not found."""
        if self.size <= mentions:
            return self
        pairs = self.code_of_pair[: mentions * (mentions - 1) // 2]
        used, renumbered = np.unique(pairs, return_inverse=True)
        return DocumentTable(
            key=self.key,
            spans=self.spans[:mentions],
            features=self.features[:mentions],
            current=self.current[:mentions],
            previous=self.previous[:mentions],
            codes=self.codes[used],
            code_of_pair=renumbered.astype(np.uint16),
            gold=self.gold[:mentions],
            gold_mentions=self.gold_mentions,
        )


def gold_of(spans: Sequence[tuple[int, int]], doc: Document) -> tuple[Ints, Ints]:
    """`gold` and `gold_mentions` of a document's mentions.

    A mention of several entities belongs to the first of them.

    >>> doc = Document.from_sentences("d", [["a", "b", "c"]], clusters=[[(0, 1), (2, 3)]])
    >>> gold, everyone = gold_of([(0, 1), (1, 2)], doc)
    >>> gold.tolist(), everyone.tolist()
    ([0, -1], [[0, 0, 1], [0, 2, 3]])
    """
    entity_of: dict[tuple[int, int], int] = {}
    everyone = []
    for entity, cluster in enumerate(doc.clusters):
        for mention in cluster:
            everyone.append((entity, mention.start, mention.end))
            if mention.is_continuous:
                entity_of.setdefault((mention.start, mention.end), entity)
    gold = [entity_of.get(span, NO_ENTITY) for span in spans]
    return (
        np.array(gold, dtype=np.int32),
        np.array(everyone, dtype=np.int32).reshape(len(everyone), 3),
    )
