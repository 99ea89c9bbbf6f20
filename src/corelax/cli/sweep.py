"""`corelax sweep`: a grid of settings, in parallel processes, as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from corelax.cli.options import (
    MOST_SEEDS,
    AsJson,
    InputFormat,
    Workers,
    exit_when_interrupted,
    note,
    print_json,
)
from corelax.cli.parameters import Option
from corelax.core.device import Device
from corelax.core.text_table import format_table


def sweep(
    train: Annotated[
        list[str],
        Option(
            help="Training documents: a file or a folder of files; repeat it for more.",
            show_default=False,
        ),
    ],
    dev: Annotated[
        list[str],
        Option(help="Dev documents, in the same way; settings are compared on them."),
    ],
    out: Annotated[Path, Option(help="Folder for models and tables.")],
    grid: Annotated[
        list[str] | None,
        Option(
            metavar="KEY=VALUE,VALUE",
            help="Values to try for a setting; repeat it for more settings. Values that hold commas have ; "
            "between them.",
        ),
    ] = None,
    config: Annotated[str, Option(help="A preset or a TOML file, as for train.")] = "lea",
    seeds: Annotated[
        int, Option(min=1, max=MOST_SEEDS, help="Runs of each combination: seeds 1 to N.")
    ] = 1,
    settings: Annotated[
        list[str] | None,
        Option("--set", metavar="KEY=VALUE", help="Change a setting in all runs."),
    ] = None,
    workers: Workers = None,
    device: Device = "auto",
    format: InputFormat = None,
    minutes: Annotated[
        float | None,
        Option(min=0, help="Start no run after M minutes; runs that have started are finished."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train every combination of some settings, and list them by their score on dev.

    Runs share the stages that are the same for them. The same command continues an interrupted sweep, and a
    larger grid or more seeds add to what OUT has. The table is also written to OUT as sweep.md, sweep.csv and
    sweep.json.
    """
    from corelax.cli.progress import UnitsProgress
    from corelax.core.settings import parse_settings
    from corelax.study import sweep as run_sweep
    from corelax.study.sweep_grid import parse_grid

    with exit_when_interrupted(), UnitsProgress() as progress:
        swept = run_sweep(
            out,
            train=train,
            dev=dev,
            grid=parse_grid(grid or []),
            config=config,
            seeds=seeds,
            settings=parse_settings(settings or []),
            workers=workers,
            device=device,
            minutes=minutes,
            format=format,
            note=note,
            progress=progress,
        )
    if as_json:
        print_json(swept.as_dict())
    else:
        cells = [[cell.text for cell in row] for group in swept.table.groups for row in group.rows]
        print(format_table(swept.table.columns, cells))
    if swept.is_done:
        note(f"best: {swept.best}")
    else:
        note(f"{swept.done} of {swept.wanted} runs are done; the same command continues")
