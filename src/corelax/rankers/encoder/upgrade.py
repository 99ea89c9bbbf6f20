"""Folders of older formats: their settings and weights as the network of today takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from corelax.rankers.encoder.antecedents import (
    NEXT_TURN,
    ONE_SPEAKER,
    PERSON_PAIRS,
    TWO_SPEAKERS,
    VOICES,
)
from corelax.rankers.encoder.words import SHAPES

SPEAKER, WHO, SHAPE = (
    "antecedents.features.speaker.weight",
    "antecedents.who.weight",
    "shapes.weight",
)
OTHER, SAME = 1, 2  # rows of the old table of speakers; row 0 is "not known"


def config_from_1(content: Mapping[str, Any]) -> dict[str, Any]:
    """Format 1 had the same settings."""
    return {**content, "format": "corelax encoder ranker 2"}


def upgraded_shapes(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Shapes of weights, as `upgraded` makes them."""
    shapes = dict(shapes)
    if (speakers := shapes.pop(SPEAKER, None)) is not None:
        shapes[WHO] = (VOICES * PERSON_PAIRS, *speakers[1:])
        shapes[SHAPE] = (len(SHAPES), *shapes.get("spans.start.weight", (0, 0))[1:])
    return shapes


def upgraded(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights of format 1 as those of format 2, others as they are.

    Documents without speakers score the same. A pair knew whether one person speaks, or two, or nobody is
    known to; not which pronouns the two are. Words did not know how they are written.

    Args:
        weights: As `read_weights` gives them.
    """
    weights = dict(weights)
    if SPEAKER not in weights:
        return weights
    speakers = weights.pop(SPEAKER)
    row = torch.zeros(VOICES, dtype=torch.long)
    row[[NEXT_TURN, TWO_SPEAKERS]] = OTHER
    row[ONE_SPEAKER] = SAME
    weights[WHO] = speakers[row].repeat(PERSON_PAIRS, 1)
    weights[SHAPE] = speakers.new_zeros(len(SHAPES), weights["spans.start.weight"].shape[1])
    return weights
