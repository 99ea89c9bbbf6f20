"""Results of runs that were made elsewhere, copied into a study: all of them, or none if they do not fit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.files import write_bytes
from corelax.study.folder import RESULTS
from corelax.study.records import Record, load_record

TRIED = (
    "_rates_"  # in the names of runs that try learning rates, which every piece of a study needs
)
_PREDICTIONS = re.compile(r"\.(dev|test)\.(links|entities)\.json$")
Check = Callable[[Path, str, int, Record], None]


def merge_results(source: Path, out: Path, check: Check = lambda *_: None) -> int:
    """Copies the results that a study does not have yet; returns the number of files.

    Args:
        source: The folder of another study, or a copy of its results.
        out: The folder of this one.
        check: Called with the path, unit, seed and record of each unit; raises an error if they do not
            belong to this study. Then nothing is copied.
    """
    check_results(source, out, check)
    copied = 0
    for path in _paths(source):  # predictions first: a record that exists has its predictions
        target = out / RESULTS / path.parent.name / path.name
        ours, theirs = (_PREDICTIONS.sub(".json", str(file)) for file in (target, path))
        is_known = Path(ours).exists()
        if is_known and (target.exists() or not _are_equal(Path(ours), Path(theirs))):
            continue  # predictions of another model must not stand beside a record
        target.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(target, path.read_bytes())
        copied += 1
    return copied


def check_results(source: Path, out: Path, check: Check) -> None:
    """Raises an error if results do not belong to a study, or if it has other results of the same runs.

    The same results a second time change nothing. Of runs that try learning rates, which several pieces of a
    study may have made, the first are kept.

    Args:
        source: As for `merge_results`.
        out: As for `merge_results`.
        check: As for `merge_results`.
    """
    for path in _paths(source):
        if _PREDICTIONS.search(path.name):
            continue
        record = load_record(path)
        check(path, path.stem, int(path.parent.name.removeprefix("seed")), record)
        present = out / RESULTS / path.parent.name / path.name
        is_known = TRIED not in path.stem and present.exists()
        if is_known and _outcome(load_record(present)) != _outcome(record):
            raise CorelaxError(f"{path}: {out} has another result of this run; keep one of them")


def results_folder(study: Path) -> Path:
    """Where a study has its results; an error if the folder holds no study."""
    if not study.is_dir():
        raise CorelaxError(f"{study}: no such folder")
    folder = study / RESULTS
    if not folder.is_dir():
        raise CorelaxError(f"{study}: has no folder {RESULTS}, so it is no study")
    return folder


def _paths(source: Path) -> list[Path]:
    return sorted(results_folder(source).glob("seed*/*.json"), key=_is_record)


def _is_record(path: Path) -> tuple[bool, Path]:
    return not _PREDICTIONS.search(path.name), path


def _are_equal(ours: Path, theirs: Path) -> bool:
    return theirs.exists() and ours.read_bytes() == theirs.read_bytes()


def _outcome(record: Record) -> dict[str, Any]:
    """What a run found, without how long and where."""
    values = asdict(record)
    epochs = [{**epoch, "seconds": None} for epoch in record.epochs]
    return {**values, "epochs": epochs, "seconds": None, "device": None, "program": None}
