"""What a ranker says of one document: likely mentions, and the scores of their antecedents.

Plain arrays, whichever ranker it was and however it was run; `decide` takes it from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Ints
from corelax.decode.calibration import UNCALIBRATED, Calibration

Scores = NDArray[np.floating]


class Scored(NamedTuple):
    """The spans of a document in the order of the text, and the scores of their antecedents.

    Attributes:
        start: [span] the first word.
        end: [span] one past the last word.
        head: [span] the head word; −1 where the ranker has no opinion.
        logit: [span] the logit of being a mention.
        scores: [span, 1 + candidate] "new entity" first, which is 0; −inf where there is none.
        antecedents: [span, candidate] positions of spans.
        reach: How far back antecedents lie at most, in spans.
        calibration: Of the scheme by which the document was scored.
    """

    start: Ints
    end: Ints
    head: Ints
    logit: Scores
    scores: Scores
    antecedents: Ints
    reach: int
    calibration: Calibration = UNCALIBRATED

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """[span] first word and one past the last."""
        return list(zip(self.start.tolist(), self.end.tolist(), strict=True))


def without_spans(reach: int) -> Scored:
    """A document without words.

    >>> without_spans(5).bounds
    []
    """
    none = np.zeros(0, np.int64)
    scores, antecedents = np.zeros((0, 1)), np.zeros((0, 0), np.int64)
    return Scored(none, none, none, np.zeros(0), scores, antecedents, reach)
