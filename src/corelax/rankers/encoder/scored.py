"""What an encoder ranker says of one document: likely mentions, and the scores of their antecedents.

Plain arrays, whichever way the network was run; `decisions.decide` takes it from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Ints

Scores = NDArray[np.floating]


class ScoredDocument(NamedTuple):
    """The spans of a document in the order of the text, and the scores of their antecedents.

    Attributes:
        start: [span] the first word.
        end: [span] one past the last word.
        head: [span] the head word, by the attention of the span's vector.
        logit: [span] the logit of being a mention.
        scores: [span, 1 + candidate] "new entity" first, which is 0; −inf where there is none.
        antecedents: [span, candidate] positions of spans.
    """

    start: Ints
    end: Ints
    head: Ints
    logit: Scores
    scores: Scores
    antecedents: Ints

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """[span] first word and one past the last."""
        return list(zip(self.start.tolist(), self.end.tolist(), strict=True))


def without_spans() -> ScoredDocument:
    """A document without words.

    >>> without_spans().bounds
    []
    """
    none = np.zeros(0, np.int64)
    scores, antecedents = np.zeros((0, 1)), np.zeros((0, 0), np.int64)
    return ScoredDocument(none, none, none, np.zeros(0), scores, antecedents)
