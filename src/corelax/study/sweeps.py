"""A sweep in one call, `corelax.sweep`: a grid of settings trained with several seeds, and a table of them.

It can be interrupted at any moment. The same call continues it; what is finished is not done again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.files import explain, write_text
from corelax.metrics import CONLL, METRICS
from corelax.rankers.sparse.settings import PRETRAINING
from corelax.render.tables import Cell, Row, Table, table_csv, table_json, titled_table
from corelax.study.files import DEV, Files, one_or_several
from corelax.study.folder import SWEEP, Run, StudyFolder, check_inputs, check_out, seed_folder
from corelax.study.grid import sweep_units, value_text
from corelax.study.options import SweepOptions
from corelax.study.plan import Unit
from corelax.study.results import corpus_score
from corelax.study.runner import Runner, Update, check_failed
from corelax.train.files import document_files
from corelax.train.stage import Note, ignore

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
        unit, settings, *rest = asdict(self).items()
        return dict([unit, settings, ("mean", self.mean), ("sd", self.sd), *rest])


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep that was run, in full or in part.

    Attributes:
        out: Its folder, which has the table as `sweep.md`, `sweep.csv` and `sweep.json`.
        rows: The results of each combination, the best on dev first.
        table: The rows as a table.
        wanted: The number of all runs.
        is_done: Whether all of them are done (else time was up).
    """

    out: Path
    rows: Sequence[SweepRow]
    table: Table
    wanted: int
    is_done: bool

    @property
    def done(self) -> int:
        """The number of runs that are done."""
        return sum(len(row.seeds) for row in self.rows)

    @property
    def best(self) -> Path:
        """The model folder of the best combination, trained with the first seed."""
        return seed_folder(self.out, 1) / self.rows[0].unit

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as `corelax sweep --json` prints them."""
        return {
            "out": str(self.out),
            "runs": {"done": self.done, "wanted": self.wanted},
            "rows": [row.as_dict() for row in self.rows],
        }


def sweep(
    out: str | Path,
    options: SweepOptions | None = None,
    *,
    note: Note = ignore,
    update: Update = lambda *_: None,
    **more: Any,
) -> Swept:
    """Trains every combination of the values of a grid, and lists them by their score on dev.

    Runs share the stages that are the same for them. A larger grid or more seeds in the same folder add
    to what it has. The table is written to the folder at the end, and also after an interruption or an error.

    Args:
        out: The folder for models and tables.
        options: The options; else they are given one by one.
        note: Called with a line for each event that a user should know of.
        update: Called after each change, with how many runs are done and wanted, and the names of those at
            work.
        **more: The fields of `SweepOptions`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name:
    ...     swept = sweep(name, train="examples/data/gold.conll", dev="examples/data/gold.conll",
    ...         grid={"beta_squared": [1, 4]}, settings={"mentions": "gold"}, minutes=0)
    >>> swept.done, swept.wanted, [row.settings for row in swept.rows]
    (0, 2, [{'beta_squared': 1.0}, {'beta_squared': 4.0}])
    """
    out, options = Path(out), options or SweepOptions(**more)
    check_out(out)
    check_inputs(out, options.train, options.dev)
    units = sweep_units(options.config, options.grid, options.settings)
    train, dev = (one_or_several(document_files(each)) for each in (options.train, options.dev))
    folder = StudyFolder(out, Files(train, dev, format=options.format), {})
    runner = Runner(
        folder,
        device=options.device,
        workers=options.workers,
        minutes=options.minutes,
        note=note,
        update=update,
    )
    work = Sweep(units, list(options.grid), folder, range(1, options.seeds + 1))
    work.prepare(note)
    try:
        is_done = runner.run(work.runs())
        check_failed(runner.failed)
    finally:
        write_sweep(work.table(), out)
    return Swept(out, work.rows(), work.table(), len(work.runs()), is_done)


class Sweep:
    """The runs of a sweep, and their results."""

    def __init__(
        self, units: Sequence[Unit], keys: Sequence[str], folder: StudyFolder, seeds: Sequence[int]
    ) -> None:
        self._units, self._keys, self._folder, self._seeds = units, keys, folder, seeds
        self._configs = {unit.name: folder.chain(unit, seeds[0])[-1] for unit in units}

    def prepare(self, note: Note = ignore) -> None:
        """Extracts features."""
        configs = self._configs.values()
        for config in {repr((c.mentions, c.feature_settings)): c for c in configs}.values():
            self._folder.prepare(config, note)

    def runs(self) -> list[Run]:
        """Every unit with the first seed comes before any with the second: a partial table compares all."""
        return [self._run(unit, seed) for seed in self._seeds for unit in self._units]

    def rows(self) -> list[SweepRow]:
        """The results of each unit, the best on dev first, units without a score last."""
        rows = [self._row(unit) for unit in self._units]
        return sorted(rows, key=lambda row: 1.0 if row.mean is None else -row.mean)

    def table(self) -> Table:
        """The rows as a table."""
        links = all(config.objective not in PRETRAINING for config in self._configs.values())
        criteria = {config.criterion for config in self._configs.values()}
        return sweep_table(self.rows(), links=links, criterion=" or ".join(sorted(criteria)))

    def _run(self, unit: Unit, seed: int) -> Run:
        return self._folder.run(unit, seed, (DEV, self._configs[unit.name].decoding))

    def _row(self, unit: Unit) -> SweepRow:
        config, folder = self._configs[unit.name], self._folder
        runs = [self._run(unit, seed) for seed in self._seeds]
        done = [run.seed for run in runs if folder.is_done(run)]
        records = [record for run in runs if run.seed in done and (record := folder.record(run))]
        predicted = [
            folder.predicted(unit.name, seed, DEV, config.decoding)
            for seed in (done if config.objective not in PRETRAINING else [])
        ]
        return SweepRow(
            unit=unit.name,
            settings={key: unit.settings[key] for key in self._keys},
            seeds=done,
            dev=[record.dev for record in records],
            f1=[{name: corpus_score(p, name).f1 for name in CONLL} for p in predicted if p],
            epochs=[record.epoch for record in records],
            seconds=[record.seconds for record in records],
        )


def sweep_table(
    rows: Sequence[SweepRow], *, links: bool = True, criterion: str = "CoNLL F1"
) -> Table:
    """The rows as a table: settings, scores in percent, the epoch that was kept, seconds of a run.

    >>> row = SweepRow(unit="lea_epochs=3", settings={"epochs": 3}, seeds=[1, 2], dev=[0.5, 0.7],
    ...     f1=[{"muc": 0.5, "b_cubed": 0.4, "ceaf_e": 0.6}] * 2, epochs=[2, 3], seconds=[7.25, 9.0])
    >>> print(table_csv(sweep_table([row])).splitlines()[0])
    epochs,CoNLL F1 mean,CoNLL F1 sd,MUC,B³,CEAF-e,kept epoch,seeds,seconds
    >>> [cell.text for cell in sweep_table([row]).groups[0][1][0]]
    ['3', '60.00 ± 14.14', '50.00', '40.00', '60.00', '2.5', '2', '8.1']
    """
    keys = list(rows[0].settings) if rows else []
    metrics = CONLL if links else ()
    best = max((row.mean for row in rows if row.mean is not None), default=None)
    titles = [METRICS[metric].title for metric in metrics]
    return Table(
        SWEEP,
        "Sweep",
        [*keys, criterion, *titles, "kept epoch", "seeds", "seconds"],
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
