"""The runs of systems that are compared: checked, put into the order of gold, scored document by document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.document.pairing import SIDES, same_documents
from corelax.metrics import CONLL, Report, score
from corelax.metrics.convention import Convention
from corelax.metrics.options import AVERAGE, CompareOptions, Rules

Documents = Sequence[Document]


def checked_documents(name: str, given: object) -> list[Document]:
    """Documents as a list; an error if they are something else, or if there are none.

    >>> checked_documents("gold", "dev.conll")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: gold must be a list of documents, as corelax.read gives it
    """
    documents: list[Any] = list(given) if isinstance(given, Iterable) else [None]
    if not all(isinstance(doc, Document) for doc in documents):
        raise CorelaxError(f"{name} must be a list of documents, as corelax.read gives it")
    if not documents:
        raise CorelaxError(f"{name} has no documents")
    return documents


def _paired_runs(gold: Documents, name: str, given: object, against: str) -> Sequence[Documents]:
    listed = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else given
    if isinstance(listed, list) and listed and not isinstance(listed[0], Document | str):
        runs = [checked_documents(name, run) for run in listed]
    else:
        runs = [checked_documents(name, listed)]
    paired = []
    for run in runs:
        pairs = same_documents(gold=gold, system=run, where=name, sides=(against, SIDES[1]))
        by_name = {ours.name: theirs for ours, theirs in pairs}
        paired.append([by_name[doc.name] for doc in gold])
    return paired


def checked_runs(
    gold: Documents, systems: Mapping[str, object], against: str = SIDES[0]
) -> dict[str, Sequence[Documents]]:
    """By system, its runs with the documents of gold in their order; an error if they cannot be compared."""
    if len(systems) < 2:
        raise CorelaxError("a comparison needs two systems or more")
    runs = {name: _paired_runs(gold, name, given, against) for name, given in systems.items()}
    baseline, *others = runs
    for name in others:
        if len(runs[name]) != len(runs[baseline]):
            raise CorelaxError(
                f"{name} and {baseline} have {len(runs[name])} and {len(runs[baseline])} runs, which are "
                "compared in pairs; give as many of each"
            )
    return runs


def scored(
    gold: Documents,
    run: Documents,
    options: CompareOptions,
    metrics: Sequence[str] | None = None,
) -> Report:
    """A run with the metrics that are wanted and those that "conll" is made of, document by document."""
    metrics = metrics or options.metrics
    if metrics is not None:
        names = dict.fromkeys(name for name in metrics if name != AVERAGE)
        metrics = [*(names | dict.fromkeys(CONLL))] if AVERAGE in metrics else [*names]
        if not metrics:
            raise CorelaxError("name at least one metric to compare by")
    rules = {field.name: getattr(options, field.name) for field in fields(Rules)}
    return score(
        gold=gold, system=run, metrics=metrics, per_document=True, check_text=False, **rules
    )


def unlike_scores(what: str, options: CompareOptions) -> list[str]:
    """What is said of errors and passages, which compare all mentions by their spans.

    >>> unlike_scores("passages", CompareOptions(profile="corefud"))
    ['passages compare exact spans, whatever --match says']
    >>> unlike_scores("passages", CompareOptions(only="np"))
    ['passages have all mentions, whatever --only and --nested say']
    """
    lines = []
    if not Convention(options).is_exact:
        lines.append(f"{what} compare exact spans, whatever --match says")
    if options.only is not None or options.nested == "drop":
        lines.append(f"{what} have all mentions, whatever --only and --nested say")
    return lines
