"""The results of a study: what each row scores, and how it compares with the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, stdev
from typing import NamedTuple

import numpy as np

from corelax.analysis.errors import ErrorCounts, count_errors
from corelax.analysis.significance import Difference, DocumentCounts, compare
from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.metrics import CONLL, METRICS, Score
from corelax.study.records import Predicted, Record, predicted_path
from corelax.study.reproduce import START, Reproduction
from corelax.study.study import Grid, Row
from corelax.study.work import DEV

Resolver = tuple[str, str]  # a unit, and how it is decoded


class Spread(NamedTuple):
    """A mean over seeds and the standard deviation, 0 of one seed."""

    mean: float
    sd: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Of some numbers.

        >>> Spread.of([1.0, 3.0]).mean
        2.0
        """
        numbers = list(values)
        return cls(mean(numbers), stdev(numbers) if len(numbers) > 1 else 0.0)


class Outcome(NamedTuple):
    """A row with what is known of it.

    Attributes:
        row: The row.
        unit: Which of its units was chosen on dev.
        records: By seed.
        predicted: By part ("dev", "test"), then by seed.
    """

    row: Row
    unit: str
    records: Mapping[int, Record]
    predicted: Mapping[str, Mapping[int, Predicted]]

    @property
    def resolver(self) -> Resolver:
        """What it is, whatever row it stands in."""
        return self.unit, self.row.decoding

    def seeds(self, part: str) -> list[int]:
        """The seeds that are done."""
        return sorted(self.predicted[part])

    def counts(self, part: str, seeds: Sequence[int] | None = None) -> DocumentCounts:
        """Counts of the documents of a part."""
        seeds = self.seeds(part) if seeds is None else seeds
        return document_counts([self.predicted[part][seed] for seed in seeds])

    def scores(self, part: str, metric: str) -> list[Score]:
        """Recall, precision and F1 of each seed; of "conll" the means of the three metrics."""
        return [corpus_score(self.predicted[part][s], metric) for s in self.seeds(part)]


def document_counts(runs: Sequence[Predicted]) -> DocumentCounts:
    """The counts of several runs over the same documents."""
    metrics = runs[0].counts
    return DocumentCounts({name: np.array([run.counts[name] for run in runs]) for name in metrics})


def corpus_score(predicted: Predicted, metric: str) -> Score:
    """Of all documents together: counts are summed, then divided.

    >>> counts = {"mentions": [[1, 2, 1, 1]]}
    >>> one = Predicted(digest="", documents=["d"], counts=counts, entities=[[]])
    >>> corpus_score(one, "mentions").recall
    0.5
    """
    if metric == "conll":
        three = [corpus_score(predicted, name) for name in CONLL]
        return Score(*(sum(values) / len(CONLL) for values in zip(*three, strict=True)))
    sums = np.sum(predicted.counts[metric], axis=0).tolist()
    return METRICS[metric].counts.from_tuple(tuple(sums)).scores()


class Results:
    """All that is known of a study.

    Args:
        reproduction: The study, run as far as it was.
        is_done: Whether all of it is done. Until then test documents are not predicted, and the tables are
            about dev.
    """

    def __init__(self, reproduction: Reproduction, *, is_done: bool = True) -> None:
        self.reproduction, self.is_done = reproduction, is_done
        self.part = reproduction.part if is_done else DEV
        every = [found for row in reproduction.study.rows if (found := self._outcome(row))]
        start = next((found for found in every if found.row.name == START), None)
        if start is None:
            out = reproduction.runner.out
            raise CorelaxError(
                f"{out}: the baseline is not done yet, so there is nothing to report"
            )
        self.baseline = start  # what others are compared with
        self.outcomes = [found for found in every if self.are_paired(found, start)]

    def outcome(self, name: str) -> Outcome | None:
        """A row by its name, if it is done."""
        return next((found for found in self.outcomes if found.row.name == name), None)

    def are_paired(self, outcome: Outcome, other: Outcome) -> bool:
        """Whether two rows can be compared: some seed is done for both."""
        parts = (DEV, self.part)
        return all(set(outcome.seeds(part)) & set(other.seeds(part)) for part in parts)

    def difference(
        self, outcome: Outcome, to: Outcome | None = None, part: str | None = None
    ) -> Difference:
        """Of the CoNLL score, over the seeds that both have."""
        other, part = to or self.baseline, part or self.part
        seeds = [seed for seed in outcome.seeds(part) if seed in other.seeds(part)]
        return compare(system=outcome.counts(part, seeds), baseline=other.counts(part, seeds))

    def differences(self, part: str) -> dict[Resolver, Difference]:
        """Of all resolvers to the baseline. Rows that chose the same unit are one comparison."""
        others = {o.resolver: o for o in self.outcomes if o.resolver != self.baseline.resolver}
        return {key: self.difference(o, part=part) for key, o in others.items()}

    def points(self, grid: Grid) -> list[tuple[float, list[Score]]]:
        """(value, dev scores of the seeds) of the units of a grid that are done: CoNLL means."""
        found = []
        for value in grid.values:
            predicted = self._predicted(grid.unit_name(value), DEV, "links")
            if predicted:
                found.append((value, [corpus_score(p, "conll") for p in predicted.values()]))
        return found

    def beta_gain(self, grid: Grid) -> tuple[float, Difference] | None:
        """The value of a grid that is best on dev, and how it compares with 1 there: seeds that all have."""
        every = {
            value: self._predicted(grid.unit_name(value), DEV, "links") for value in grid.values
        }
        done = {value: runs for value, runs in every.items() if runs}
        shared = sorted(set.intersection(*map(set, done.values()))) if done else []
        if len(done) < 2 or 1.0 not in done or not shared:
            return None
        counts = {v: document_counts([runs[s] for s in shared]) for v, runs in done.items()}
        best = max(counts, key=lambda value: float(counts[value].score("conll").mean()))
        return best, compare(system=counts[best], baseline=counts[1.0])

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
        out = self.reproduction.runner.out
        paths = {
            seed: predicted_path(out, unit, seed, part, decoding)
            for seed in self.reproduction.seeds
        }
        predicted = self.reproduction.runner.predicted
        return {seed: predicted(path) for seed, path in paths.items() if path.exists()}


def system_documents(gold: Sequence[Document], predicted: Predicted) -> list[Document]:
    """Gold documents with predicted entities in place of their own."""
    clusters = predicted.clusters()
    return [doc.with_clusters(clusters[doc.key]) for doc in gold]
