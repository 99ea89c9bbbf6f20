"""A sweep in one call: `corelax.sweep`.

It can be interrupted at any moment. The same call continues it; what is finished is not done again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corelax.core.device import choose_device
from corelax.render.report import Table
from corelax.study.executors import Executor, default_workers, make_executor
from corelax.study.files import Files, one_or_several
from corelax.study.folder import check_inputs, check_out, seed_folder
from corelax.study.runner import Progress, Runner
from corelax.study.sweep_grid import sweep_units
from corelax.study.sweep_runs import Sweep, SweepRow
from corelax.train.files import Paths, document_files


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
    *,
    train: Paths,
    dev: Paths,
    grid: Mapping[str, Sequence[Any]],
    config: str = "lea",
    seeds: int = 1,
    settings: Mapping[str, Any] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    device: str = "auto",
    minutes: float | None = None,
    format: str | None = None,
    note: Callable[[str], None] = lambda _: None,
    progress: Progress | None = None,
) -> Swept:
    """Trains every combination of the values of a grid, and lists them by their score on dev.

    Runs share the stages that are the same for them. A larger grid or more seeds in the same folder add
    to what it has.

    Args:
        out: The folder for models and tables.
        train: Training documents: a file, a folder, or several of them.
        dev: Dev documents, in the same way; settings are compared on them.
        grid: The values of each setting: `{"beta_squared": [1, 1.4]}`.
        config: A preset, or a TOML file.
        seeds: How many runs of each combination, with the seeds 1 to N.
        settings: Settings of all runs that differ from the preset.
        workers: How many runs at a time; else one for each core, or 4 on a GPU. One run at a time
            runs in this process, several in processes of their own.
        executor: Where runs are executed, instead of `workers`.
        device: "auto", "cpu" or "cuda".
        minutes: No run is started after this time.
        format: The format of the files; else by suffix or content.
        note: Called with a line for each event that a user should know of.
        progress: Called after each change.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name:
    ...     swept = sweep(name, train="examples/data/gold.conll", dev="examples/data/gold.conll",
    ...         grid={"beta_squared": [1, 4]}, settings={"mentions": "gold"}, minutes=0)
    >>> swept.done, swept.wanted, [row.settings for row in swept.rows]
    (0, 2, [{'beta_squared': 1.0}, {'beta_squared': 4.0}])
    """
    out = Path(out)
    check_out(out)
    check_inputs(out, train, dev)
    units = sweep_units(config, grid, settings)
    where = choose_device(device)
    runner = Runner(
        out,
        Files(
            one_or_several(document_files(train)),
            one_or_several(document_files(dev)),
            format=format,
        ),
        {},
        device=where,
        executor=executor or make_executor(workers or default_workers(where)),
        note=note,
        progress=progress,
        minutes=minutes,
    )
    work = Sweep(units, list(grid), runner, range(1, seeds + 1))
    is_done = work.run()
    return Swept(out, work.rows(), work.table(), work.wanted, is_done)
