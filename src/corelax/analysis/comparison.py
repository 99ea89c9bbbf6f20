"""Systems side by side: scores with intervals and p values, errors by type, passages in which they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from corelax.analysis.error_changes import count_document_errors
from corelax.analysis.errors import ErrorCounts, mean_errors
from corelax.analysis.passages import choose_passages
from corelax.analysis.runs import Documents, checked_documents, checked_runs, scored, unlike_scores
from corelax.analysis.significance import Difference, DocumentCounts, holm, paired_difference
from corelax.document import Document
from corelax.metrics import Score
from corelax.metrics.options import AVERAGE, CompareOptions
from corelax.render.passages import Passage

LEVEL = 0.05


@dataclass(frozen=True)
class Comparison:
    """What `compare` returns. The first system is the one that the others are compared with.

    Attributes:
        counts: By system, what it counts on each document in each run.
        metrics: The metrics that are compared; "conll" is the CoNLL score.
        differences: By system (all but the first) and metric, the difference to the first system.
        adjusted: The same p values after Holm's correction for all of them.
        errors: By system, its errors by kind and type of mention; means over its runs.
        passages: Passages in which the first runs differ most, in favour of each side in turn.
        confidence: The confidence of the intervals.
        seed: The seed of the resamples.
        unlike: What errors and passages do unlike scores, a sentence each.
    """

    counts: Mapping[str, DocumentCounts]
    metrics: Sequence[str]
    differences: Mapping[str, Mapping[str, Difference]]
    adjusted: Mapping[str, Mapping[str, float]]
    errors: Mapping[str, ErrorCounts]
    passages: Sequence[Passage]
    confidence: float = 0.95
    seed: int = 0
    unlike: Sequence[str] = ()

    @property
    def baseline(self) -> str:
        return next(iter(self.counts))

    @property
    def documents(self) -> int:
        return self.counts[self.baseline].documents

    @property
    def is_tested(self) -> bool:
        """Whether there are intervals and p values: one document alone cannot be resampled."""
        return self.documents > 1

    def score(self, system: str, metric: str) -> Score:
        """Recall, precision and F1 of a system; means over its runs."""
        runs = self.counts[system].scores(metric)
        return Score(*(sum(values) / len(runs) for values in zip(*runs, strict=True)))

    @property
    def notes(self) -> list[str]:
        """What a reader of the p values, errors and passages must know, a sentence each."""
        if not self.is_tested:
            note = "one document: no interval and no p value; a test needs two documents or more"
            return [note, *self.unlike]
        least = 2 / 2**self.documents  # of an exact test: one system is better in all documents
        number = sum(map(len, self.differences.values()))
        if least * number <= LEVEL:
            return list(self.unlike)
        passes = "" if least > LEVEL else f", and none is below {LEVEL} after Holm's correction"
        note = f"with {self.documents} documents no p value is below {least:.3g}{passes}"
        return [note, *self.unlike]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as `corelax compare --json` prints them."""
        return {
            "documents": self.documents,
            "baseline": self.baseline,
            "confidence": self.confidence,
            "seed": self.seed,
            "systems": {name: self._system_dict(name) for name in self.counts},
            "passages": [passage_dict(passage) for passage in self.passages],
            "notes": self.notes,
        }

    def _system_dict(self, name: str) -> dict[str, Any]:
        result: dict[str, Any] = {
            "runs": self.counts[name].seeds,
            "scores": {metric: self._score_dict(name, metric) for metric in self.metrics},
        }
        if name in self.differences:
            result["differences"] = {
                metric: _difference_dict(difference, self.adjusted[name][metric], self.is_tested)
                for metric, difference in self.differences[name].items()
            }
        return result | {"errors": self.errors[name].as_dict()}

    def _score_dict(self, name: str, metric: str) -> dict[str, Any]:
        score = self.score(name, metric)
        return {"f1": score.f1} if metric == AVERAGE else score.as_dict()  # a mean of F1


