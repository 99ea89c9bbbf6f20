"""Is one system better than another? Paired tests over documents, on counts that add.

The score of a corpus is a quotient of sums over its documents. So a resample of the corpus needs no
document to be scored again: with w_d the number of times that it holds document d, its counts are
Σ_d w_d c_d, a matrix product for many resamples at once, and its score is exact.

The interval is a percentile bootstrap (Efron and Tibshirani, 1993), the p value an approximate
randomisation test (Noreen, 1989). Both take documents as the unit: mentions of one document depend
on each other, so they are drawn or exchanged together. The bootstrap draws runs as well, and has a p value
of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.core.errors import CorelaxError
from corelax.metrics import CONLL, METRICS, AnyCounts, Report, Score, check_metrics

Array = NDArray[Any]

CHUNK = 256  # resamples at a time: weights of 2,802 documents then take 6 MB
TOLERANCE = 1e-10  # two scores this near are equal: they differ by the order of addition only


@dataclass(frozen=True)
class DocumentCounts:
    """What a system counts on each document, in one run or in several that differ by their seed.

    >>> runs = DocumentCounts({"mentions": np.array([[[1, 2, 1, 2], [4, 4, 4, 4]]])})
    >>> runs.seeds, runs.documents, runs.score("mentions").round(4).tolist()
    (1, 2, [0.8333])
    >>> runs.score("mentions", weights=np.array([[2, 0], [0, 2]])).tolist()  # one document twice
    [[0.5], [1.0]]

    Attributes:
        counts: By metric, [seed, document, number]; the numbers are those of `as_tuple()` of the metric's
            kind of counts.
        kinds: The kinds of counts where they are not those of the metrics.
    """

    counts: Mapping[str, Array]
    kinds: Mapping[str, type[AnyCounts]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_metrics(name for name in self.counts if name not in self.kinds)
        names = tuple(self.counts)
        if not names:
            raise CorelaxError("counts of at least one metric are needed")
        for name in names:
            shape, numbers = self.counts[name].shape, len(self._kind(name)().as_tuple())
            if len(shape) != 3 or shape[2] != numbers or 0 in shape:
                wanted = f"[seed, document, {numbers}]"
                raise CorelaxError(f"counts of {name} must be {wanted}, not {list(shape)}")
            if shape[:2] != (self.seeds, self.documents):
                raise CorelaxError(f"{names[0]} and {name} differ in their seeds or documents")
            if not np.isfinite(self.counts[name]).all():  # else p would be as low as can be
                raise CorelaxError(f"counts of {name} hold a number that is not finite")

    @classmethod
    def of(cls, runs: Sequence[Report]) -> DocumentCounts:
        """The counts of runs that were scored with `per_document=True`, documents in the order of the first.

        >>> from corelax import Document, score
        >>> doc = Document.from_sentences("d", [["Ann", "saw", "her"]], clusters=[[(0, 1), (2, 3)]])
        >>> DocumentCounts.of([score(gold=[doc], system=[doc], per_document=True)]).documents
        1
        """
        if not runs or not all(run.documents for run in runs):
            raise CorelaxError("counts of documents come from reports with per_document=True")
        names = list(runs[0].documents)
        if any(set(run.documents) != set(names) for run in runs):
            raise CorelaxError("runs to be compared must be of the same documents")
        counts = {
            metric: np.array(
                [[run.documents[n].counts[metric].as_tuple() for n in names] for run in runs], float
            )
            for metric in runs[0]
        }
        return cls(counts, {metric: type(runs[0].counts[metric]) for metric in counts})

    def only(self, documents: Sequence[int]) -> DocumentCounts:
        """The counts of some of the documents, by their numbers.

        >>> counts = DocumentCounts({"mentions": np.array([[[1, 2, 1, 2], [4, 4, 4, 4]]])})
        >>> counts.only([1]).score("mentions").tolist()
        [1.0]
        """
        chosen = list(documents)
        counts = {name: values[:, chosen] for name, values in self.counts.items()}
        return DocumentCounts(counts, self.kinds)

    def _kind(self, metric: str) -> type[AnyCounts]:
        return self.kinds[metric] if metric in self.kinds else METRICS[metric].counts

    @property
    def seeds(self) -> int:
        return int(next(iter(self.counts.values())).shape[0])

    @property
    def documents(self) -> int:
        return int(next(iter(self.counts.values())).shape[1])

    def scores(self, metric: str) -> list[Score]:
        """Recall, precision and F1 of the corpus for each seed; of "conll" the means of the three."""
        if metric == "conll":
            three = zip(*(self.scores(name) for name in CONLL), strict=True)
            return [Score(*(sum(v) / len(CONLL) for v in zip(*run, strict=True))) for run in three]
        kind = self._kind(metric)
        sums = self.counts[metric].sum(axis=1).tolist()  # [seed, number]
        return [kind.from_tuple(tuple(numbers)).scores() for numbers in sums]

    def score(self, metric: str, weights: Array | None = None) -> Array:
        """F1 of the corpus for each seed, [seed]; "conll" is the mean F1 of MUC, B³ and CEAF_e.

        With weights, how often each document is in a resample, [resample, document]: [resample, seed].
        """
        if weights is None:
            weights = np.ones(self.documents)
        if metric == "conll":
            mean: Array = np.mean([self.score(name, weights) for name in CONLL], axis=0)
            return mean
        if metric not in self.counts:
            raise CorelaxError(f"no counts of {metric!r}; there are {', '.join(self.counts)}")
        # Sums of what was counted, nothing subtracted: an empty side is exactly 0, as `ratio` needs it.
        sums = weights.astype(float) @ self.counts[metric]  # [seed, resample, number]
        f1: Array = self._kind(metric).from_tuple(tuple(sums.T)).scores().f1
        return f1


class Difference(NamedTuple):
    """How much better a system is than its baseline, and how sure that is."""

    mean: float  # of the differences of scores over seeds; 0.01 is one point
    low: float  # the ends of the bootstrap interval
    high: float
    p_value: float  # of the two-sided permutation test
    documents: int
    seeds: int
    resamples: int  # for the interval, and for the p value unless it is exact
    exact: bool  # whether the p value comes from all the permutations instead of a sample
    bootstrap_p: float = 1.0  # of the paired bootstrap over documents and seeds, two-sided


def paired_difference(
    *,
    system: DocumentCounts,
    baseline: DocumentCounts,
    metric: str = "conll",
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Difference:
    """The difference of two systems on the same documents, in the same order, seed by seed.

    With F_s(·) the score of a corpus in run s, the difference is Δ = mean_s (F_s(system) − F_s(baseline)).

    The interval runs between the quantiles (1 ∓ confidence) / 2 of Δ when documents are drawn with
    replacement, the same ones for both systems and all runs, and pairs of runs as well. It thus holds
    both kinds of variation. (A handful of runs shows less variation than there is: S runs drawn from
    themselves have (S − 1) / S of the variance to expect.)

    The p value is the share of exchanges with |Δ| at least as large as observed, where an exchange swaps
    the outputs of the two systems on each document with probability 1/2, in all runs at once. All 2^D of
    them are looked at where they are no more than `resamples`; else `resamples` of them are drawn, and
    p = (1 + hits) / (1 + resamples), since what was observed is one of the possible exchanges too.
    It speaks of these runs on other documents; interval and bootstrap p value speak of other runs as well.

    The bootstrap p value is twice the share of the interval's resamples in which the difference is not of
    the same sign as observed (or is 0), (1 + hits) / (1 + resamples) again, and at most 1.

    >>> right = DocumentCounts({"mentions": np.full((1, 6, 4), 3)})
    >>> half = DocumentCounts({"mentions": np.tile([1, 2, 1, 2], (1, 6, 1))})
    >>> result = paired_difference(system=right, baseline=half, metric="mentions")
    >>> result.mean, result.p_value == 2 / 2**6, result.exact  # extreme: all exchanged, or none
    (0.5, True, True)
    """
    for unit in ("documents", "seeds"):
        ours, theirs = getattr(system, unit), getattr(baseline, unit)
        if ours != theirs:
            raise CorelaxError(f"the system has {ours} {unit}, the baseline {theirs}: no pairs")
    if resamples < 1:
        raise CorelaxError(f"resamples must be at least 1, not {resamples}")
    if not 0 < confidence < 1:
        raise CorelaxError(f"confidence must be between 0 and 1, not {confidence:g}")
    mean = float(np.mean(system.score(metric) - baseline.score(metric)))
    # Streams of their own: neither result then depends on how the other one draws.
    redraw, toss = np.random.default_rng(seed).spawn(2)
    drawn = np.concatenate(list(_bootstrap(system, baseline, metric, resamples, redraw)))
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    against = int(np.count_nonzero(drawn * (1 if mean > 0 else -1) <= TOLERANCE))

    documents = system.documents
    exact = 2**documents <= resamples
    coins = _all_coins(documents) if exact else _sampled_coins(documents, resamples, toss)
    exchanged = np.abs(np.concatenate(list(_exchanges(system, baseline, metric, coins))))
    hits = int(np.count_nonzero(exchanged >= abs(mean) - TOLERANCE))
    return Difference(
        mean=mean,
        low=float(low),
        high=float(high),
        p_value=hits / len(exchanged) if exact else (1 + hits) / (1 + resamples),
        documents=documents,
        seeds=system.seeds,
        resamples=resamples,
        exact=exact,
        bootstrap_p=min(1.0, 2 * (1 + against) / (1 + resamples)),
    )


def _bootstrap(
    system: DocumentCounts,
    baseline: DocumentCounts,
    metric: str,
    resamples: int,
    generator: np.random.Generator,
) -> Iterator[Array]:
    """Δ of corpora and runs drawn with replacement, [resample] in chunks."""
    for_documents, for_seeds = generator.spawn(2)
    for size in _chunks(resamples):
        weights = _draws(system.documents, size, for_documents)  # [resample, document]
        pairs = _draws(system.seeds, size, for_seeds)  # [resample, seed]
        differences = system.score(metric, weights) - baseline.score(metric, weights)
        yield np.mean(pairs * differences, axis=1)  # as many pairs are drawn as there are seeds


def _draws(things: int, size: int, generator: np.random.Generator) -> Array:
    """How often each of n things comes up in n draws with replacement, [size, thing]."""
    return generator.multinomial(things, np.full(things, 1 / things), size=size)


def _exchanges(
    system: DocumentCounts, baseline: DocumentCounts, metric: str, coins: Iterable[Array]
) -> Iterator[Array]:
    """Δ where the two have exchanged the documents whose coin shows 1, [resample] in chunks."""
    names = CONLL if metric == "conll" else [metric]
    pairs = {name: [system.counts[name], baseline.counts[name]] for name in names}
    # The documents of the system, then those of the baseline: weights choose who gets which.
    both = DocumentCounts(
        {name: np.concatenate(pair, axis=1) for name, pair in pairs.items()}, system.kinds
    )
    for coin in coins:  # [resample, document]
        ours = both.score(metric, np.hstack([1 - coin, coin]))  # [resample, seed]
        theirs = both.score(metric, np.hstack([coin, 1 - coin]))
        yield np.mean(ours - theirs, axis=1)


def _sampled_coins(
    documents: int, resamples: int, generator: np.random.Generator
) -> Iterator[Array]:
    """A coin for each document, 0 or 1, [resample, document] in chunks."""
    return (generator.integers(2, size=(size, documents)) for size in _chunks(resamples))


def _all_coins(documents: int) -> Iterator[Array]:
    """Every outcome of a coin for each document, as the binary digits of 0 to 2^D − 1."""
    digits, first = np.arange(documents), 0
    for size in _chunks(2**documents):
        yield np.arange(first, first + size)[:, None] >> digits & 1
        first += size


def _chunks(resamples: int) -> Iterator[int]:
    """Sizes of chunks, small enough for memory.

    >>> list(_chunks(600))
    [256, 256, 88]
    """
    return (min(CHUNK, resamples - start) for start in range(0, resamples, CHUNK))


def holm(p_values: Sequence[float]) -> list[float]:
    """p values of many comparisons at once, adjusted as Holm (1979) does.

    The k-th smallest of n is multiplied by n − k + 1, and none may be smaller than one before it. Below α,
    the chance of even one wrong claim among them all is below α.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda number: p_values[number])
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, number in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[number]))
        adjusted[number] = largest
    return adjusted


def signed(share: float) -> str:
    """A difference in points, with its sign.

    >>> signed(0.0074), signed(-0.0074)
    ('+0.74', '−0.74')
    """
    return f"{100 * share:+.2f}".replace("-", "−")


def interval(difference: Difference) -> str:
    low, high = signed(difference.low), signed(difference.high)
    return f"{signed(difference.mean)} [{low}, {high}]"


def p_text(p_value: float) -> str:
    """A p value.

    >>> p_text(0.0171), p_text(0.0001)
    ('0.017', '< 0.001')
    """
    return f"{p_value:.3f}" if p_value >= 0.001 else "< 0.001"
