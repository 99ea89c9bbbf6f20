"""What a finished unit leaves in small files: enough for every table and figure, without its weights.

results/seed1/lea.json             settings, data, each epoch, seconds, device
results/seed1/lea.dev.links.json   entities and counts of each dev document, by best links
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from corelax.core.errors import CorelaxError
from corelax.core.files import read_bytes, write_text
from corelax.document import Span
from corelax.document.clustering import Clustering
from corelax.train.sparse.config import Config

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A trained unit.

    Attributes:
        chain: The settings of its stages, the last being its own.
        data: Hashes of training and dev documents and of the word lists.
        epochs: Its log, one entry an epoch.
        epoch: The epoch whose weights were kept.
        dev: Its dev score, in [0, 1].
        seconds: How long its own epochs took, without those of earlier stages.
        device: The device they were computed on.
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
    """What a unit predicts for the documents of a part.

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


def save(path: Path, result: Record | Predicted) -> None:
    """Writes a file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(asdict(result), ensure_ascii=False) + "\n")


def load_record(path: Path) -> Record:
    """Reads a record."""
    return _load(path, Record)


def load_predicted(path: Path) -> Predicted:
    """Reads predictions."""
    return _load(path, Predicted)


def check_record(
    path: Path, record: Record, chain: Sequence[Config], data: Mapping[str, str]
) -> None:
    """Raises an error if the record in a file has other settings or documents than these."""
    # Records of earlier versions lack settings that came later.
    default, *wanted = json.loads(
        json.dumps([asdict(config) for config in (Config(stage="default"), *chain)])
    )
    differs = [
        f"{new['stage']}.{key}"
        for old, new in zip(record.chain, wanted, strict=False)
        for key in new
        if old.get(key, default[key]) != new[key]
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


def _load(path: Path, kind: type[R]) -> R:
    try:
        return kind(**json.loads(read_bytes(path)))
    except (ValueError, TypeError, RecursionError) as error:  # no JSON; no object, or another one
        raise CorelaxError(f"{path}: not a result of a run ({error}); delete it") from None
