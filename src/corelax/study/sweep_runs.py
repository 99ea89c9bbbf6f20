"""A sweep: the units of a grid trained with several seeds, and a table of them, the best on dev first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.files import explain, write_text
from corelax.metrics import CONLL, METRICS
from corelax.render.report import Cell, Row, Table
from corelax.render.tables import table_csv, table_json, titled_table
from corelax.study.files import DEV
from corelax.study.folder import SWEEP, predicted_path
from corelax.study.records import load_predicted
from corelax.study.results import corpus_score
from corelax.study.runner import Runner, Wish
from corelax.study.sweep_grid import value_text
from corelax.study.units import Unit
from corelax.train.sparse.config import PRETRAINING, Config

MISSING = Cell("–")


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """The results of one combination of settings.

    >>> row = SweepRow(unit="lea", settings={}, seeds=[1, 2], dev=[0.5, 0.7])
    >>> round(row.mean, 4), round(row.sd, 4)
    (0.6, 0.1414)

    Attributes:
        unit: Its name, and that of its model folders.
        settings: Its values in the grid.
        seeds: The seeds that are done. The lists below have an entry for each.
        dev: The dev score of the epoch that was kept, in [0, 1]: CoNLL, or the score of a pretraining task.
        f1: F1 of MUC, B³ and CEAF_e on dev; empty for pretraining, which links nothing.
        epochs: The epoch that was kept.
        seconds: How long its epochs took, without those of earlier stages.
    """

    unit: str
    settings: Mapping[str, Any]
    seeds: Sequence[int] = ()
    dev: Sequence[float] = ()
    f1: Sequence[Mapping[str, float]] = ()
    epochs: Sequence[int] = ()
    seconds: Sequence[float] = ()

    @property
    def mean(self) -> float | None:
        """The mean dev score; None if no seed is done."""
        return mean(self.dev) if self.dev else None

    @property
    def sd(self) -> float | None:
        """The standard deviation of the dev score over seeds; None for fewer than two."""
        return stdev(self.dev) if len(self.dev) > 1 else None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as `corelax sweep --json` prints them."""
        return {
            "unit": self.unit,
            "settings": dict(self.settings),
            "mean": self.mean,
            "sd": self.sd,
            "seeds": list(self.seeds),
            "dev": list(self.dev),
            "f1": [dict(scores) for scores in self.f1],
            "epochs": list(self.epochs),
            "seconds": list(self.seconds),
        }


class Sweep:
    """Units that are trained with several seeds, and their results.

    Args:
        units: From `sweep_units`.
        keys: The keys of the grid.
        runner: Runs the units; knows folder and files.
        seeds: The seeds. Every unit is trained with the first before any with the second, so that
            an unfinished table already compares all of them.
    """

    def __init__(
        self, units: Sequence[Unit], keys: Sequence[str], runner: Runner, seeds: Sequence[int]
    ) -> None:
        self.units, self.keys, self.runner, self.seeds = units, keys, runner, seeds

    @property
    def wanted(self) -> int:
        """The number of all runs."""
        return len(self.units) * len(self.seeds)

    def run(self) -> bool:
        """Trains what is not trained yet; returns whether all is done (else time was up).

        The table is written to the folder at the end, and also after an interruption or an error.
        """
        configs = [self._config(unit) for unit in self.units]
        for config in {repr((c.mentions, c.feature_settings)): c for c in configs}.values():
            self.runner.prepare(config)
        try:
            return self.runner.run(self._wishes)
        finally:
            write_sweep(self.table(), self.runner.out)

    def table(self) -> Table:
        """The rows as a table."""
        links = all(self._config(unit).objective not in PRETRAINING for unit in self.units)
        criteria = {self._config(unit).criterion for unit in self.units}
        return sweep_table(self.rows(), links=links, criterion=" or ".join(sorted(criteria)))

    def rows(self) -> list[SweepRow]:
        """The results of each unit, the best on dev first, units without a score last."""
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


def sweep_table(
    rows: Sequence[SweepRow], *, links: bool = True, criterion: str = "CoNLL F1"
) -> Table:
    """The rows as a table: settings, scores in percent, the epoch that was kept, seconds of a run.

    Args:
        rows: The rows, in their order.
        links: Whether the dev score is CoNLL (else the score of a pretraining task).
        criterion: What the dev score is.

    >>> row = SweepRow(unit="lea_epochs=3", settings={"epochs": 3}, seeds=[1, 2], dev=[0.5, 0.7],
    ...     f1=[{"muc": 0.5, "b_cubed": 0.4, "ceaf_e": 0.6}] * 2, epochs=[2, 3], seconds=[7.25, 9.0])
    >>> print(table_csv(sweep_table([row])).splitlines()[0])
    epochs,CoNLL F1 mean,CoNLL F1 sd,MUC,B³,CEAF-e,kept epoch,seeds,seconds
    >>> [cell.text for cell in sweep_table([row]).groups[0].rows[0]]
    ['3', '60.00 ± 14.14', '50.00', '40.00', '60.00', '2.5', '2', '8.1']
    """
    keys = list(rows[0].settings) if rows else []
    metrics = CONLL if links else ()
    best = max((row.mean for row in rows if row.mean is not None), default=None)
    return Table(
        SWEEP,
        "Sweep",
        [
            *keys,
            criterion,
            *(METRICS[metric].title for metric in metrics),
            "kept epoch",
            "seeds",
            "seconds",
        ],
        [
            Row(
                [
                    *(_setting(row.settings[key]) for key in keys),
                    _score(row, best=len(rows) > 1 and row.mean == best),
                    *(_mean([100 * s[metric] for s in row.f1], ".2f") for metric in metrics),
                    _mean(row.epochs, ".1f" if len(row.epochs) > 1 else ".0f"),
                    Cell(str(len(row.seeds)), {"value": len(row.seeds)}),
                    _mean(row.seconds, ".1f"),
                ]
            )
            for row in rows
        ],
        "Scores on dev in percent, of metrics F1: mean over seeds, ± standard deviation. Seconds are of "
        "a run's own epochs, without the stages it starts from.",
    )


def write_sweep(table: Table, out: Path) -> None:
    """Writes `sweep.md`, `sweep.csv` and `sweep.json`."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CorelaxError(f"{out}: {explain(error)}") from None
    write_text(out / f"{SWEEP}.md", titled_table(table) + "\n")
    write_text(out / f"{SWEEP}.csv", table_csv(table))
    write_text(out / f"{SWEEP}.json", table_json(table))


def _setting(value: Any) -> Cell:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Cell(value_text(value), {"value": value} if is_number else {})


def _score(row: SweepRow, *, best: bool) -> Cell:
    if row.mean is None:
        return MISSING
    text, values = f"{100 * row.mean:.2f}", {"mean": 100 * row.mean}
    if row.sd is not None:
        text, values["sd"] = f"{text} ± {100 * row.sd:.2f}", 100 * row.sd
    return Cell(text, values, best)


def _mean(values: Sequence[float], form: str) -> Cell:
    if not values:
        return MISSING
    return Cell(f"{mean(values):{form}}", {"value": mean(values)})
