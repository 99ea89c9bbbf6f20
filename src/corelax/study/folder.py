"""The folder of a study: where things lie in it, what it is a study of, and one command at a time in it.

study.json                         settings, and hashes of the documents
runs/seed1/lea/                    the model folder of a stage
results/seed1/lea.json             the record of a unit
results/seed1/lea.dev.links.json   its predictions
.lock
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.files import explain, write_text
from corelax.study.files import DEV, TEST
from corelax.train.sparse.config import DECODINGS

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

RESULTS, RUNS, STUDY, LOCK = "results", "runs", "study.json", ".lock"


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
    wanted = json.loads(json.dumps(identity))
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(wanted, indent=2, ensure_ascii=False) + "\n")
        return
    try:
        present = json.loads(path.read_bytes())
    except ValueError as error:
        raise CorelaxError(f"{path}: not whole ({error}); delete it") from None
    differs = []
    for key, value in wanted.items():
        old = present.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            differs += [name for name in {**old, **value} if old.get(name) != value.get(name)]
        elif old != value:
            differs.append(key)
    if differs:
        raise CorelaxError(
            f"{out}: has a study with other settings or files ({', '.join(differs)}); use another --out"
        )


@contextmanager
def lock_folder(out: Path) -> Iterator[None]:
    """Keeps other commands from writing to a folder; an error if one already does.

    The lock ends with the process that holds it, however that process ends.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name, lock_folder(Path(name)):
    ...     with lock_folder(Path(name)):
    ...         pass
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: ...: another command is at work in this folder; wait for it, ...
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        file = (out / LOCK).open("a")
    except OSError as error:
        raise CorelaxError(f"{out}: {explain(error)}") from None
    with file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise CorelaxError(
                    f"{out}: another command is at work in this folder; wait for it, or use another --out"
                ) from None
            except OSError:  # a file system without locks
                pass
        yield
