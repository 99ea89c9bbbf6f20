"""A report: the scores of every metric, as numbers, as JSON and as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.printable import MAX_NAME, shortened
from corelax.core.text_table import format_table
from corelax.metrics.counts import Score
from corelax.metrics.metric import AnyCounts
from corelax.metrics.registry import CONLL, title_of


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
    rows = [[title_of(name), *map(percent, score)] for name, score in scores.items()]
    gaps = [len(rows)]
    if conll is not None:
        rows.append(["CoNLL", "", "", percent(conll)])
    return format_table(["", "Recall", "Precision", f_name], rows, gaps_before=gaps)


@dataclass(frozen=True)
class Report(Mapping[str, Score]):
    """Scores by metric name, and the counts they come from.

    With β other than 1 a score has `f` where it would have `f1`, and there is no CoNLL score, which is a mean
    of F1.

    >>> from corelax.metrics import evaluate
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
        """Whether there is a CoNLL score: its metrics are all there, and their F is F1."""
        return self.beta == 1 and all(name in self.counts for name in CONLL)

    @property
    def conll(self) -> Any:
        """The CoNLL score: the mean of the unrounded F1 of MUC, B³ and CEAF_e."""
        if self.beta != 1:
            raise CorelaxError(
                f"the CoNLL score is a mean of F1; this report has beta={self.beta:g}"
            )
        if missing := [name for name in CONLL if name not in self.counts]:
            raise CorelaxError(f"the CoNLL score needs {', '.join(missing)} as well")
        return sum(self[name].f1 for name in CONLL) / len(CONLL)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, as `corelax score --json` prints them."""
        result: dict[str, Any] = {name: score.as_dict() for name, score in self.items()}
        if self.has_conll:
            result["conll"] = self.conll
        if self.beta != 1:
            result["beta"] = self.beta
        if self.documents:
            result["documents"] = {key: doc.as_dict() for key, doc in self.documents.items()}
        if self.differences:
            result["differences"] = dict(self.differences)
        return result

    def table(self, percent: Callable[[float], str] = rounded_percent) -> str:
        """All scores for people, in percent.

        >>> from corelax.metrics import evaluate
        >>> print(evaluate(gold=[["a", "b"]], system=[["a", "b", "c"]], metrics=["muc"]))
             Recall  Precision     F1
        ─────────────────────────────
        MUC  100.00      50.00  66.67
        """
        return scores_table(self, self.conll if self.has_conll else None, self.f_name, percent)

    __str__ = table

    def documents_table(self, percent: Callable[[float], str] = rounded_percent) -> str:
        """The F of all metrics for each document, where they were asked for."""
        titles = [title_of(name, short=True) for name in self]
        rows = [
            [shortened(key, MAX_NAME), *(percent(score.f) for score in doc.values())]
            + ([percent(doc.conll)] if self.has_conll else [])
            for key, doc in self.documents.items()
        ]
        conll = ["CoNLL"] if self.has_conll else []
        return format_table([f"Document, {self.f_name}", *titles, *conll], rows)
