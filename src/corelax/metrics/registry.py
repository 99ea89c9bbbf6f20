"""The metrics there are, by name.

A metric is one file that ends with its `Metric` record. Those of this package are listed here; `register`
adds one from anywhere else. Scoring, relaxing, losses, tables and options look nowhere but here.
"""

from __future__ import annotations

from collections.abc import Iterable

from corelax.core.errors import CorelaxError
from corelax.metrics.b_cubed import B_CUBED
from corelax.metrics.blanc import BLANC
from corelax.metrics.ceaf import CEAF_E, CEAF_M
from corelax.metrics.lea import LEA
from corelax.metrics.mentions import MENTIONS
from corelax.metrics.metric import Metric
from corelax.metrics.muc import MUC

CONLL = ("muc", "b_cubed", "ceaf_e")  # the metrics whose mean F1 is the CoNLL score

METRICS: dict[str, Metric] = {
    metric.name: metric for metric in (MUC, B_CUBED, CEAF_M, CEAF_E, BLANC, LEA, MENTIONS)
}


# Scores that need the nodes of mentions (`corefud/`): of documents only, and not relaxed.
SUPPLEMENTS = {"mor": "MOR", "zero": "Zeros"}
# What the CorefUD scorer prints, in its order.
COREFUD = (*CONLL, "ceaf_m", "blanc", "lea", *SUPPLEMENTS)


def title_of(name: str, *, short: bool = False) -> str:
    """The name of a metric in tables.

    >>> title_of("b_cubed"), title_of("mor")
    ('B³', 'MOR')
    """
    if name in SUPPLEMENTS:
        return SUPPLEMENTS[name]
    metric = METRICS[name]
    return (short and metric.short_title) or metric.title


def register(metric: Metric) -> Metric:
    """Adds a metric of your own; from then on it is scored, relaxed and trained on like the others.

    Write its formula with the attributes and methods of `Overlap` alone, and say in the record what it needs.

    >>> from corelax.metrics import Counts, evaluate
    >>> def links(overlap):
    ...     shared, gold, system = overlap.links, overlap.gold.links, overlap.system.links
    ...     shared, gold, system = map(overlap.total, (shared, gold, system))
    ...     return Counts(shared, gold, shared, system)
    >>> metric = register(Metric("links", "Links", links, pairwise=True))
    >>> evaluate(gold=["abc"], system=["ab", "c"])["links"].recall  # one of three
    0.3333333333333333
    >>> del METRICS["links"]
    """
    if metric.name in (*METRICS, *SUPPLEMENTS, "conll") or not metric.name.isidentifier():
        raise CorelaxError(f"a new metric cannot be called {metric.name!r}")
    METRICS[metric.name] = metric
    return metric


def check_metrics(
    names: Iterable[str] | None = None, *, supplements: bool = False, average: bool = False
) -> tuple[str, ...]:
    """The names, each once, or an error that lists the valid ones. None stands for all metrics.

    Args:
        names: Names from `METRICS`.
        supplements: Whether names from `SUPPLEMENTS` are valid too.
        average: Whether "conll" is valid too.

    >>> check_metrics(["lea", "bcub"])
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: unknown metric 'bcub'; choose from muc, b_cubed, ceaf_m, ...
    """
    if names is None:
        return tuple(METRICS)
    names = (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
    valid = (*METRICS, *(SUPPLEMENTS if supplements else ()), *(["conll"] if average else ()))
    for name in names:
        if name not in valid:
            raise CorelaxError(f"unknown metric {name!r}; choose from {', '.join(valid)}")
    return names
