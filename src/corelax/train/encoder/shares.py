"""The documents of a step, spread over workers: who computes what, and what their sums are divided by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from corelax.train.encoder.examples import Example


class Totals(NamedTuple):
    """What the sums of a step are divided by, whichever worker has its documents.

    Attributes:
        words: Words of all documents.
        documents: Documents that are annotated as a whole.
        document_words: Words of those.
        workers: The number of workers.
    """

    words: int
    documents: int
    document_words: int
    workers: int = 1

    @classmethod
    def of(cls, examples: Sequence[Example], workers: int = 1) -> Totals:
        """Those of all documents of a step."""
        whole = [example.words for example in examples if example.known is None]
        return cls(sum(example.words for example in examples), len(whole), sum(whole), workers)


def spread(examples: Sequence[Example], workers: int) -> list[list[Example]]:
    """The documents of each worker; the longest first, each to the worker with the fewest words so far.

    A worker has none if there are fewer documents than workers.
    """
    shares: list[list[Example]] = [[] for _ in range(workers)]
    words = [0] * workers
    for example in sorted(examples, key=lambda example: -example.words):
        least = words.index(min(words))
        shares[least].append(example)
        words[least] += example.words
    return shares
