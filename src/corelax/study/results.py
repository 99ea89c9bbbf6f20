"""The results of a study: what each row scores, and how it compares with the baseline.

A study has one fold, or several whose documents are pooled: counts of all documents are added for each seed,
and tests are over all documents. What was chosen on dev may differ from fold to fold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from statistics import mean, stdev
from typing import NamedTuple

import numpy as np

from corelax.analysis.error_changes import DocumentErrors, count_document_errors, total_difference
from corelax.analysis.significance import Difference, DocumentCounts, paired_difference
from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.io import read
from corelax.metrics import Score
from corelax.study.files import DEV, TEST
from corelax.study.folder import LINKS
from corelax.study.plan import BASELINE, StudyRow
from corelax.study.records import Predicted, Record
from corelax.study.reproduction import Reproduction
from corelax.train.files import document_files

SystemKey = tuple[str, ...]  # the name of the unit in each fold

# What is compared with what, on which part, by which metric, on which documents (all if empty).
Comparison = tuple[SystemKey, SystemKey, str, str, tuple[int, ...]]


class Spread(NamedTuple):
    """A mean over seeds and the standard deviation (0 for one seed)."""

    mean: float
    sd: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The mean and standard deviation of some numbers.

        >>> Spread.of([1.0, 3.0]).mean
        2.0
        """
        numbers = list(values)
        return cls(mean(numbers), stdev(numbers) if len(numbers) > 1 else 0.0)


class Outcome(NamedTuple):
    """A row with its results.

    Attributes:
        row: The row.
        units: The unit that was chosen on dev, in each fold. Several rows can have the same.
        records: By seed, one for each fold.
        predicted: By part ("dev", "test"), then by seed; the documents of all folds.
    """

    row: StudyRow
    units: tuple[str, ...]
    records: Mapping[int, Sequence[Record]]
    predicted: Mapping[str, Mapping[int, Predicted]]

    @property
    def every_record(self) -> list[Record]:
        """The records of all folds and seeds."""
        return [record for folds in self.records.values() for record in folds]

    def seeds(self, part: str) -> list[int]:
        """The seeds that are done."""
        return sorted(self.predicted[part])

    def counts(self, part: str, seeds: Sequence[int] | None = None) -> DocumentCounts:
        """Counts of the documents of a part."""
        seeds = self.seeds(part) if seeds is None else seeds
        return document_counts([self.predicted[part][seed] for seed in seeds])

    def scores(self, part: str, metric: str) -> list[Score]:
        """Recall, precision and F1 of each seed; for "conll" the means of the three metrics."""
        return [corpus_score(self.predicted[part][s], metric) for s in self.seeds(part)]

    def conll(self, part: str) -> Spread:
        """The CoNLL score in percent over seeds."""
        return Spread.of(100 * score.f1 for score in self.scores(part, "conll"))


def document_counts(runs: Sequence[Predicted]) -> DocumentCounts:
    """The counts of several runs over the same documents."""
    metrics = runs[0].counts
    return DocumentCounts({name: np.array([run.counts[name] for run in runs]) for name in metrics})


def pooled(folds: Sequence[Predicted]) -> Predicted:
    """The predictions of several folds as those of one corpus.

    >>> one = Predicted(digest="a", documents=["d"], counts={"mentions": [[1, 2, 1, 1]]}, entities=[[]])
    >>> other = Predicted(digest="b", documents=["e"], counts={"mentions": [[0, 2, 0, 1]]}, entities=[[]])
    >>> pooled([one, other]).documents, corpus_score(pooled([one, other]), "mentions").recall
    (['d', 'e'], 0.25)
    """
    if len(folds) == 1:
        return folds[0]
    return Predicted(
        digest=" ".join(fold.digest for fold in folds),
        documents=[name for fold in folds for name in fold.documents],
        counts={
            metric: [numbers for fold in folds for numbers in fold.counts[metric]]
            for metric in folds[0].counts
        },
        entities=[entities for fold in folds for entities in fold.entities],
    )


