"""The results of a study: what each row scores, and how it compares with the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, stdev
from typing import NamedTuple

import numpy as np

from corelax.analysis.errors import ErrorCounts, count_errors
from corelax.analysis.significance import Difference, DocumentCounts, paired_difference
from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.metrics import Score
from corelax.study.files import DEV
from corelax.study.folder import predicted_path
from corelax.study.plan import Grid, Row
from corelax.study.records import Predicted, Record
from corelax.study.reproduction import START, Reproduction

SystemKey = tuple[str, str]  # the name of a unit, and how it is decoded


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
        unit: The unit that was chosen on dev.
        records: By seed.
        predicted: By part ("dev", "test"), then by seed.
    """

    row: Row
    unit: str
    records: Mapping[int, Record]
    predicted: Mapping[str, Mapping[int, Predicted]]

    @property
    def system(self) -> SystemKey:
        """The system of the row. Several rows can have the same."""
        return self.unit, self.row.decoding

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


def document_counts(runs: Sequence[Predicted]) -> DocumentCounts:
    """The counts of several runs over the same documents."""
    metrics = runs[0].counts
    return DocumentCounts({name: np.array([run.counts[name] for run in runs]) for name in metrics})


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
    """The results of a study. Comparisons are computed once and remembered.

    Args:
        reproduction: The study, run in full or in part.
        is_done: Whether all of it is done. Until then test documents are not predicted, and the tables are
            about dev.
    """

    def __init__(self, reproduction: Reproduction, *, is_done: bool = True) -> None:
        self.reproduction, self.is_done = reproduction, is_done
        self.part = reproduction.part if is_done else DEV
        self._differences: dict[tuple[SystemKey, SystemKey, str], Difference] = {}
        self._runs: dict[tuple[str, str, str], dict[int, Predicted]] = {}
        outcomes = [outcome for row in reproduction.study.rows if (outcome := self._outcome(row))]
        start = next((outcome for outcome in outcomes if outcome.row.name == START), None)
        if start is None:
            out = reproduction.runner.out
            raise CorelaxError(
                f"{out}: the baseline is not done yet, so there is nothing to report"
            )
        self.baseline = start  # which others are compared with
        self.outcomes = [outcome for outcome in outcomes if self.are_paired(outcome, start)]

    def outcome(self, name: str) -> Outcome | None:
        """A row by its name, if it is done."""
        return next((outcome for outcome in self.outcomes if outcome.row.name == name), None)

    def are_paired(self, outcome: Outcome, other: Outcome) -> bool:
        """Whether two rows can be compared: at least one seed is done for both."""
        parts = (DEV, self.part)
        return all(set(outcome.seeds(part)) & set(other.seeds(part)) for part in parts)

    @property
    def compared(self) -> dict[SystemKey, Outcome]:
        """The systems that are compared with the baseline, each once, with the last of its rows."""
        systems = {outcome.system: outcome for outcome in self.outcomes}
        return {key: row for key, row in systems.items() if key != self.baseline.system}

    def difference(
        self, outcome: Outcome, to: Outcome | None = None, part: str | None = None
    ) -> Difference:
        """The difference of the CoNLL score, over the seeds that both have.

        Args:
            outcome: A row.
            to: The row to compare it with; else the baseline.
            part: "dev" or "test"; else the part that the tables are about.
        """
        other, part = to or self.baseline, part or self.part
        key = (outcome.system, other.system, part)
        if key not in self._differences:
            seeds = [seed for seed in outcome.seeds(part) if seed in other.seeds(part)]
            self._differences[key] = paired_difference(
                system=outcome.counts(part, seeds), baseline=other.counts(part, seeds)
            )
        return self._differences[key]

    def differences(self, part: str) -> dict[SystemKey, Difference]:
        """The differences of all systems to the baseline. Rows with the same system are one comparison."""
        return {key: self.difference(row, part=part) for key, row in self.compared.items()}

    def points(self, grid: Grid) -> list[tuple[float, list[Score]]]:
        """(value, dev scores of the seeds) of the units of a grid that are done: CoNLL means."""
        points = []
        for value in grid.values:
            if runs := self._predicted(grid.unit_name(value), DEV, "links"):
                points.append((value, [corpus_score(run, "conll") for run in runs.values()]))
        return points

    def beta_gain(self, grid: Grid) -> tuple[float, Difference] | None:
        """The best value of a grid on dev, and its difference to the value 1 there, over shared seeds."""
        every = {
            value: self._predicted(grid.unit_name(value), DEV, "links") for value in grid.values
        }
        done = {value: runs for value, runs in every.items() if runs}
        shared = sorted(set.intersection(*map(set, done.values()))) if done else []
        if len(done) < 2 or 1.0 not in done or not shared:
            return None
        counts = {v: document_counts([runs[s] for s in shared]) for v, runs in done.items()}
        best = max(counts, key=lambda value: float(counts[value].score("conll").mean()))
        return best, paired_difference(system=counts[best], baseline=counts[1.0])

    def errors(self, outcome: Outcome, gold: Sequence[Document]) -> list[ErrorCounts]:
        """The errors of each seed."""
        return [
            count_errors(gold=gold, system=system_documents(gold, predicted))
            for _, predicted in sorted(outcome.predicted[self.part].items())
        ]

    def _outcome(self, row: Row) -> Outcome | None:
        name = self.reproduction.chosen(row)
        unit = name and self.reproduction.unit(name)
        if not name or not unit:
            return None
        runner = self.reproduction.runner
        records = {seed: runner.record(unit, seed) for seed in self.reproduction.seeds}
        predicted = {
            part: self._predicted(name, part, row.decoding)
            for part in dict.fromkeys([DEV, self.part])
        }
        if not all(predicted.values()):
            return None
        done = {seed: record for seed, record in records.items() if record}
        return Outcome(row, name, done, predicted)

    def _predicted(self, unit: str, part: str, decoding: str) -> dict[int, Predicted]:
        """The predictions of a unit by seed, of the seeds that are done."""
        key = (unit, part, decoding)
        if key not in self._runs:
            runner = self.reproduction.runner
            paths = {
                seed: predicted_path(runner.out, unit, seed, part, decoding)
                for seed in self.reproduction.seeds
            }
            self._runs[key] = {
                seed: runner.predicted(path) for seed, path in paths.items() if path.exists()
            }
        return self._runs[key]


def system_documents(gold: Sequence[Document], predicted: Predicted) -> list[Document]:
    """Gold documents with predicted entities in place of their own."""
    clusters = predicted.clusters()
    return [doc.with_clusters(clusters[doc.key]) for doc in gold]
