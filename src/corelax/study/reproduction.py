"""The flow of a study: tune, train, choose on dev, then predict the test documents once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.study.files import DEV, TEST, uses_vectors
from corelax.study.folder import claim_folder
from corelax.study.merging import TRIED, check_results, merge_results
from corelax.study.plan import BASELINE, RATES, Row, Study
from corelax.study.records import Record
from corelax.study.runner import Runner, Wish
from corelax.study.units import Unit
from corelax.train.sparse.presets import PRESETS

PRETRAINED = ("antecedent", "anaphoricity")


class Reproduction:
    """A study on the files of a runner.

    Args:
        study: The plan: units and rows.
        runner: Runs the units; knows folder, files and settings.
        seeds: The seeds of each unit. Learning rates are tuned with the first.
        only: The seeds that are run here, if not all; others may be run elsewhere.
        choose_once: Whether rows choose among their units by the first seed as well; the other seeds then
            train the chosen ones only.
        whole: The study that `study` is a part of, if it is: other parts can be run in the same folder.
    """

    def __init__(
        self,
        study: Study,
        runner: Runner,
        seeds: Sequence[int],
        only: Collection[int] | None = None,
        *,
        choose_once: bool = False,
        whole: Study | None = None,
    ) -> None:
        self.study, self.runner, self.seeds = study, runner, tuple(seeds)
        self._whole = whole or study
        self._choose_once = choose_once
        self._here = [seed for seed in self.seeds if only is None or seed in only]
        self._units = {unit.name: unit for unit in study.units}
        self._is_prepared = False
        self._tuned: dict[str, tuple[float, float]] = {}  # once known, asked for again and again
        self._ready: dict[str, Unit] = {}

    def prepare(self) -> None:
        """Checks settings and files before anything is trained; an error if OUT holds another study.

        `run` calls it if nobody did; a second call does nothing.
        """
        if self._is_prepared:
            return
        # A wrong setting is better found now than after hours.
        configs = [self.runner.chain(unit, self.seeds[0])[-1] for unit in self._whole.units]
        start = self.runner.chain(self._units[BASELINE], self.seeds[0])[-1]
        different = {uses_vectors(config): config for config in (*configs, start)}
        data: dict[str, str] = {}
        for config in different.values():
            data |= self.runner.prepare(config)
        claim_folder(self.runner.out, {"data": data, **self.identity})
        self._is_prepared = True

    @property
    def identity(self) -> dict[str, Any]:
        """What a folder is a study of, beside its documents."""
        return {
            "tuned": bool(self._whole.tuned),
            "chosen once": self._choose_once or None,  # folders of earlier versions do not say it
            "settings": dict(self.runner.common),
        }

    def merge(self, source: Path) -> int:
        """Copies the results of another folder, all or none; returns the number of files."""
        return merge_results(source, self.runner.out, self._check_foreign)

    def check_merge(self, source: Path) -> None:
        """Raises an error if `merge` would."""
        check_results(source, self.runner.out, self._check_foreign)

    def run(self) -> bool:
        """Trains and predicts; returns whether all is done (else time was up, or runs failed)."""
        self.prepare()
        is_done = self.runner.attempt(self._training, self._final)
        if not is_done and self.runner.out_of_time:
            self.runner.predict(self._settled)
            is_done = self.runner.attempt(self._training, self._final)  # begins nothing
        return is_done

    def unit(self, name: str) -> Unit | None:
        """A unit with the learning rates that were chosen for it; None if they are not chosen yet."""
        if name in self._ready:
            return self._ready[name]
        unit = self._units[name]
        settings: dict[str, Any] = {}
        for owner, prefix in ((BASELINE, f"{BASELINE}."), (unit.rates, "")):
            if owner not in self.study.tuned or (owner == BASELINE and not unit.rates):
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
            failed = [r for r in self.study.learning_rates if self._has_failed(name, r)]
            if not scores or len(scores) + len(failed) < len(self.study.learning_rates):
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
        """The mean dev score of a unit over the seeds that are done, of those that choose."""
        unit = self.unit(name)
        if unit is None:
            return None
        seeds = self.seeds[:1] if self._choose_once else self.seeds
        records = [self.runner.record(unit, seed) for seed in seeds]
        scores = [record.dev for record in records if record]
        return mean(scores) if scores else None

    def chosen(self, row: Row) -> str | None:
        """The unit of a row that is best on dev; None if nothing of it is done."""
        scores = {name: self.dev_score(name) for name in row.units}
        done = {name: score for name, score in scores.items() if score is not None}
        return max(done, key=lambda name: done[name]) if done else None

    @property
    def failed(self) -> dict[tuple[int, str], BaseException]:
        """The error of each run that failed, by seed and stage."""
        return self.runner.failed

    @property
    def part(self) -> str:
        """The part that the tables are about: test, or dev without test documents."""
        return TEST if self.runner.files.test else DEV

    def _training(self) -> Iterator[Wish]:
        """Everything to train that is known by now; what others wait for comes first."""
        later = self._after_the_choice() if self._choose_once else set(self._units)
        for seed in self._here[:1]:
            yield from self._pretraining(seed, later)
        for name in self.study.tuned:
            for rates in self.study.learning_rates:
                if candidate := self._candidate(name, rates):
                    yield Wish(candidate, self.seeds[0])
        # Seed after seed: if time is up, all rows have the first ones and can be compared.
        deciding = self.seeds[:1] if self._choose_once else ()
        for seed in dict.fromkeys([*deciding, *self._here]):
            if seed in self._here[1:]:
                yield from self._pretraining(seed, later)
            for name in self._units:
                if (seed in deciding or name in later) and (unit := self.unit(name)):
                    yield Wish(unit, seed)

    def _pretraining(self, seed: int, later: Collection[str]) -> Iterator[Wish]:
        """The stages that runs of a seed start from, side by side; those that runs to come need.

        Args:
            seed: The seed.
            later: The units that every seed trains.
        """
        units = [self.unit(n) for n in self._units if seed == self.seeds[0] or n in later]
        to_train = [unit for unit in units if not (unit and self.runner.record(unit, seed))]
        chains = [self.runner.chain(unit, seed) for unit in to_train if unit]
        stages = {config.stage for chain in chains for config in chain}
        for name in PRETRAINED:
            wish = Wish(Unit(name, name), seed, ())
            is_needed = name in stages or None in to_train  # whose learning rates are not known yet
            if is_needed or self.runner.is_done(wish):  # results can come without their runs
                yield wish

    def _after_the_choice(self) -> set[str]:
        """The units that every seed trains: those that are a row alone, and those that a row has chosen."""
        names = {row.units[0] for row in self.study.rows if len(row.units) == 1}
        for row in self.study.rows:
            has_ended = all(self._has_ended(name, self.seeds[0]) for name in row.units)
            if has_ended and (chosen := self.chosen(row)):
                names.add(chosen)
        return names

    def _has_ended(self, name: str, seed: int) -> bool:
        """Whether a unit has a result, or has failed."""
        return self._is_recorded(name, seed) or (seed, name) in self.runner.failed

    def _is_recorded(self, name: str, seed: int) -> bool:
        """Whether a unit has a result."""
        unit = self.unit(name)
        return unit is not None and self.runner.record(unit, seed) is not None

    @property
    def _will_be_known(self) -> bool:
        """Whether what is run here decides which unit of a row is chosen."""
        return self._choose_once or set(self._here) == set(self.seeds)

    def _settled(self) -> Iterator[Wish]:
        """The predictions of rows in which no run to come can change the choice."""
        deciding = self.seeds[:1] if self._choose_once else self.seeds
        yield from self._predictions(
            row
            for row in self.study.rows
            if not self._will_be_known
            or len(row.units) == 1
            or all(self._is_recorded(name, seed) for name in row.units for seed in deciding)
        )

    def _final(self) -> Iterator[Wish]:
        """The predictions of the tables. Test documents are read only here, and when time is up."""
        return self._predictions(self.study.rows)

    def _predictions(self, rows: Iterable[Row]) -> Iterator[Wish]:
        """The predictions of the chosen unit of each row.

        Where only some seeds are run, it is not known which units all seeds together will choose, so every
        unit that may be chosen predicts; the tables show the chosen ones.
        """
        for row in rows:
            chosen = self.chosen(row)
            names = ([chosen] if chosen else []) if self._will_be_known else row.units
            for unit in filter(None, map(self.unit, names)):
                parts = dict.fromkeys([DEV, self.part])
                for seed in self._here:
                    if self.runner.record(unit, seed):  # else it has failed
                        yield Wish(unit, seed, tuple((part, row.decoding) for part in parts))

    def _has_failed(self, name: str, rates: tuple[float, float]) -> bool:
        return (self.seeds[0], _candidate_name(name, rates)) in self.runner.failed

    def _check_foreign(self, path: Path, name: str, seed: int, record: Record) -> None:
        """Raises an error if a record of another folder is not of this study, whatever its learning rates."""
        unit = self._units.get(name.partition(TRIED)[0])
        if unit is None or seed not in self.seeds:
            raise CorelaxError(f"{path}: this study has no such run; give it the same options")
        chain = self.runner.chain(replace(unit, name=name), seed)
        self.runner.check_record(path, record, chain, but=RATES)

    def _candidate(self, name: str, rates: tuple[float, float]) -> Unit | None:
        """A tuned unit with given learning rates; None if those of the baseline before it are not known."""
        unit = self._units[name]
        settings = _settings(rates, "")
        if self._starts_from_baseline(unit):
            if (before := self.rates(BASELINE)) is None:
                return None
            settings |= _settings(before, f"{BASELINE}.")
        name = _candidate_name(name, rates)
        return replace(unit, name=name, settings={**unit.settings, **settings})

    def _starts_from_baseline(self, unit: Unit) -> bool:
        return BASELINE in PRESETS[unit.preset].get("start", ())


def _candidate_name(name: str, rates: tuple[float, float]) -> str:
    return name + TRIED + "_".join(f"{rate:g}" for rate in rates)


def _settings(rates: tuple[float, float], prefix: str) -> dict[str, float]:
    return {f"{prefix}{key}": rate for key, rate in zip(RATES, rates, strict=True)}
