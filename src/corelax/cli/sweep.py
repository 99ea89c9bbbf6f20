"""`corelax sweep`: a grid of settings, in parallel processes, as a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from corelax.cli.options import AsJson, InputFormat, exit_when_interrupted, note, print_json
from corelax.core.options import Option
from corelax.core.settings import parse_settings
from corelax.core.text_table import format_table
from corelax.study.options import SweepOptions


def sweep(
    options: SweepOptions,
    out: Annotated[Path, Option(help="Folder for models and tables.")],
    grid: Annotated[
        tuple[str, ...],
        Option(
            metavar="KEY=VALUE,VALUE",
            help="Values to try for a setting; repeat it for more settings. Values that hold commas have ; "
            "between them.",
        ),
    ] = (),
    settings: Annotated[
        tuple[str, ...],
        Option("--set", metavar="KEY=VALUE", help="Change a setting in all runs."),
    ] = (),
    format: InputFormat = None,
    as_json: AsJson = False,
) -> None:
    """Train every combination of some settings, and list them by their score on dev.

    Runs share the stages that are the same for them. The same command continues an interrupted sweep, and a
    larger grid or more seeds add to what OUT has. The table is also written to OUT as sweep.md, sweep.csv and
    sweep.json.
    """
    from corelax.cli.progress import UnitsProgress
    from corelax.study import sweep as run_sweep
    from corelax.study.grid import parse_grid

    options = replace(
        options, grid=parse_grid(grid), settings=parse_settings(settings), format=format
    )
    with exit_when_interrupted(), UnitsProgress() as progress:
        swept = run_sweep(out, options, note=note, update=progress.update)
    if as_json:
        print_json(swept.as_dict())
    else:
        cells = [[cell.text for cell in row] for _, rows in swept.table.groups for row in rows]
        print(format_table(swept.table.columns, cells))
    if swept.is_done:
        note(f"best: {swept.best}")
    else:
        note(f"{swept.done} of {swept.wanted} runs are done; the same command continues")
