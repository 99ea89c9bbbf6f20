"""Results of runs that were made elsewhere, taken into a study."""

from __future__ import annotations

from pathlib import Path

from corelax.errors import CorelaxError
from corelax.experiments.records import RESULTS
from corelax.io.files import write_bytes


def merge_results(source: Path, out: Path) -> int:
    """Copies the results that a study does not have yet; how many files.

    That they are of the same documents and settings is looked at when they are read.

    Args:
        source: The folder of another study, or a copy of its results.
        out: The folder of this one.
    """
    folder = source / RESULTS
    if not folder.is_dir():
        raise CorelaxError(f"{source}: has no folder {RESULTS}, so it is no study")
    copied = 0
    # Predictions before records: who sees a record finds the predictions too.
    for path in sorted(folder.glob("seed*/*.json"), key=lambda path: (-path.name.count("."), path)):
        target = out / RESULTS / path.parent.name / path.name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(target, path.read_bytes())
            copied += 1
    return copied
