"""Reliability of probabilities: of predictions with probability 0.8, four in five should be right."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corelax.core.checks import check_number
from corelax.core.errors import CorelaxError

Floats = NDArray[np.float64]
BINS = 15


class Reliability(NamedTuple):
    """How far probabilities are from the share that is right.

    Attributes:
        size: [bin] the number of predictions.
        probability: [bin] their mean probability; not a number in an empty bin.
        right: [bin] the share of them that is right; not a number in an empty bin.
        ece: The expected calibration error, Σ_b size_b / n · |right_b − probability_b|.
        brier: The Brier score, the mean of (probability − right)².
    """

    size: NDArray[np.int64]
    probability: Floats
    right: Floats
    ece: float
    brier: float

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON; empty bins are left out."""
        bins = zip(self.size, self.probability, self.right, strict=True)
        return {
            "number": int(self.size.sum()),
            "ece": self.ece,
            "brier": self.brier,
            "bins": [
                {"size": int(size), "probability": float(probability), "right": float(right)}
                for size, probability, right in bins
                if size
            ],
        }


def reliability(probability: ArrayLike, right: ArrayLike, *, bins: int = BINS) -> Reliability:
    """Compares probabilities with what happened.

    Args:
        probability: [prediction] between 0 and 1.
        right: [prediction] whether it was right.
        bins: The number of bins between 0 and 1, of equal width; one takes its lower end, the last both.

    >>> result = reliability([0.9, 0.9, 0.9, 0.9, 0.2], [1, 1, 1, 0, 0])
    >>> round(result.ece, 3), round(result.brier, 3)  # (4 · |0.75 − 0.9| + 1 · |0 − 0.2|) / 5
    (0.16, 0.176)
    """
    check_number("bins", bins, at_least=1, integer=True)
    probabilities, outcomes = np.asarray(probability, float), np.asarray(right, float)
    if probabilities.ndim != 1 or probabilities.shape != outcomes.shape or not len(probabilities):
        raise CorelaxError("reliability needs two lists of the same length, which are not empty")
    if not ((probabilities >= 0) & (probabilities <= 1)).all():
        raise CorelaxError("probabilities must be between 0 and 1")
    number = np.minimum((probabilities * bins).astype(int), bins - 1)
    size = np.bincount(number, minlength=bins)
    with np.errstate(invalid="ignore"):  # 0 / 0 in empty bins
        means = np.bincount(number, probabilities, bins) / size
        shares = np.bincount(number, outcomes, bins) / size
    gaps = np.abs(shares - means)[size > 0]
    ece = float(np.sum(size[size > 0] * gaps) / len(probabilities))
    return Reliability(size, means, shares, ece, float(np.mean((probabilities - outcomes) ** 2)))
