"""Weights of older folders as the network of today takes them.

In format 1 a pair knew whether one person speaks, or two, or nobody is known to; not which pronouns the two
are. Words did not know how they are written. Documents without speakers score the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from corelax.english.words import SHAPES
from corelax.rankers.encoder.pair_features import (
    NEXT_TURN,
    ONE_SPEAKER,
    PERSON_PAIRS,
    TWO_SPEAKERS,
    VOICES,
)

SPEAKER, WHO, SHAPE = (
    "antecedents.features.speaker.weight",
    "antecedents.who.weight",
    "shapes.weight",
)
OTHER, SAME = 1, 2  # rows of the old table of speakers; row 0 is "not known"


def upgraded_shapes(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Shapes of weights, those of older formats as those of today."""
    shapes = dict(shapes)
    if (speakers := shapes.pop(SPEAKER, None)) is not None:
        shapes[WHO] = (VOICES * PERSON_PAIRS, *speakers[1:])
        shapes[SHAPE] = (len(SHAPES), *shapes.get("spans.start.weight", (0, 0))[1:])
    return shapes


def who_table(speakers: NDArray[np.float32]) -> NDArray[np.float32]:
    """[who, hidden] who says the two and what they are, from [3, hidden] of format 1."""
    row = np.zeros(VOICES, np.int64)
    row[[NEXT_TURN, TWO_SPEAKERS]] = OTHER
    row[ONE_SPEAKER] = SAME
    return np.tile(speakers[row], (PERSON_PAIRS, 1))


def shape_table(size: int) -> NDArray[np.float32]:
    """[shape, size] how words are written, which changes nothing."""
    return np.zeros((len(SHAPES), size), np.float32)
