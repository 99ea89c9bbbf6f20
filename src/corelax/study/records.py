"""What is known of a unit when it is done, in small files: enough for every table, without its weights.

    results/seed1/lea.json             settings, data, each epoch, seconds, device
    results/seed1/lea.dev.links.json   entities and counts of each dev document, by best links

They can be made on any machine: copied into one folder they are one study.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from corelax.core.errors import CorelaxError
from corelax.core.files import write_text
from corelax.document import Span
from corelax.document.clustering import Clustering
from corelax.train.sparse.config import DECODINGS, Config

RESULTS, STUDY = "results", "study.json"
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A trained unit.

    Attributes:
        chain: The settings of its stages, the last being its own.
        data: Hashes of training and dev documents and of the word lists.
        epochs: Its log, one entry an epoch.
        epoch: The epoch that was kept.
        dev: Its dev score, in [0, 1].
        seconds: How long its own epochs took, without those of the stages before.
        device: What they were computed on.
        program: Versions of the program and of torch.
    """

    chain: Sequence[Mapping[str, Any]]
    data: Mapping[str, str]
    epochs: Sequence[Mapping[str, Any]]
    epoch: int
    dev: float
    seconds: float
    device: str
    program: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicted:
    """What a unit makes of some documents.

    Attributes:
        digest: A hash of their file.
        documents: Their names.
        counts: By metric, [document][number] as `Counts.as_tuple` has them; they add up.
        entities: [document][entity][mention] start and end.
    """

    digest: str
    documents: Sequence[str]
    counts: Mapping[str, Sequence[Sequence[float]]]
    entities: Sequence[Sequence[Sequence[Sequence[int]]]]

    def clusters(self) -> dict[str, Clustering[Span]]:
        """The predicted entities of each document."""
        return {
            name: Clustering([[Span(start, end) for start, end in entity] for entity in entities])
            for name, entities in zip(self.documents, self.entities, strict=True)
        }


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


def forget_predictions(out: Path, unit: str, seed: int) -> None:
    """Deletes the predictions of a unit that has no record: they may be of an earlier model."""
    for part, decoding in product(("dev", "test"), DECODINGS):
        predicted_path(out, unit, seed, part, decoding).unlink(missing_ok=True)


def save(path: Path, what: Record | Predicted) -> None:
    """Writes a file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(asdict(what), ensure_ascii=False) + "\n")


def load_record(path: Path) -> Record:
    """Reads a record."""
    return _load(path, Record)


def load_predicted(path: Path) -> Predicted:
    """Reads predictions."""
    return _load(path, Predicted)


def check_record(
    path: Path,
    record: Record,
    chain: Sequence[Config],
    data: Mapping[str, str],
    but: Collection[str] = (),
) -> None:
    """An error if a record is of other settings or documents than these, but for some keys."""
    wanted = json.loads(json.dumps([asdict(config) for config in chain]))
    differs = [
        f"{new['stage']}.{key}"
        for old, new in zip(record.chain, wanted, strict=False)
        for key in new
        if old.get(key) != new[key] and key not in but
    ]
    differs += ["the stages"] if len(record.chain) != len(wanted) else []
    differs += [
        "word lists" if name == "word lists" else f"{name} documents"
        for name in data
        if record.data.get(name) != data[name]
    ]
    if differs:
        raise CorelaxError(
            f"{path}: is of a study with other settings or files ({', '.join(differs[:3])}); "
            "use another --out, or delete it"
        )


def own_study(out: Path, identity: Mapping[str, Any]) -> None:
    """Writes what a folder is a study of, or raises an error if it is one of something else."""
    path = out / STUDY
    wanted = json.loads(json.dumps(identity))
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(wanted, indent=2, ensure_ascii=False) + "\n")
        return
    try:
        found = json.loads(path.read_bytes())
    except ValueError as error:
        raise CorelaxError(f"{path}: not whole ({error}); delete it") from None
    differs = []
    for key, value in wanted.items():
        old = found.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            differs += [name for name in {**old, **value} if old.get(name) != value.get(name)]
        elif old != value:
            differs.append(key)
    if differs:
        raise CorelaxError(
            f"{out}: has a study with other settings or files ({', '.join(differs)}); use another --out"
        )


def _load(path: Path, kind: type[T]) -> T:
    try:
        return kind(**json.loads(path.read_bytes()))
    except OSError as error:
        raise CorelaxError(f"{path}: {error.strerror or error}") from None
    except (ValueError, TypeError) as error:  # no JSON; not an object, or one of something else
        raise CorelaxError(f"{path}: not a result of a run ({error}); delete it") from None
