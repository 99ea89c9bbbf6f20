"""The flow of a study in a folder: tune, train, choose on dev, then predict the test documents once.

Each step is a list of runs that is written out before the first of them starts:

1. the learning rates of the baseline, with the first seed;
2. those of the other tuned units, which start from the baseline with its best rates;
3. every unit with every seed, seed after seed: if time is up, all rows have the first ones;
4. the predictions of the tables, by the unit of each row that is best on dev.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

from corelax.study.files import DEV, TEST, fold_name, uses_vectors
from corelax.study.folder import LINKS, Run, claim_folder
from corelax.study.plan import BASELINE, RATES, Study, StudyRow, Unit
from corelax.study.runner import Runner
from corelax.train.stage import Note, ignore

Rates = tuple[float, float]  # of the first layer and of the second


class Reproduction:
    """A study in a folder; other parts of the `whole` study can be run in the same folder."""

    def __init__(
        self,
        study: Study,
        runner: Runner,
        seeds: Sequence[int],
        whole: Study | None = None,
        note: Note = ignore,
    ) -> None:
        self.study, self.runner, self.folder, self.seeds = study, runner, runner.folder, seeds
        self._whole, self._note = whole or study, note
        self._units = {unit.name: unit for unit in study.units}
        self._rates: dict[str, Rates] = {}  # once known, asked for again and again
        self._is_prepared = False

    def prepare(self) -> None:
        """Checks settings and files before any training; an error if the folder holds another study."""
        if self._is_prepared:
            return
        # A wrong setting is better found now than after hours.
        configs = [self.folder.chain(unit, self.seeds[0])[-1] for unit in self._whole.units]
        start = self.folder.chain(self._units[BASELINE], self.seeds[0])[-1]
        different = {uses_vectors(config): config for config in (*configs, start)}
        data: dict[str, str] = {}
        for config in different.values():
            data |= self.folder.prepare(config, self._note)
        claim_folder(self.folder.out, {"data": data, **self.identity})
        self._is_prepared = True

    @property
    def identity(self) -> dict[str, Any]:
        """What a folder is a study of, beside its documents."""
        return {"tuned": bool(self._whole.tuned), "settings": dict(self.folder.common)}

    def run(self) -> bool:
        """Trains and predicts; returns whether all is done (else time was up, or runs failed)."""
        self.prepare()
        for step in (self.baseline_rates, self.other_rates, self.training, self.predictions):
            self.runner.run(step())
        if self.runner.out_of_time and not self.runner.is_idle:
            self.runner.run(self.settled(), late=True)
        runs = [*self.training(), *self.predictions()]
        return self._are_all_known() and all(map(self.folder.is_done, runs))

    def baseline_rates(self) -> list[Run]:
        """The runs that tune the learning rates of the baseline."""
        return self._candidates([name for name in self.study.tuned if name == BASELINE])

    def other_rates(self) -> list[Run]:
        """Those that tune the rates of other units, if the baseline has its own."""
        return self._candidates([name for name in self.study.tuned if name != BASELINE])

    def training(self) -> list[Run]:
        """Every unit whose learning rates are known, with every seed."""
        units = [unit for name in self._units if (unit := self.unit(name))]
        return [self.folder.run(unit, seed, (DEV, LINKS)) for seed in self.seeds for unit in units]

    def predictions(self) -> list[Run]:
        """The predictions of the tables, by units that are trained."""
        return self._predictions(self.study.rows)

    def settled(self) -> list[Run]:
        """The predictions that models here can make, of rows whose choice no run to come can change.

        They are made even if time is up: a borrowed machine takes its models along.
        """
        rows = [
            row
            for row in self.study.rows
            if len(row.units) == 1
            or all(len(self._dev_scores(name)) == len(self.seeds) for name in row.units)
        ]
        return [run for run in self._predictions(rows) if self.folder.is_trained(run)]

    def unit(self, name: str) -> Unit | None:
        """A unit with the learning rates that were chosen for it; None if they are not known."""
        unit = self._units[name]
        settings: dict[str, Any] = {}
        if unit.rates and unit.starts_from_baseline and BASELINE in self.study.tuned:
            if (rates := self.rates(BASELINE)) is None:
                return None
            settings |= _rate_settings(rates, f"{BASELINE}.")
        if unit.rates in self.study.tuned:
            if (rates := self.rates(unit.rates)) is None:
                return None
            settings |= _rate_settings(rates)
        return replace(unit, settings={**settings, **unit.settings})

    def rates(self, name: str) -> Rates | None:
        """The learning rates of a tuned unit that are best on dev; None if not all are tried yet."""
        if name not in self._rates:
            scores = self.tried(name)
            for rates in self.study.learning_rates:
                has_failed = (self.seeds[0], _candidate_name(name, rates)) in self.runner.failed
                if rates not in scores and not has_failed:
                    return None
            if not scores:
                return None
            self._rates[name] = max(scores, key=lambda rates: scores[rates])
        return self._rates[name]

    def tried(self, name: str) -> dict[Rates, float]:
        """The dev scores of the learning rates that were tried, with the first seed."""
        candidates = {rates: self._candidate(name, rates) for rates in self.study.learning_rates}
        records = {
            rates: self.folder.record(run) for rates, run in candidates.items() if run is not None
        }
        return {rates: record.dev for rates, record in records.items() if record}

    def chosen(self, row: StudyRow) -> str | None:
        """The unit of a row with the best mean dev score; None if nothing of it is done."""
        scores = {name: self._dev_scores(name) for name in row.units}
        means = {name: mean(of_seeds) for name, of_seeds in scores.items() if of_seeds}
        return max(means, key=lambda name: means[name]) if means else None

    @property
    def part(self) -> str:
        """The part that the tables are about: test, or dev without test documents."""
        return TEST if self.folder.files.test else DEV

    @property
    def failed(self) -> Mapping[tuple[int, str], Exception]:
        """The error of each run that failed, by seed and stage."""
        return self.runner.failed

    def _dev_scores(self, name: str) -> list[float]:
        """Of the seeds that are done."""
        unit = self.unit(name)
        runs = [self.folder.run(unit, seed) for seed in self.seeds] if unit else []
        return [record.dev for run in runs if (record := self.folder.record(run))]

    def _predictions(self, rows: Iterable[StudyRow]) -> list[Run]:
        runs = []
        for row in rows:
            name = self.chosen(row)
            if not name or not (unit := self.unit(name)):
                continue
            predict = [(part, LINKS) for part in dict.fromkeys([DEV, self.part])]
            for seed in self.seeds:
                run = self.folder.run(unit, seed, *predict)
                if self.folder.record(run):  # else it has failed, or time was up
                    runs.append(run)
        return runs

    def _candidates(self, names: Sequence[str]) -> list[Run]:
        every = [(name, rates) for name in names for rates in self.study.learning_rates]
        return [run for name, rates in every if (run := self._candidate(name, rates))]

    def _candidate(self, name: str, rates: Rates) -> Run | None:
        """A tuned unit with given learning rates; None if those of the baseline before it are not known."""
        unit = self._units[name]
        settings = _rate_settings(rates)
        if unit.starts_from_baseline:
            if (before := self.rates(BASELINE)) is None:
                return None
            settings |= _rate_settings(before, f"{BASELINE}.")
        name = _candidate_name(name, rates)
        unit = replace(unit, name=name, settings={**unit.settings, **settings})
        return self.folder.run(unit, self.seeds[0], (DEV, LINKS))

    def _are_all_known(self) -> bool:
        return all(self.unit(name) for name in self._units)


class CrossValidation:
    """A study on every fold of a corpus: each is a study in a folder of its own, as `OUT/fold1`.

    Learning rates, β and T are chosen in each fold, on its dev documents. `Results` pools the folds.
    """

    def __init__(self, out: Path, folds: Sequence[Reproduction], note: Note = ignore) -> None:
        self.out, self.folds, self._note = out, folds, note
        self.done: list[Reproduction] = []  # the folds that can be reported

    def prepare(self) -> None:
        """An error if OUT holds another study. Documents are looked at when their fold is run."""
        claim_folder(self.out, {"folds": len(self.folds), **self.folds[0].identity})

    def run(self) -> bool:
        """Runs one fold after the other; returns whether all are done."""
        self.prepare()
        is_done = True
        for number, fold in enumerate(self.folds, 1):
            self._note(f"fold {number} of {len(self.folds)}")
            fold_done = fold.run()
            is_done = is_done and fold_done
            if fold_done or _can_be_pooled(fold):
                self.done.append(fold)
        return is_done

    @property
    def failed(self) -> Mapping[tuple[int, str], Exception]:
        """The error of each run that failed, by seed and stage (with its fold)."""
        return {
            (seed, f"{fold_name(number)}: {stage}"): error
            for number, fold in enumerate(self.folds, 1)
            for (seed, stage), error in fold.runner.failed.items()
        }


def _can_be_pooled(fold: Reproduction) -> bool:
    """Whether a fold in which runs failed has what others are compared with; its failed rows are left out."""
    runner = fold.runner
    has_baseline = fold.chosen(fold.study.rows[0]) is not None
    return bool(runner.failed) and not runner.out_of_time and has_baseline


def _candidate_name(name: str, rates: Rates) -> str:
    return f"{name}_rates_" + "_".join(f"{rate:g}" for rate in rates)


def _rate_settings(rates: Rates, prefix: str = "") -> dict[str, float]:
    return {f"{prefix}{key}": rate for key, rate in zip(RATES, rates, strict=True)}