def corpus_score(predicted: Predicted, metric: str) -> Score:
    """The score of all documents together: counts are summed, then divided.

    >>> counts = {"mentions": [[1, 2, 1, 1]]}
    >>> predicted = Predicted(digest="", documents=["d"], counts=counts, entities=[[]])
    >>> corpus_score(predicted, "mentions").recall
    0.5
    """
    [score] = document_counts([predicted]).scores(metric)
    return score


class Results:
    """The results of a study. Comparisons are computed once.

    Args:
        folds: The study, run in full or in part; or several, the folds of a corpus.
        is_done: Whether all of it is done. Until then the tables are about dev.
        wanted: How many folds there are in all, if not as many as are given.
    """

    def __init__(
        self, folds: Sequence[Reproduction], *, is_done: bool = True, wanted: int | None = None
    ) -> None:
        self.folds, self.is_done, self.wanted = folds, is_done, wanted or len(folds)
        self.study, self.seeds = folds[0].study, folds[0].seeds  # the same in all folds
        self.part = folds[0].part if is_done else DEV
        self._differences: dict[Comparison, Difference] = {}
        self._beta_gains: dict[str, dict[float, Difference]] = {}
        self._errors: dict[SystemKey, DocumentErrors] = {}
        outcomes = [outcome for row in self.study.rows if (outcome := self._outcome(row))]
        start = next((outcome for outcome in outcomes if outcome.row.name == BASELINE), None)
        if start is None:
            raise CorelaxError(
                f"{folds[0].folder.out}: the baseline is not done yet, so there is nothing to report"
            )
        self.baseline = start  # which others are compared with
        self.outcomes = [outcome for outcome in outcomes if self.are_paired(outcome, start)]

    def outcome(self, name: str) -> Outcome | None:
        """A row by its name, if it is done."""
        return next((outcome for outcome in self.outcomes if outcome.row.name == name), None)

    def named(self, names: Iterable[str]) -> list[Outcome]:
        """Rows by their names, those that are done."""
        return [outcome for name in names if (outcome := self.outcome(name))]

    @property
    def others(self) -> list[Outcome]:
        """All rows but the baseline."""
        return [outcome for outcome in self.outcomes if outcome is not self.baseline]

    def are_paired(self, outcome: Outcome, other: Outcome) -> bool:
        """Whether two rows can be compared: at least one seed is done for both."""
        parts = (DEV, self.part)
        return all(set(outcome.seeds(part)) & set(other.seeds(part)) for part in parts)

    @property
    def compared(self) -> dict[SystemKey, Outcome]:
        """The systems that are compared with the baseline, each once, with the last of its rows."""
        systems = {outcome.units: outcome for outcome in self.outcomes}
        return {key: row for key, row in systems.items() if key != self.baseline.units}

    def difference(
        self,
        outcome: Outcome,
        to: Outcome | None = None,
        part: str | None = None,
        metric: str = "conll",
        documents: tuple[int, ...] = (),
    ) -> Difference:
        """The difference of a score to another row (else the baseline), over the seeds that both have."""
        other, part = to or self.baseline, part or self.part
        key = (outcome.units, other.units, part, metric, documents)
        if key not in self._differences:
            seeds = [seed for seed in outcome.seeds(part) if seed in other.seeds(part)]
            ours, theirs = (one.counts(part, seeds) for one in (outcome, other))
            if documents:
                ours, theirs = ours.only(documents), theirs.only(documents)
            self._differences[key] = paired_difference(system=ours, baseline=theirs, metric=metric)
        return self._differences[key]

    def differences(self, part: str) -> dict[SystemKey, Difference]:
        """The differences of all systems to the baseline. Rows with the same system are one comparison."""
        return {key: self.difference(row, part=part) for key, row in self.compared.items()}

    def points(self, grid: StudyRow) -> dict[float, list[Score]]:
        """By value the dev scores of the units of a row that are done: CoNLL means of each seed.

        Of the seeds that all of them have, so that they compare.
        """
        runs = self._paired_runs(grid)
        return {value: [corpus_score(run, "conll") for run in runs[value]] for value in runs}

    def beta_gains(self, grid: StudyRow) -> dict[float, Difference]:
        """The difference of each value of a row to the value 1 on dev, over the seeds that all have."""
        runs = self._paired_runs(grid)
        if len(runs) < 2 or 1.0 not in runs:
            return {}
        if grid.name not in self._beta_gains:
            counts = {value: document_counts(of_value) for value, of_value in runs.items()}
            self._beta_gains[grid.name] = {
                value: paired_difference(system=of_value, baseline=counts[1.0])
                for value, of_value in counts.items()
            }
        return self._beta_gains[grid.name]

    @cached_property
    def gold(self) -> list[Document]:
        """The documents that the tables are about, with their right answers."""
        files = [fold.folder.files for fold in self.folds]
        parts = [(f.test if f.test and self.part == TEST else f.dev, f.format) for f in files]
        return [
            doc
            for part, format in parts
            for file in document_files(part)
            for doc in read(file, format)
        ]

    def errors(self, outcome: Outcome) -> DocumentErrors:
        """The errors of each seed and document. Rows with the same system share them."""
        if outcome.units not in self._errors:
            predicted = outcome.predicted[self.part]
            runs = [system_documents(self.gold, predicted[seed]) for seed in sorted(predicted)]
            self._errors[outcome.units] = count_document_errors(self.gold, runs)
        return self._errors[outcome.units]

    def error_change(self, outcome: Outcome, kind: str, type: str | None = None) -> Difference:
        """How many more errors of a kind there are than for the baseline, over the seeds that both have."""
        numbers = []
        for one, other in ((outcome, self.baseline), (self.baseline, outcome)):
            seeds, shared = one.seeds(self.part), other.seeds(self.part)
            places = [place for place, seed in enumerate(seeds) if seed in shared]
            numbers.append(self.errors(one).number(kind, type)[places])
        return total_difference(system=numbers[0], baseline=numbers[1])

    def _paired_runs(self, grid: StudyRow) -> dict[float, list[Predicted]]:
        """The dev predictions of the values of a row that are done, of the seeds that all of them have."""
        every = {
            value: self._predicted([name] * len(self.folds), DEV)
            for value, name in zip(grid.values, grid.units, strict=True)
        }
        done = {value: runs for value, runs in every.items() if runs}
        shared = sorted(set.intersection(*map(set, done.values()))) if done else []
        return {value: [runs[seed] for seed in shared] for value, runs in done.items() if shared}

    def _outcome(self, row: StudyRow) -> Outcome | None:
        """A row, over the seeds that all folds have."""
        records: list[dict[int, Record]] = []
        names = []
        for fold in self.folds:
            name = fold.chosen(row)
            unit = name and fold.unit(name)
            if not name or not unit:
                return None
            names.append(name)
            known = {seed: fold.folder.record(fold.folder.run(unit, seed)) for seed in self.seeds}
            records.append({seed: record for seed, record in known.items() if record})
        parts = dict.fromkeys([DEV, self.part])
        predicted = {part: self._predicted(names, part) for part in parts}
        if not all(predicted.values()):
            return None
        shared = sorted(set.intersection(*map(set, records)))
        of_seeds = {seed: [of_fold[seed] for of_fold in records] for seed in shared}
        return Outcome(row, tuple(names), of_seeds, predicted)

    def _predicted(self, units: Sequence[str], part: str) -> dict[int, Predicted]:
        """The predictions of a unit of each fold by seed, of the seeds that are done in all folds."""
        runs = {
            seed: [
                fold.folder.predicted(unit, seed, part, LINKS)
                for fold, unit in zip(self.folds, units, strict=True)
            ]
            for seed in self.seeds
        }
        return {
            seed: pooled([run for run in of_folds if run])
            for seed, of_folds in runs.items()
            if all(of_folds)
        }


def system_documents(gold: Sequence[Document], predicted: Predicted) -> list[Document]:
    """Gold documents with predicted entities in place of their own."""
    clusters = predicted.clusters()
    return [doc.with_clusters(clusters[doc.key]) for doc in gold]
