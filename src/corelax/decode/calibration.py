"""Calibrated probabilities: maps from what a ranker computes to how often it is right, for each scheme.

They change probabilities alone. Which spans are mentions and what they are linked to stays as it is.
`corelax.train.encoder.calibrate` fits them on dev documents.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corelax.core.checks import check_number, check_temperature
from corelax.decode.arrays import Floats

TINY = 1e-9  # probabilities are at least this far from 0 and 1, so that their logits are finite


def sigmoid(logits: NDArray[np.floating]) -> Floats:
    """1 / (1 + exp(−x)), without overflow.

    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    small = np.exp(-np.abs(logits.astype(np.float64)))
    return np.where(logits >= 0, 1.0, small) / (1.0 + small)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticMap:
    """A map of logits, x ↦ σ(scale · x + bias); a scale is the inverse of a temperature.

    >>> LogisticMap(scale=2.0, bias=-1.0).of_logits(np.array([0.5])).tolist()
    [0.5]
    """

    scale: float = 1.0
    bias: float = 0.0

    def __post_init__(self) -> None:
        check_number("scale", self.scale)
        check_number("bias", self.bias, at_least=-math.inf)

    def of_logits(self, logits: NDArray[np.floating]) -> Floats:
        """Probabilities from logits."""
        return sigmoid(self.scale * logits + self.bias)

    def of_probs(self, probs: Floats) -> Floats:
        """Probabilities from probabilities; the identity changes none.

        >>> LogisticMap(bias=1.0).of_probs(np.array([0.0, 0.5, 1.0])).round(4).tolist()
        [0.0, 0.7311, 1.0]
        """
        if (self.scale, self.bias) == (1.0, 0.0):
            return probs
        probs = probs.clip(TINY, 1 - TINY)
        return self.of_logits(np.log(probs) - np.log1p(-probs))


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The calibration of one scheme; by default it changes nothing.

    Attributes:
        mention: A map of the mention logit.
        link_temperature: Antecedent scores are divided by it before they become probabilities.
        link: A map of the probability of an antecedent. The mentions of an entity share out the probability,
            while any of them is right as an antecedent: a probability of 0.3 can mean that most are right.
        new: A map of the probability of starting an entity.
        entity: A map of the entity probability that follows from the links at that temperature.

    >>> calibration = Calibration(link_temperature=0.5, entity=LogisticMap(bias=0.25))
    >>> Calibration.from_dict(calibration.as_dict()) == calibration
    True
    """

    mention: LogisticMap = field(default_factory=LogisticMap)
    link_temperature: float = 1.0
    link: LogisticMap = field(default_factory=LogisticMap)
    new: LogisticMap = field(default_factory=LogisticMap)
    entity: LogisticMap = field(default_factory=LogisticMap)

    def __post_init__(self) -> None:
        check_temperature(self.link_temperature)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Calibration:
        """The inverse of `as_dict`."""
        maps = {name: LogisticMap(**content[name]) for name in ("mention", "link", "new", "entity")}
        return cls(**{**content, **maps})


UNCALIBRATED = Calibration()
