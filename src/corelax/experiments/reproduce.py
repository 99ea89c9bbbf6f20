"""The flow of a study: tune, train, choose on dev, then predict the test documents once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from statistics import mean
from typing import Any

from corelax.experiments.runner import Runner, Wish
from corelax.experiments.study import Row, Study
from corelax.experiments.units import Unit
from corelax.experiments.work import DEV, TEST
from corelax.train.presets import PRESETS

PRETRAINED = ("antecedent", "anaphoricity")
START = "baseline"


class Reproduction:
    """A study on some files.

    Args:
        study: What to train.
        runner: Where, on which files, with which settings.
        seeds: Of each unit; the first is the one that learning rates are tuned with.
        only: Those of the seeds that are run here; the others may be run elsewhere.
    """

    def __init__(
        self,
        study: Study,
        runner: Runner,
        seeds: Sequence[int],
        only: Collection[int] | None = None,
    ) -> None:
        self.study, self.runner, self.seeds = study, runner, tuple(seeds)
        self._here = [seed for seed in self.seeds if only is None or seed in only]
        self._units = {unit.name: unit for unit in study.units}
        self._tuned: dict[str, tuple[float, float]] = {}  # once known, asked for again and again
        self._ready: dict[str, Unit] = {}

    def run(self) -> bool:
        """Trains everything, and predicts; whether it is done (else the time was up)."""
        for unit in self._units.values():  # a wrong setting is better found now than after hours
            self.runner.chain(unit, self.seeds[0])
        first = self.runner.chain(self._units[START], self.seeds[0])[-1]
        self.runner.prepare(first)
        return self.runner.run(self._training) and self.runner.run(self._final)

    def unit(self, name: str) -> Unit | None:
        """A unit with the learning rates that were chosen for it; None if they are not chosen yet."""
        if name in self._ready:
            return self._ready[name]
        unit = self._units[name]
        settings: dict[str, Any] = {}
        for owner, prefix in ((START, f"{START}."), (unit.rates, "")):
            if owner not in self.study.tuned or (owner == START and not unit.rates):
                continue
            if prefix and not self._starts_from_baseline(unit):
                continue
            if (rates := self.rates(owner)) is None:
                return None
            settings |= _settings(rates, prefix)
        self._ready[name] = replace(unit, settings={**settings, **unit.settings})
        return self._ready[name]

    def rates(self, name: str) -> tuple[float, float] | None:
        """The learning rates of a tuned unit that are best on dev; None if not all are tried yet."""
        if name not in self._tuned:
            scores = self.tried(name)
            if len(scores) < len(self.study.learning_rates):
                return None
            self._tuned[name] = max(scores, key=lambda rates: scores[rates])
        return self._tuned[name]

    def tried(self, name: str) -> dict[tuple[float, float], float]:
        """The dev scores of the learning rates that were tried, with the first seed."""
        scores = {}
        for rates in self.study.learning_rates:
            candidate = self._candidate(name, rates)
            record = candidate and self.runner.record(candidate, self.seeds[0])
            if record:
                scores[rates] = record.dev
        return scores

    def dev_score(self, name: str) -> float | None:
        """The mean dev score of a unit over the seeds that are done."""
        unit = self.unit(name)
        if unit is None:
            return None
        records = [self.runner.record(unit, seed) for seed in self.seeds]
        scores = [record.dev for record in records if record]
        return mean(scores) if scores else None

    def chosen(self, row: Row) -> str | None:
        """The unit of a row that is best on dev; None if nothing of it is done."""
        scores = {name: self.dev_score(name) for name in row.units}
        done = {name: score for name, score in scores.items() if score is not None}
        return max(done, key=lambda name: done[name]) if done else None

    @property
    def part(self) -> str:
        """What the tables are about."""
        return TEST if self.runner.files.test else DEV

    def total(self) -> int:
        """How many runs there are."""
        tuning = len(self.study.tuned) * len(self.study.learning_rates)
        return tuning + len(self.seeds) * (len(self.study.units) + len(PRETRAINED))

    def _training(self) -> Iterator[Wish]:
        """All that is trained, as far as it is known; what others wait for comes first."""
        for seed in self._here:
            units = [self.unit(name) for name in self._units]
            trained = all(unit and self.runner.record(unit, seed) for unit in units)
            for name in PRETRAINED:
                wish = Wish(Unit(name, name), seed, ())
                if not trained or self.runner.is_done(wish):  # results can come without their runs
                    yield wish
        for name in self.study.tuned:
            for rates in self.study.learning_rates:
                if candidate := self._candidate(name, rates):
                    yield Wish(candidate, self.seeds[0])
        for name in self._units:
            if unit := self.unit(name):
                for seed in self._here:
                    yield Wish(unit, seed)

    def _final(self) -> Iterator[Wish]:
        """What the tables need: the chosen unit of each row. Only here test documents are looked at."""
        for row in self.study.rows:
            name = self.chosen(row)
            unit = name and self.unit(name)
            if unit:
                parts = dict.fromkeys([DEV, self.part])
                for seed in self._here:
                    yield Wish(unit, seed, tuple((part, row.decoding) for part in parts))

    def _candidate(self, name: str, rates: tuple[float, float]) -> Unit | None:
        """A tuned unit with some learning rates; None if the rates of what it starts from are not known."""
        unit = self._units[name]
        settings = _settings(rates, "")
        if self._starts_from_baseline(unit):
            if (before := self.rates(START)) is None:
                return None
            settings |= _settings(before, f"{START}.")
        label = "_".join(f"{rate:g}" for rate in rates)
        return replace(unit, name=f"{name}_rates_{label}", settings={**unit.settings, **settings})

    def _starts_from_baseline(self, unit: Unit) -> bool:
        return START in PRESETS[unit.preset].get("start", ())


def _settings(rates: tuple[float, float], prefix: str) -> dict[str, float]:
    first, second = rates
    return {f"{prefix}learning_rate": first, f"{prefix}output_learning_rate": second}
