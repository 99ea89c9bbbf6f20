"""The folder of a study: where things lie in it, what it is a study of.

study.json                         settings, and hashes of the documents
runs/seed1/lea/                    the model folder of a stage
results/seed1/lea.json             the record of a unit
results/seed1/lea.dev.links.json   its predictions
.lock                              while a command is at work in it
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.files import check_not_input, read_json, write_text
from corelax.core.locks import check_claim
from corelax.study.files import DEV, TEST
from corelax.train.files import Paths, document_files
from corelax.train.sparse.config import DECODINGS

RESULTS, RUNS, STUDY = "results", "runs", "study.json"
DATA, REPORT, SWEEP = "data", "report", "sweep"


def seed_folder(out: Path, seed: int) -> Path:
    """Where the stages of a seed lie."""
    return out / RUNS / f"seed{seed}"


def record_path(out: Path, unit: str, seed: int) -> Path:
    """Where the record of a unit is."""
    return out / RESULTS / f"seed{seed}" / f"{unit}.json"


def predicted_path(out: Path, unit: str, seed: int, part: str, decoding: str) -> Path:
    """Where the predictions of a unit are.

    Args:
        out: The folder of the study.
        unit: The name of the unit.
        seed: Its seed.
        part: "dev" or "test".
        decoding: "links" or "entities".
    """
    return out / RESULTS / f"seed{seed}" / f"{unit}.{part}.{decoding}.json"


def delete_predictions(out: Path, unit: str, seed: int) -> None:
    """Deletes the predictions of a unit that has no record: they may come from an earlier model."""
    for part, decoding in product((DEV, TEST), DECODINGS):
        predicted_path(out, unit, seed, part, decoding).unlink(missing_ok=True)


def check_out(out: Path) -> None:
    """Raises an error if a study cannot have this folder, because it is a file."""
    if out.exists() and not out.is_dir():
        raise CorelaxError(f"{out}: is a file; name a folder")


def claim_folder(out: Path, identity: Mapping[str, Any]) -> None:
    """Writes what a folder is a study of; an error if it already holds a study of something else."""
    path = out / STUDY
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(identity, indent=2, ensure_ascii=False) + "\n")
        return
    present = read_json(path)
    if not isinstance(present, dict):
        raise CorelaxError(f"{path}: says nothing about a study; delete it")
    check_claim(out, present, identity, "a study")


def check_inputs(out: Path, *inputs: Paths | None) -> None:
    """An error if a file that is read lies where results are written."""
    files = [file for paths in inputs for file in named_files(paths)]
    tables = (out / f"{SWEEP}.{suffix}" for suffix in ("md", "csv", "json"))
    for target in (out / RUNS, out / RESULTS, out / REPORT, out / STUDY, *tables):
        check_not_input(target, files)


def named_files(paths: Paths | None) -> Sequence[str]:
    """What was named, folders as their files."""
    return [] if not paths else document_files(paths)
