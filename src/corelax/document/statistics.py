"""The size of a corpus: documents, sentences, tokens, mentions, entities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from corelax.document.document import Document


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over documents. They add.

    >>> text = [["Ann", "saw", "her", "dog"]]
    >>> doc = Document.from_sentences("d", text, clusters=[[(0, 1), (2, 3)], [(2, 4)]])
    >>> (count([doc]) + count([doc])).mentions
    6
    """

    documents: int = 0
    sentences: int = 0
    tokens: int = 0
    mentions: int = 0
    entities: int = 0
    singletons: int = 0
    longest_document: int = 0
    largest_entity: int = 0

    def __add__(self, other: Statistics) -> Statistics:
        ours, theirs = asdict(self), asdict(other)
        both = {name: ours[name] + theirs[name] for name in ours}
        for name in ("longest_document", "largest_entity"):
            both[name] = max(ours[name], theirs[name])
        return Statistics(**both)

    @property
    def singleton_share(self) -> float:
        return self.singletons / self.entities if self.entities else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, as `corelax stats --json` prints them."""
        return {**asdict(self), "singleton_share": self.singleton_share}


def count(documents: Iterable[Document]) -> Statistics:
    """The size of a corpus.

    >>> count([Document(id="d", words=("Ann", "ran"))]).tokens
    2
    """
    total = Statistics()
    for doc in documents:
        sizes = [len(cluster) for cluster in doc.clusters]
        total += Statistics(
            documents=1,
            sentences=len(doc.sentence_starts),
            tokens=len(doc.words),
            mentions=sum(sizes),
            entities=len(sizes),
            singletons=sizes.count(1),
            longest_document=len(doc.words),
            largest_entity=max(sizes, default=0),
        )
    return total
