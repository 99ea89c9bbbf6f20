"""Do systems come in the order that was published? Kendall's τ, with an interval over documents and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from corelax.analysis.significance import Array, DocumentCounts
from corelax.core.errors import CorelaxError


class OrderAgreement(NamedTuple):
    """How well an order of systems agrees with a published one."""

    tau: float  # 1: the same order, −1: the reverse
    low: float  # the ends of the 95 % bootstrap interval
    high: float
    agreeing: int  # pairs of systems in the published order
    pairs: int


def order_agreement(
    published: Mapping[str, float],
    systems: Mapping[str, DocumentCounts],
    *,
    metric: str = "conll",
    resamples: int = 2_000,
    seed: int = 0,
) -> OrderAgreement:
    """Kendall's τ = (agreeing − disagreeing) / all pairs of systems, between two orders.

    Documents and runs are drawn with replacement, the same documents for all systems. Where a system has
    fewer runs than another, as many as both have are drawn.

    >>> def right(number):
    ...     return DocumentCounts({"mentions": np.tile([number, 9, number, 9], (1, 5, 1))})
    >>> order_agreement({"a": 60, "b": 61, "c": 63}, {"a": right(3), "b": right(6), "c": right(5)},
    ...     metric="mentions").tau.__round__(2)
    0.33
    """
    names = [name for name in published if name in systems]
    if len(names) < 2:
        raise CorelaxError("an order needs at least two systems with a published score")
    counts = [systems[name] for name in names]
    documents, runs = counts[0].documents, min(one.seeds for one in counts)
    for_documents, for_runs = np.random.default_rng(seed).spawn(2)
    weights = for_documents.multinomial(documents, np.full(documents, 1 / documents), resamples)
    drawn = for_runs.multinomial(runs, np.full(runs, 1 / runs), resamples)  # [resample, run]
    wanted = [published[name] for name in names]
    here = [float(one.score(metric).mean()) for one in counts]
    resampled = np.array(
        [(one.score(metric, weights)[:, :runs] * drawn).sum(axis=1) / runs for one in counts]
    )  # [system, resample]
    agreeing = int(_agreeing(wanted, np.array(here)[:, None])[0])
    pairs = len(names) * (len(names) - 1) // 2
    taus = 2 * _agreeing(wanted, resampled) / pairs - 1
    low, high = np.quantile(taus, [0.025, 0.975])
    return OrderAgreement(2 * agreeing / pairs - 1, float(low), float(high), agreeing, pairs)


def _agreeing(wanted: Sequence[float], scores: Array) -> Array:
    """How many pairs are in the wanted order, [resample], from scores [system, resample]."""
    agree = [
        np.sign(scores[a] - scores[b]) == np.sign(wanted[a] - wanted[b])
        for a, b in combinations(range(len(wanted)), 2)
    ]
    number: Array = np.sum(agree, axis=0)
    return number
