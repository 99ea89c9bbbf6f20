"""From clusters to counts: every metric over one overlap, documents summed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from corelax.core.checks import check_beta, check_choice
from corelax.document.clustering import check_clusters, without_singletons
from corelax.metrics.counted import OverlapCounter, has_repeats
from corelax.metrics.counts import Counts
from corelax.metrics.metric import AnyCounts
from corelax.metrics.registry import METRICS, check_metrics
from corelax.metrics.report import Report

if TYPE_CHECKING:
    from corelax.metrics.convention import Prepared

M = TypeVar("M", bound=Hashable)

# Documents share an overlap until they have this many mentions: enough to make numpy's cost per call
# vanish, few enough that memory stays flat over a long stream of documents.
BATCH_MENTIONS = 20_000


class Tally:
    """Adds up documents. Give it clusters, take a report.

    Documents without repeated mentions are gathered and counted together; one with repeats is counted
    by the rules of the reference scorer (`repeated_mentions.py`). With `like_reference` all are, which
    adds numbers in the very order of that program and so gives the same last bits.

    Args:
        metrics: Names from `corelax.metrics.METRICS`; all of them if None.
        like_reference: Whether every document is counted by the rules of the reference scorer.
        supplements: Whether "mor" and "zero" are metrics too, whose counts come with prepared documents.

    >>> tally = Tally(["mentions"])
    >>> tally.add(gold=[["Ann", "she"]], system=[["Ann", "she"]])
    >>> tally.add(gold=[["Bo", "he"]], system=[["Bo"]])
    >>> Report(tally.counts())["mentions"].recall
    0.75
    """

    def __init__(
        self,
        metrics: Iterable[str] | None = None,
        *,
        like_reference: bool = False,
        supplements: bool = False,
    ) -> None:
        names = check_metrics(metrics, supplements=supplements)
        self._metrics = [METRICS[name] for name in names if name in METRICS]
        self._like_reference = like_reference
        self._counts: dict[str, AnyCounts] = {
            name: METRICS[name].counts() if name in METRICS else Counts() for name in names
        }
        self._sets = OverlapCounter()  # documents without repeats, not counted yet
        self.removed = 0  # repeated system mentions that matching took out

    def add(self, *, gold: Iterable[Sequence[M]], system: Iterable[Sequence[M]]) -> None:
        """Adds a document."""
        gold = [cluster for cluster in gold if cluster]
        system = [cluster for cluster in system if cluster]
        if self._like_reference or has_repeats(gold) or has_repeats(system):
            from corelax.metrics.repeated_mentions import RepeatedMentions

            # The reference scorer adds up each document by itself, and then the documents.
            matching = RepeatedMentions(gold=gold, system=system)
            self.add_counts({metric.name: matching.counts(metric) for metric in self._metrics})
            self.removed += matching.removed
            return
        self._sets.add(gold=gold, system=system)
        if self._sets.mentions >= BATCH_MENTIONS:
            self._count_sets()

    def add_prepared(self, document: Prepared) -> None:
        """Adds a document as a convention has prepared it."""
        self.add(gold=document.gold, system=document.system)
        self.add_counts(document.supplements)

    def add_tally(self, other: Tally) -> None:
        """Adds what another tally has counted, of the same metrics."""
        self.add_counts(other.counts())
        self.removed += other.removed

    def counts(self) -> dict[str, AnyCounts]:
        """The counts of all documents added so far."""
        if self._sets.mentions:
            self._count_sets()
        return dict(self._counts)

    def _count_sets(self) -> None:
        overlap = self._sets.overlap()
        self.add_counts({metric.name: metric.formula(overlap) for metric in self._metrics})
        self._sets = OverlapCounter()

    def add_counts(self, counts: Mapping[str, AnyCounts]) -> None:
        """Adds counts of some of the metrics."""
        for name, more in counts.items():
            self._counts[name] = self._counts[name] + more  # type: ignore[operator]


def evaluate(
    *,
    gold: Iterable[Iterable[Hashable]],
    system: Iterable[Iterable[Hashable]],
    metrics: Iterable[str] | None = None,
    beta: float = 1.0,
    singletons: str = "keep",
    match: str = "exact",
    zeros: str = "linear",
) -> Report:
    """Scores one clustering against another. Mentions are any hashable things.

    For several documents use `corelax.score`, or make mentions of different documents different, as in
    `(document, mention)` (all metrics but BLANC, whose links between entities stay inside documents, then
    agree).

    Args:
        gold: The right entities.
        system: The entities to score.
        metrics: Names from `corelax.metrics.METRICS`; all of them if None.
        beta: β of the F-measure; more than 1 favours recall.
        singletons: "keep", or "drop" to take entities of one mention off both sides first.
        match: "exact": equal mentions are the same. "partial" and "head" match others as well, by their
            nodes and heads; mentions are `corelax.metrics.Mention` then.
        zeros: "dependent" first matches zeros by what they depend on; mentions are `Mention` then as well.

    >>> evaluate(gold=[[1, 2], [3]], system=[[1], [2, 3]])["ceaf_m"].f1
    0.6666666666666666
    >>> from corelax.metrics import Mention
    >>> the_dog, dog, it = Mention(((0, 2),), 1), Mention(((1, 2),), 1), Mention(((4, 5),), 4)
    >>> evaluate(gold=[[the_dog, it]], system=[[dog, it]], match="head").conll
    1.0
    """
    check_beta(beta)
    check_choice("match", match, ("exact", "partial", "head"))
    check_choice("zeros", zeros, ("linear", "dependent"))
    tally = Tally(metrics)
    ours = list(without_singletons(check_clusters(gold, "gold"), singletons))
    theirs = list(without_singletons(check_clusters(system, "system"), singletons))
    if (match, zeros) == ("exact", "linear"):
        tally.add(gold=ours, system=theirs)
    else:
        from corelax.metrics.matching import check_mentions, renamed

        mentions = check_mentions(ours, "gold"), check_mentions(theirs, "system")
        gold_names, system_names = renamed(*mentions, match=match, zeros=zeros)
        tally.add(gold=gold_names, system=system_names)
    return Report(tally.counts(), beta=beta)
