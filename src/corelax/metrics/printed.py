"""Figures as the reference scorer v8.01 prints them: cut, not rounded."""

from __future__ import annotations

from typing import Any

from corelax.metrics.counts import Counts, LinkCounts, Score
from corelax.metrics.report import Report


def cut_percent(share: float) -> float:
    """A percentage cut after two decimals, in doubles as the original does it.

    >>> cut_percent(2 / 3), cut_percent(0.7499999999999999)
    (66.66, 74.99)
    """
    return int(share * 10000) / 100


def number(value: float) -> str:
    """A number as Perl writes it.

    >>> number(7.0), number(11 / 3)
    ('7', '3.66666666666667')
    """
    return str(int(value)) if value == int(value) else f"{value:.15g}"


def printed_percent(share: float) -> str:
    """A percentage as it is printed: cut, without zeros at the end.

    >>> printed_percent(2 / 3), printed_percent(1.0)
    ('66.66', '100')
    """
    return number(cut_percent(share))


def printed_totals(report: Report) -> dict[str, Any]:
    """The totals of every metric: numerators, denominators and cut percentages. F is F1 here.

    >>> from corelax.metrics import evaluate
    >>> totals = printed_totals(evaluate(gold=[[1, 2, 3]], system=[[1, 2]]))["b_cubed"]
    >>> totals["recall"], totals["recall_pct"], totals["f1_pct"]
    ('1.33333333333333/3', 44.44, 61.53)
    """
    return {name: _totals(counts) for name, counts in report.counts.items()}


def _totals(counts: Counts | LinkCounts) -> dict[str, Any]:
    if isinstance(counts, Counts):
        return _line(counts, counts.scores())
    score = counts.scores()
    return {
        **_line(Counts(score.recall, 1, score.precision, 1), score),
        "coreference_links": _totals(counts.inside),
        "non_coreference_links": _totals(counts.between),
    }


def _line(counts: Counts, score: Score) -> dict[str, Any]:
    return {
        "recall": f"{number(counts.recall_num)}/{number(counts.recall_den)}",
        "recall_pct": cut_percent(score.recall),
        "precision": f"{number(counts.precision_num)}/{number(counts.precision_den)}",
        "precision_pct": cut_percent(score.precision),
        "f1_pct": cut_percent(score.f1),
    }
