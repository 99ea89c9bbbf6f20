"""Results of runs that were made elsewhere, copied into a study: all of them, or none if they do not fit."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import write_bytes
from corelax.study.folder import RESULTS
from corelax.study.records import Record, load_record

_PREDICTIONS = re.compile(r"\.(dev|test)\.(links|entities)\.json$")


def merge_results(
    source: Path, out: Path, check: Callable[[Path, str, int, Record], None] = lambda *_: None
) -> int:
    """Copies the results that a study does not have yet; returns the number of files.

    Args:
        source: The folder of another study, or a copy of its results.
        out: The folder of this one.
        check: Called with the path, unit, seed and record of each unit; raises an error if they do not
            belong to this study. Then nothing is copied.
    """
    folder = results_folder(source)
    paths = sorted(folder.glob("seed*/*.json"), key=_is_record)
    for path in paths:
        if not _PREDICTIONS.search(path.name):
            check(path, path.stem, int(path.parent.name.removeprefix("seed")), load_record(path))
    copied = 0
    for path in paths:  # predictions first: a record that exists has its predictions
        target = out / RESULTS / path.parent.name / path.name
        ours, theirs = (_PREDICTIONS.sub(".json", str(file)) for file in (target, path))
        is_known = Path(ours).exists()
        if is_known and (target.exists() or not _are_equal(Path(ours), Path(theirs))):
            continue  # predictions of another model must not stand beside a record
        target.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(target, path.read_bytes())
        copied += 1
    return copied


def results_folder(study: Path) -> Path:
    """Where a study has its results; an error if the folder holds no study."""
    if not study.is_dir():
        raise CorelaxError(f"{study}: no such folder")
    folder = study / RESULTS
    if not folder.is_dir():
        raise CorelaxError(f"{study}: has no folder {RESULTS}, so it is no study")
    return folder


def _is_record(path: Path) -> tuple[bool, Path]:
    return not _PREDICTIONS.search(path.name), path


def _are_equal(ours: Path, theirs: Path) -> bool:
    return theirs.exists() and ours.read_bytes() == theirs.read_bytes()
