"""From documents' clusters to a report: every metric over one overlap, documents summed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from corelax.errors import CorelaxError
from corelax.metrics.b_cubed import b_cubed
from corelax.metrics.blanc import blanc
from corelax.metrics.ceaf import ceaf_e, ceaf_m
from corelax.metrics.counted import OverlapCounter
from corelax.metrics.counts import Counts, LinkCounts, Score
from corelax.metrics.lea import lea
from corelax.metrics.matching import MatchingCounter, has_repeats
from corelax.metrics.mentions import mentions
from corelax.metrics.muc import muc
from corelax.metrics.overlap import Overlap

M = TypeVar("M", bound=Hashable)
AnyCounts = Counts | LinkCounts

METRICS: dict[str, Callable[[Overlap], AnyCounts]] = {
    "muc": muc,
    "b_cubed": b_cubed,
    "ceaf_m": ceaf_m,
    "ceaf_e": ceaf_e,
    "blanc": blanc,
    "lea": lea,
    "mentions": mentions,
}
CONLL = ("muc", "b_cubed", "ceaf_e")  # the metrics whose mean F1 is the CoNLL score

# Documents share an overlap until they have so many mentions: enough to make numpy's cost per call
# vanish, few enough that memory stays flat over a long stream of documents.
BATCH_MENTIONS = 20_000


def check_metrics(names: Iterable[str]) -> tuple[str, ...]:
    """The names, or an error that lists the valid ones.

    >>> check_metrics(["lea", "bcub"])
    Traceback (most recent call last):
        ...
    corelax.errors.CorelaxError: unknown metric 'bcub'; choose from muc, b_cubed, ceaf_m, ...
    """
    names = tuple(dict.fromkeys(names))
    for name in names:
        if name not in METRICS:
            raise CorelaxError(f"unknown metric {name!r}; choose from {', '.join(METRICS)}")
    return names


@dataclass(frozen=True)
class Report(Mapping[str, Score]):
    """Scores by metric name, and the counts they come from.

    >>> report = evaluate(gold=[["a", "b"], ["c"]], system=[["a", "b", "c"]])
    >>> report["muc"].precision, round(report.conll, 4)
    (0.5, 0.6381)

    Attributes:
        counts: The summed counts of each metric.
        beta: The β of the F-measure.
        documents: A report for each document, by its key, where they were asked for.
        oddities: What was unusual in the input but could be scored, a line each.
    """

    counts: Mapping[str, AnyCounts]
    beta: float = 1.0
    documents: Mapping[str, Report] = field(default_factory=dict)
    oddities: Sequence[str] = ()

    def __getitem__(self, metric: str) -> Score:
        return self.counts[metric].scores(self.beta)

    def __iter__(self) -> Iterator[str]:
        return iter(self.counts)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def conll(self) -> float:
        """The CoNLL score: the mean of the unrounded F of MUC, B³ and CEAF_e."""
        if missing := [name for name in CONLL if name not in self.counts]:
            raise CorelaxError(f"the CoNLL score needs {', '.join(missing)} as well")
        return sum(float(self[name].f1) for name in CONLL) / len(CONLL)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, as `corelax score --json` prints them."""
        result: dict[str, Any] = {name: score._asdict() for name, score in self.items()}
        if all(name in self.counts for name in CONLL):
            result["conll"] = self.conll
        if self.documents:
            result["documents"] = {key: doc.as_dict() for key, doc in self.documents.items()}
        return result


class Tally:
    """Adds up documents. Give it clusters, take a report.

    Documents without repeated mentions are gathered and counted together; one with repeats is counted
    by the rules of the reference scorer (`matching.py`). With `like_reference` all are, which adds
    numbers in the very order of that program and so gives the same last bits.
    """

    def __init__(
        self, metrics: Iterable[str] = tuple(METRICS), *, like_reference: bool = False
    ) -> None:
        self._names = check_metrics(metrics)
        self._like_reference = like_reference
        self._counts: dict[str, AnyCounts] = {
            name: LinkCounts() if name == "blanc" else Counts() for name in self._names
        }
        self._sets = OverlapCounter()  # documents without repeats
        self._repeats = MatchingCounter()
        self._removed = 0

    @property
    def removed(self) -> int:
        """Repeated system mentions that matching took out so far."""
        return self._removed + self._repeats.removed

    def add(self, *, gold: Iterable[Sequence[M]], system: Iterable[Sequence[M]]) -> None:
        """Adds a document."""
        gold = [cluster for cluster in gold if cluster]
        system = [cluster for cluster in system if cluster]
        by_matching = self._like_reference or has_repeats(gold) or has_repeats(system)
        counter = self._repeats if by_matching else self._sets
        counter.add(gold=gold, system=system)
        # The reference scorer adds up each document by itself, and then the documents.
        if by_matching or counter.mentions >= BATCH_MENTIONS:
            self._count_gathered()

    def add_counts(self, counts: Mapping[str, AnyCounts]) -> None:
        """Adds what another tally has counted, of the same metrics."""
        for name in self._names:
            self._counts[name] = self._counts[name] + counts[name]  # type: ignore[operator]

    def counts(self) -> dict[str, AnyCounts]:
        """The counts of all documents added so far."""
        self._count_gathered()
        return dict(self._counts)

    def _count_gathered(self) -> None:
        if self._sets.mentions:
            overlap = self._sets.overlap()
            self.add_counts({name: METRICS[name](overlap) for name in self._names})
            self._sets = OverlapCounter()
        if self._repeats.mentions:
            counts = {name: METRICS[name](self._repeats.overlap(name)) for name in self._names}
            if "lea" in counts:  # whose recall and precision look at different overlaps
                recall, precision = lea(self._repeats.lea_recall()), counts["lea"]
                counts["lea"] = Counts(*recall.as_tuple()[:2], *precision.as_tuple()[2:])
            self.add_counts(counts)
            self._removed += self._repeats.removed
            self._repeats = MatchingCounter()


def evaluate(
    *,
    gold: Iterable[Iterable[Hashable]],
    system: Iterable[Iterable[Hashable]],
    metrics: Iterable[str] = tuple(METRICS),
    beta: float = 1.0,
) -> Report:
    """Scores one clustering against another. Mentions are any hashable things.

    Singletons count; drop them on both sides first if they should not. For several documents use
    `corelax.score`, or make mentions of different documents different, as in `(document, mention)`
    (all metrics but BLANC, whose links between entities stay inside documents, then agree).

    >>> evaluate(gold=[[1, 2], [3]], system=[[1], [2, 3]])["ceaf_m"].f1
    0.6666666666666666
    """
    tally = Tally(metrics)
    tally.add(gold=[tuple(c) for c in gold], system=[tuple(c) for c in system])
    return Report(tally.counts(), beta=check_beta(beta))


def check_beta(beta: float) -> float:
    """β, or an error unless it is a positive number."""
    if not 0 < beta < float("inf"):
        raise CorelaxError(f"beta must be a positive number, not {beta}")
    return beta
