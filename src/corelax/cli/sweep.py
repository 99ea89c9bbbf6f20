"""`corelax sweep`: a grid of settings, in parallel processes, as a table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from corelax.cli.options import AsJson, Device, InputFormat, Workers, note, print_json
from corelax.core.errors import CorelaxError
from corelax.core.text_table import format_table


def sweep(
    train: Annotated[str, typer.Option(help="Training documents.", show_default=False)],
    dev: Annotated[str, typer.Option(help="Dev documents, by which settings are compared.")],
    out: Annotated[Path, typer.Option(help="Folder for models and tables.")],
    grid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE,VALUE",
            help="Values to try for a setting; repeat it for more settings. Values that hold commas have ; "
            "between them.",
        ),
    ] = None,
    config: Annotated[str, typer.Option(help="A preset or a TOML file, as for train.")] = "lea",
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each combination: seeds 1 to N.")] = 1,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting in all runs."),
    ] = None,
    workers: Workers = None,
    device: Device = "auto",
    format: InputFormat = None,
    minutes: Annotated[
        float | None,
        typer.Option(min=0, help="Begin no run after so long; what runs is finished."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train every combination of some settings, and list them by their score on dev.

    Runs share the stages that they start from, where these are the same. Whatever was finished is not done
    again: the same command goes on after it was interrupted or killed, and a larger grid or more seeds add to
    what is there. The table is also written to OUT as sweep.md, sweep.csv and sweep.json.
    """
    if out.exists() and not out.is_dir():
        raise CorelaxError(f"{out}: is a file; name a folder")
    from corelax.cli.progress import UnitsProgress
    from corelax.core.device import choose_device
    from corelax.core.settings import parse_settings
    from corelax.study.processes import default_workers
    from corelax.study.runner import Runner
    from corelax.study.sweep import parse_grid, sweep_units
    from corelax.study.sweep_run import Sweep
    from corelax.study.units import seed_folder
    from corelax.study.work import Files

    values = parse_grid(grid or [])
    units = sweep_units(config, values, parse_settings(settings or []))
    where = choose_device(device)
    try:
        with UnitsProgress() as progress:
            runner = Runner(
                out, Files(train, dev, format=format), {}, device=where,
                workers=workers or default_workers(where), note=note, progress=progress, minutes=minutes,
            )  # fmt: skip
            work = Sweep(units, list(values), runner, range(1, seeds + 1))
            done = work.run()
    except KeyboardInterrupt:
        note("interrupted; what is finished is kept: the same command goes on")
        sys.exit(130)
    rows, table = work.rows(), work.table()
    finished = sum(len(row.seeds) for row in rows)
    if as_json:
        runs = {"done": finished, "wanted": work.wanted}
        print_json({"out": str(out), "runs": runs, "rows": [row.as_dict() for row in rows]})
    else:
        cells = [[cell.text for cell in row] for group in table.groups for row in group.rows]
        print(format_table(table.columns, cells))
    if not done:
        note(f"{finished} of {work.wanted} runs are done; the same command goes on")
    else:
        note(f"best: {seed_folder(out, 1) / rows[0].unit}")
