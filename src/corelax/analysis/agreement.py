"""Systems side by side on text without gold entities: how far they agree, and where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from corelax.analysis.comparison import passage_dict
from corelax.analysis.passages import choose_differences
from corelax.analysis.runs import checked_runs, scored, unlike_scores
from corelax.document import Document
from corelax.document.statistics import Statistics, count
from corelax.metrics import Report
from corelax.metrics.options import AVERAGE, CompareOptions
from corelax.render.passages import Passage

DEFAULT = ("muc", "b_cubed", "ceaf_e", "lea", "mentions", AVERAGE)


@dataclass(frozen=True)
class Agreement:
    """What `compare_outputs` returns.

    Attributes:
        sizes: By system, how many mentions and entities it has.
        reports: By system (all but the first), its scores with the first system in place of gold.
        metrics: The metrics of the agreement.
        passages: Passages in which systems differ, in the order of the text.
        notes: What passages do unlike scores, a sentence each.
    """

    sizes: Mapping[str, Statistics]
    reports: Mapping[str, Report]
    metrics: Sequence[str]
    passages: Sequence[Passage]
    notes: Sequence[str] = ()

    @property
    def first(self) -> str:
        """The system that the others are held against."""
        return next(iter(self.sizes))

    def score(self, system: str, metric: str) -> float:
        """F1 of the agreement of a system with the first one."""
        report = self.reports[system]
        return float(report.conll if metric == AVERAGE else report[metric].f1)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as `corelax compare --json` prints them."""
        return {
            "first": self.first,
            "systems": {
                name: {"mentions": size.mentions, "entities": size.entities}
                | (
                    {"agreement": {metric: self.score(name, metric) for metric in self.metrics}}
                    if name in self.reports
                    else {}
                )
                for name, size in self.sizes.items()
            },
            "passages": [passage_dict(passage) for passage in self.passages],
            "notes": list(self.notes),
        }


def compare_outputs(
    systems: Mapping[str, Iterable[Document]],
    *,
    options: CompareOptions | None = None,
    **keywords: Any,
) -> Agreement:
    """Compares the entities of systems with each other, where there is no gold standard.

    Args:
        systems: By name, the documents of two systems or more.
        options: What is compared and how.
        **keywords: Fields of `CompareOptions`, such as `singletons="drop"`.

    >>> text = [["Ann", "saw", "Bo"], ["He", "waved"]]
    >>> one = Document.from_sentences("d", text, clusters=[[(2, 3), (3, 4)]])
    >>> other = Document.from_sentences("d", text, clusters=[[(0, 1), (3, 4)]])
    >>> agreement = compare_outputs({"small": [one], "base": [other]})
    >>> agreement.score("base", "mentions"), agreement.passages[0].note
    (0.5, '1 difference')
    """
    options = replace(options or CompareOptions(), **keywords)
    wanted = options.metrics or DEFAULT
    given = {name: list(documents) for name, documents in systems.items()}
    first = next(iter(given), "")
    checked = checked_runs(given.get(first, []), given, against=first)
    runs = {name: run for name, [run] in checked.items()}
    return Agreement(
        sizes={name: count(run) for name, run in runs.items()},
        reports={
            name: scored(runs[first], run, options, wanted)
            for name, run in runs.items()
            if name != first
        },
        metrics=wanted,
        passages=choose_differences(runs, number=options.passages),
        notes=unlike_scores("passages", options),
    )
