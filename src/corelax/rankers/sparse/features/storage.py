"""Tables of a whole corpus in one file: every array of all documents end to end, in safetensors.

A file is written under a temporary name and renamed; its content is checked against a digest when it is read,
so that a damaged one is noticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from corelax.core.errors import CorelaxError
from corelax.core.files import write_bytes
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import Vocabulary

Arrays = dict[str, NDArray[Any]]
PARTS = (
    "spans",
    "features",
    "current",
    "previous",
    "codes",
    "code_of_pair",
    "gold",
    "gold_mentions",
    "words",
    "tokens",
    "sentences",
)
FORMAT = "corelax tables 2"


def save_tables(path: Path, tables: Sequence[DocumentTable], vocabulary: Vocabulary) -> None:
    """Writes the tables of documents, and the vocabulary that their rows belong to."""
    arrays: Arrays = {}
    for part in PARTS:
        of_documents = [getattr(table, part) for table in tables]
        arrays[part] = np.concatenate(of_documents)
        arrays[f"{part}.size"] = np.array([len(array) for array in of_documents], dtype=np.int64)
    metadata = {
        "format": FORMAT,
        "keys": json.dumps([table.key for table in tables]),
        "vocabulary": vocabulary.to_json(),
    }
    metadata["digest"] = _digest(arrays, metadata)
    write_bytes(path, save(arrays, metadata))


def load_tables(path: Path) -> tuple[list[DocumentTable], Vocabulary]:
    """What `save_tables` wrote; an error if the file is not whole."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays: Arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise CorelaxError(f"{path}: not a readable table ({error})") from None
    if metadata.get("format") != FORMAT or metadata.pop("digest", "") != _digest(arrays, metadata):
        raise CorelaxError(f"{path}: the table is damaged or of another version")
    cuts = {part: np.cumsum(arrays[f"{part}.size"])[:-1] for part in PARTS}
    columns = {part: np.split(arrays[part], cuts[part]) for part in PARTS}
    keys = json.loads(metadata["keys"])
    tables = [
        DocumentTable(key=key, **{part: columns[part][number] for part in PARTS})
        for number, key in enumerate(keys)
    ]
    return tables, Vocabulary.from_json(metadata["vocabulary"], str(path))


def _digest(arrays: Arrays, metadata: dict[str, str]) -> str:
    """A hash of everything in the file but itself."""
    digest = hashlib.blake2b(repr(sorted(metadata.items())).encode(), digest_size=16)
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
