"""A sweep: the units of a grid, each trained with several seeds, and the best on dev first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corelax.metrics import CONLL
from corelax.render.report import Table
from corelax.study.records import load_predicted, predicted_path
from corelax.study.results import corpus_score
from corelax.study.runner import Runner, Wish
from corelax.study.sweep_table import SweepRow, sweep_table, write_table
from corelax.study.units import Unit
from corelax.study.work import DEV
from corelax.train.sparse.config import PRETRAINING, Config


class Sweep:
    """Units to be trained with some seeds, and what came of those that are.

    Args:
        units: From `sweep_units`.
        keys: Of the grid.
        runner: Where, on which files.
        seeds: The first is done first with every unit, so that an early look says something.
    """

    def __init__(
        self, units: Sequence[Unit], keys: Sequence[str], runner: Runner, seeds: Sequence[int]
    ) -> None:
        self.units, self.keys, self.runner, self.seeds = units, keys, runner, seeds

    @property
    def wanted(self) -> int:
        """How many runs there are."""
        return len(self.units) * len(self.seeds)

    def run(self) -> bool:
        """Trains what is not trained yet; whether all is done (else the time was up).

        The table is written to the folder at the end, and also after an interruption or an error.
        """
        configs = [self._config(unit) for unit in self.units]
        for config in {repr((c.mentions, c.feature_settings)): c for c in configs}.values():
            self.runner.prepare(config)
        try:
            return self.runner.run(self._wishes)
        finally:
            write_table(self.table(), self.runner.out)

    def table(self) -> Table:
        """The rows for people."""
        links = all(self._config(unit).objective not in PRETRAINING for unit in self.units)
        return sweep_table(self.rows(), links=links)

    def rows(self) -> list[SweepRow]:
        """What is known of each unit, the best on dev first, those without a score last."""
        rows = [self._row(unit) for unit in self.units]
        return sorted(rows, key=lambda row: 1.0 if row.mean is None else -row.mean)

    def _wishes(self) -> Iterator[Wish]:
        for seed in self.seeds:
            for unit in self.units:
                yield self._wish(unit, seed)

    def _wish(self, unit: Unit, seed: int) -> Wish:
        return Wish(unit, seed, ((DEV, self._config(unit).decoding),))

    def _config(self, unit: Unit) -> Config:
        return self.runner.chain(unit, self.seeds[0])[-1]

    def _row(self, unit: Unit) -> SweepRow:
        config = self._config(unit)
        done = [seed for seed in self.seeds if self.runner.is_done(self._wish(unit, seed))]
        records = [record for seed in done if (record := self.runner.record(unit, seed))]
        predictions = [
            load_predicted(predicted_path(self.runner.out, unit.name, seed, DEV, config.decoding))
            for seed in (done if config.objective not in PRETRAINING else [])
        ]
        return SweepRow(
            unit=unit.name,
            settings={key: unit.settings[key] for key in self.keys},
            seeds=done,
            dev=[record.dev for record in records],
            f1=[{name: corpus_score(p, name).f1 for name in CONLL} for p in predictions],
            epochs=[record.epoch for record in records],
            seconds=[record.seconds for record in records],
        )
