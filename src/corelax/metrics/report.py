"""From documents' clusters to a report: every metric over one overlap, documents summed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from corelax.core.checks import check_beta
from corelax.core.errors import CorelaxError
from corelax.core.text_table import format_table
from corelax.document.clustering import without_singletons
from corelax.metrics.b_cubed import b_cubed
from corelax.metrics.blanc import blanc
from corelax.metrics.ceaf import ceaf_e, ceaf_m
from corelax.metrics.counted import OverlapCounter
from corelax.metrics.counts import Counts, LinkCounts, Score
from corelax.metrics.lea import lea
from corelax.metrics.mentions import mentions
from corelax.metrics.muc import muc
from corelax.metrics.overlap import Overlap
from corelax.metrics.reference.matching import Matching, has_repeats

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
TITLES = {
    "muc": "MUC",
    "b_cubed": "B³",
    "ceaf_m": "CEAF-m",
    "ceaf_e": "CEAF-e",
    "blanc": "BLANC",
    "lea": "LEA",
    "mentions": "Mentions",
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
    corelax.core.errors.CorelaxError: unknown metric 'bcub'; choose from muc, b_cubed, ceaf_m, ...
    """
    names = (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
    for name in names:
        if name not in METRICS:
            raise CorelaxError(f"unknown metric {name!r}; choose from {', '.join(METRICS)}")
    return names


def rounded_percent(share: float) -> str:
    """A share in percent, as tables show it.

    >>> rounded_percent(2 / 3)
    '66.67'
    """
    try:
        return f"{100 * share:.2f}"
    except TypeError:
        raise CorelaxError(
            "a table has one score for a metric: pool the documents of a batch"
        ) from None


def scores_table(
    scores: Mapping[str, Sequence[float]],
    conll: float | None,
    f_name: str = "F1",
    percent: Callable[[float], str] = rounded_percent,
) -> str:
    """(recall, precision, F) of each metric for people, in percent."""
    rows = [[TITLES[name], *map(percent, score)] for name, score in scores.items()]
    gaps = [len(rows)]
    if conll is not None:
        rows.append(["CoNLL", "", "", percent(conll)])
    return format_table(["", "Recall", "Precision", f_name], rows, gaps_before=gaps)


@dataclass(frozen=True)
class Report(Mapping[str, Score]):
    """Scores by metric name, and the counts they come from.

    >>> report = evaluate(gold=[["a", "b"], ["c"]], system=[["a", "b", "c"]])
    >>> report["muc"].precision, round(report.conll, 4)
    (0.5, 0.6381)

    Attributes:
        counts: The summed counts of each metric.
        beta: The β of the F-measure.
        documents: A report for each document, by its name, where they were asked for.
        differences: What the sides do not agree on, by document, where it was asked for.
        oddities: What was unusual in the input but could be scored, a line each.
    """

    counts: Mapping[str, AnyCounts]
    beta: float = 1.0
    documents: Mapping[str, Report] = field(default_factory=dict)
    differences: Mapping[str, Sequence[str]] = field(default_factory=dict)
    oddities: Sequence[str] = ()

    def __getitem__(self, metric: str) -> Score:
        return self.counts[metric].scores(self.beta)

    def __iter__(self) -> Iterator[str]:
        return iter(self.counts)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def f_name(self) -> str:
        """F1, F2, ...: which F-measure this is."""
        return f"F{self.beta:g}"

    @property
    def has_conll(self) -> bool:
        """Whether the metrics of the CoNLL score are all there."""
        return all(name in self.counts for name in CONLL)

    @property
    def conll(self) -> Any:
        """The CoNLL score: the mean of the unrounded F of MUC, B³ and CEAF_e."""
        if missing := [name for name in CONLL if name not in self.counts]:
            raise CorelaxError(f"the CoNLL score needs {', '.join(missing)} as well")
        return sum(self[name].f1 for name in CONLL) / len(CONLL)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, as `corelax score --json` prints them."""
        result: dict[str, Any] = {name: score._asdict() for name, score in self.items()}
        if self.has_conll:
            result["conll"] = self.conll
        if self.beta != 1:
            result["beta"] = self.beta
        if self.documents:
            result["documents"] = {key: doc.as_dict() for key, doc in self.documents.items()}
        if self.differences:
            result["differences"] = dict(self.differences)
        return result

    def __str__(self) -> str:
        return self.table()

    def table(self, percent: Callable[[float], str] = rounded_percent) -> str:
        """All scores for people, in percent.

        >>> print(evaluate(gold=[["a", "b"]], system=[["a", "b", "c"]], metrics=["muc"]))
             Recall  Precision     F1
        ─────────────────────────────
        MUC  100.00      50.00  66.67
        """
        return scores_table(self, self.conll if self.has_conll else None, self.f_name, percent)

    def documents_table(self, percent: Callable[[float], str] = rounded_percent) -> str:
        """The F of all metrics for each document, where they were asked for."""
        titles = [TITLES[name].replace("Mentions", "Ment.") for name in self]
        rows = [
            [key, *(percent(score.f1) for score in doc.values())]
            + ([percent(doc.conll)] if self.has_conll else [])
            for key, doc in self.documents.items()
        ]
        conll = ["CoNLL"] if self.has_conll else []
        return format_table([f"Document, {self.f_name}", *titles, *conll], rows)


class Tally:
    """Adds up documents. Give it clusters, take a report.

    Documents without repeated mentions are gathered and counted together; one with repeats is counted
    by the rules of the reference scorer (`matching.py`). With `like_reference` all are, which adds
    numbers in the very order of that program and so gives the same last bits.

    >>> tally = Tally(["mentions"])
    >>> tally.add(gold=[["Ann", "she"]], system=[["Ann", "she"]])
    >>> tally.add(gold=[["Bo", "he"]], system=[["Bo"]])
    >>> Report(tally.counts())["mentions"].recall
    0.75
    """

    def __init__(
        self, metrics: Iterable[str] = tuple(METRICS), *, like_reference: bool = False
    ) -> None:
        self._names = check_metrics(metrics)
        self._like_reference = like_reference
        self._counts: dict[str, AnyCounts] = {
            name: LinkCounts() if name == "blanc" else Counts() for name in self._names
        }
        self._sets = OverlapCounter()  # documents without repeats, not counted yet
        self.removed = 0  # repeated system mentions that matching took out

    def add(self, *, gold: Iterable[Sequence[M]], system: Iterable[Sequence[M]]) -> None:
        """Adds a document."""
        gold = [cluster for cluster in gold if cluster]
        system = [cluster for cluster in system if cluster]
        if self._like_reference or has_repeats(gold) or has_repeats(system):
            # The reference scorer adds up each document by itself, and then the documents.
            self._count_matched(Matching(gold=gold, system=system))
            return
        self._sets.add(gold=gold, system=system)
        if self._sets.mentions >= BATCH_MENTIONS:
            self._count_sets()

    def counts(self) -> dict[str, AnyCounts]:
        """The counts of all documents added so far."""
        self._count_sets()
        return dict(self._counts)

    def _count_sets(self) -> None:
        if self._sets.mentions:
            overlap = self._sets.overlap()
            self.add_counts({name: METRICS[name](overlap) for name in self._names})
            self._sets = OverlapCounter()

    def _count_matched(self, matching: Matching[M]) -> None:
        counts = {name: METRICS[name](matching.overlap(name)) for name in self._names}
        if "lea" in counts:  # whose recall and precision look at different overlaps
            recall, precision = lea(matching.by_key_mention()), counts["lea"]
            counts["lea"] = Counts(*recall.as_tuple()[:2], *precision.as_tuple()[2:])
        self.add_counts(counts)
        self.removed += matching.removed

    def add_counts(self, counts: Mapping[str, AnyCounts]) -> None:
        """Adds what another tally has counted, of the same metrics."""
        for name in self._names:
            self._counts[name] = self._counts[name] + counts[name]  # type: ignore[operator]


def evaluate(
    *,
    gold: Iterable[Iterable[Hashable]],
    system: Iterable[Iterable[Hashable]],
    metrics: Iterable[str] = tuple(METRICS),
    beta: float = 1.0,
    singletons: str = "keep",
) -> Report:
    """Scores one clustering against another. Mentions are any hashable things.

    Singletons count unless `singletons` is "drop", which takes them off both sides. For several documents use
    `corelax.score`, or make mentions of different documents different, as in `(document, mention)`
    (all metrics but BLANC, whose links between entities stay inside documents, then agree).

    >>> evaluate(gold=[[1, 2], [3]], system=[[1], [2, 3]])["ceaf_m"].f1
    0.6666666666666666
    """
    tally = Tally(metrics)
    tally.add(
        gold=without_singletons(check_clusters(gold, "gold"), singletons),
        system=without_singletons(check_clusters(system, "system"), singletons),
    )
    return Report(tally.counts(), beta=check_beta(beta))


def check_clusters(clusters: Iterable[Iterable[Hashable]], side: str) -> list[tuple[Hashable, ...]]:
    """The clusters as tuples, or an error if their mentions cannot be compared."""
    result = [tuple(cluster) for cluster in clusters]
    for mention in (mention for cluster in result for mention in cluster):
        if isinstance(mention, list):
            raise CorelaxError(f"{side}: mention {mention} is a list; make mentions tuples")
        if hasattr(mention, "detach"):
            raise CorelaxError(
                f"{side}: mentions are tensors, each equal to itself only; use .tolist()"
            )
    return result