def compare(
    gold: Iterable[Document],
    systems: Mapping[str, Iterable[Document] | Iterable[Sequence[Document]]],
    *,
    options: CompareOptions | None = None,
    **keywords: Any,
) -> Comparison:
    """Compares systems on the same documents: scores, differences to the first one, errors, passages.

    For each metric the difference to the first system has a bootstrap interval over documents (and runs), the
    p value of a paired permutation test over documents, and that p value after Holm's correction for all the
    differences of the comparison; see `paired_difference` and `holm`.

    Args:
        gold: The right answers.
        systems: By name, the documents of two systems or more, in any order; or, for systems with several
            seeds, a list of such lists for each. Runs are paired by their position.
        options: What is compared and how.
        **keywords: Fields of `CompareOptions`, such as `metrics=["lea"]` or `singletons="drop"`.

    >>> text = [["Ann", "saw", "Bo"], ["He", "waved"]]
    >>> right = [Document.from_sentences(n, text, clusters=[[(2, 3), (3, 4)]]) for n in "abcdef"]
    >>> wrong = [Document.from_sentences(n, text, clusters=[[(0, 1), (3, 4)]]) for n in "abcdef"]
    >>> comparison = compare(right, {"base": wrong, "lea": right}, metrics=["b_cubed"])
    >>> difference = comparison.differences["lea"]["b_cubed"]
    >>> difference.mean, difference.p_value == 2 / 2**6, comparison.passages[0].note
    (0.75, True, 'lea: 0 errors, base: 1 error')
    """
    options = replace(options or CompareOptions(), **keywords)
    gold = checked_documents("gold", gold)
    runs = checked_runs(gold, systems)
    reports = {
        name: [scored(gold, run, options) for run in of_system] for name, of_system in runs.items()
    }
    counts = {name: DocumentCounts.of(of_system) for name, of_system in reports.items()}
    first = next(iter(reports.values()))[0]
    wanted = options.metrics or (*first, *([AVERAGE] if first.has_conll else []))
    baseline, *others = counts
    differences = {
        name: {
            metric: paired_difference(
                system=counts[name],
                baseline=counts[baseline],
                metric=metric,
                resamples=options.resamples,
                confidence=options.confidence,
                seed=options.seed,
            )
            for metric in wanted
        }
        for name in others
    }
    first_runs = {name: of_system[0] for name, of_system in runs.items()}
    return Comparison(
        counts=counts,
        metrics=wanted,
        differences=differences,
        adjusted=_adjusted(differences),
        errors=_errors(gold, runs),
        passages=choose_passages(gold=gold, systems=first_runs, number=options.passages),
        confidence=options.confidence,
        seed=options.seed,
        unlike=unlike_scores("errors and passages", options),
    )


def passage_dict(passage: Passage) -> dict[str, Any]:
    versions = [
        version._asdict() | {"mentions": [mention._asdict() for mention in version.mentions]}
        for version in passage.versions
    ]
    return passage._asdict() | {"words": list(passage.words), "versions": versions}


def _errors(gold: Documents, runs: Mapping[str, Sequence[Documents]]) -> dict[str, ErrorCounts]:
    every = [run for of_system in runs.values() for run in of_system]
    counts = iter(count_document_errors(gold, every).totals())
    return {name: mean_errors([next(counts) for _ in runs[name]]) for name in runs}


def _adjusted(differences: Mapping[str, Mapping[str, Difference]]) -> dict[str, dict[str, float]]:
    every = [(name, metric) for name, by_metric in differences.items() for metric in by_metric]
    adjusted = holm([differences[name][metric].p_value for name, metric in every])
    result: dict[str, dict[str, float]] = {name: {} for name in differences}
    for (name, metric), p_value in zip(every, adjusted, strict=True):
        result[name][metric] = p_value
    return result


def _difference_dict(difference: Difference, adjusted: float, is_tested: bool) -> dict[str, Any]:
    tested = {
        "low": difference.low,
        "high": difference.high,
        "p": difference.p_value,
        "p_holm": adjusted,
        "exact": difference.exact,
        "bootstrap_p": difference.bootstrap_p,
        "resamples": difference.resamples,
    }
    values: dict[str, Any] = tested if is_tested else dict.fromkeys(tested)
    return {"difference": difference.mean, **values}
