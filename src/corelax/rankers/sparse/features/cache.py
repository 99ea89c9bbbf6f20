"""Features of files, computed once: kept under a hash of all that they depend on.

The cache lies in the folder that `CORELAX_CACHE` names, else in the user's cache folder. It can be deleted at
any time, and is never cleaned by itself. A file holds the tables of a whole corpus: every array of all
documents end to end, in safetensors. It is written under a temporary name and renamed, and checked against a
digest when it is read: a damaged one is made again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from corelax.core.errors import CorelaxError, FormatError
from corelax.core.files import file_digest, write_bytes
from corelax.io import stream
from corelax.rankers.sparse.features.extract import (
    DETECT,
    Described,
    describe,
    fit,
    mention_source,
    table,
)
from corelax.rankers.sparse.features.settings import FeatureSettings
from corelax.rankers.sparse.features.table import DocumentTable
from corelax.rankers.sparse.features.vocabulary import Vocabulary
from corelax.rankers.sparse.mentions.lexicons import Lexicons

# Goes up with every change of readers, mentions or features that changes a table: old ones are made anew.
FORMAT = 2
FILE_FORMAT = "corelax tables 2"
PARTS = [field.name for field in fields(DocumentTable) if field.name != "key"]

Arrays = dict[str, NDArray[Any]]
Note = Callable[[str], None]
Tables = tuple[list[DocumentTable], Vocabulary]


class FeatureCorpus(NamedTuple):
    """The tables of one file or several, the vocabulary of their rows, a digest of the files and a name."""

    tables: Sequence[DocumentTable]
    vocabulary: Vocabulary
    digest: str
    name: str = ""


def training_corpus(
    files: str | Sequence[str],
    settings: FeatureSettings,
    lexicons: Lexicons,
    mentions: str = DETECT,
    note: Note = lambda _: None,
    format: str | None = None,
    *,
    words: bool = False,
) -> FeatureCorpus:
    """The tables of files of training documents, which the vocabulary is made from; with words, if wanted."""

    def build(documents: Iterable[Described]) -> Tables:
        vocabulary, tables = fit(documents, settings, lexicons, words=words)
        return tables, vocabulary

    identity = [asdict(settings), "words"] if words else asdict(settings)
    source = _Source(files, mentions, format, settings, lexicons)
    return _cached(source, identity, build, note)


def other_corpus(
    files: str | Sequence[str],
    vocabulary: Vocabulary,
    lexicons: Lexicons,
    mentions: str = DETECT,
    note: Note = lambda _: None,
    format: str | None = None,
) -> FeatureCorpus:
    """The tables of files of other documents, by the vocabulary of training."""

    def build(documents: Iterable[Described]) -> Tables:
        return [table(document, vocabulary) for document in documents], vocabulary

    source = _Source(files, mentions, format, vocabulary.settings, lexicons)
    return _cached(source, vocabulary.digest, build, note)


def cache_folder() -> Path:
    """Where the cache lies."""
    if named := os.environ.get("CORELAX_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "corelax"


class _Source(NamedTuple):
    """Files of documents, where their mentions come from, and what is known of them."""

    files: str | Sequence[str]
    mentions: str
    format: str | None
    settings: FeatureSettings
    lexicons: Lexicons


def _cached(
    source: _Source, identity: Any, build: Callable[[Iterable[Described]], Tables], note: Note
) -> FeatureCorpus:
    """The tables from the cache, or built and kept there; `identity` stands for what they are built with."""
    files, mentions, format, settings, lexicons = source
    files = [files] if isinstance(files, str) else files
    digests, suffixes = [file_digest(file) for file in files], [Path(f).suffixes for f in files]
    digest, label, name = digests[0], files[0], Path(files[0]).name
    suffix: Any = suffixes[0]  # can tell the format
    if len(files) > 1:
        digest, suffix = hashlib.sha256("".join(digests).encode()).hexdigest(), suffixes
        label = name = f"{name} and {len(files) - 1} more"
    depends_on = [identity, lexicons.digest, mentions, format]
    key = hashlib.sha256(json.dumps([digest, suffix, depends_on, FORMAT]).encode()).hexdigest()
    path = cache_folder() / f"{key[:32]}.safetensors"
    try:
        if path.exists():
            return FeatureCorpus(*load_tables(path), digest, name)
    except (OSError, CorelaxError) as error:
        note(f"{error}; making it again")
    note(f"{label}: extracting features (word lists: {lexicons.name})")
    try:
        spans = mention_source(mentions)
        documents = (doc for file in files for doc in stream(file, format))
        tables, vocabulary = build(describe(doc, settings, lexicons, spans) for doc in documents)
    except FormatError:
        raise
    except CorelaxError as error:
        raise CorelaxError(f"{label}: {error}") from None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_tables(path, tables, vocabulary)
    except (OSError, CorelaxError) as error:  # a full disk must not stop the work
        note(f"the features are not kept for the next time ({error})")
    return FeatureCorpus(tables, vocabulary, digest, name)


def save_tables(path: Path, tables: Sequence[DocumentTable], vocabulary: Vocabulary) -> None:
    """Writes the tables of documents, and the vocabulary that their rows belong to."""
    arrays: Arrays = {}
    for part in PARTS:
        of_documents = [getattr(table, part) for table in tables]
        arrays[part] = np.concatenate(of_documents)
        arrays[f"{part}.size"] = np.array([len(array) for array in of_documents], dtype=np.int64)
    metadata = {
        "format": FILE_FORMAT,
        "keys": json.dumps([table.key for table in tables]),
        "vocabulary": vocabulary.to_json(),
    }
    metadata["digest"] = _content_digest(arrays, metadata)
    write_bytes(path, save(arrays, metadata))


def load_tables(path: Path) -> tuple[list[DocumentTable], Vocabulary]:
    """What `save_tables` wrote; an error if the file is not whole."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays: Arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise CorelaxError(f"{path}: not a readable table ({error})") from None
    if metadata.get("format") != FILE_FORMAT or metadata.pop("digest", "") != _content_digest(
        arrays, metadata
    ):
        raise CorelaxError(f"{path}: the table is damaged or of another version")
    cuts = {part: np.cumsum(arrays[f"{part}.size"])[:-1] for part in PARTS}
    columns = {part: np.split(arrays[part], cuts[part]) for part in PARTS}
    keys = json.loads(metadata["keys"])
    tables = [
        DocumentTable(key=key, **{part: columns[part][number] for part in PARTS})
        for number, key in enumerate(keys)
    ]
    return tables, Vocabulary.from_json(metadata["vocabulary"], str(path))


def _content_digest(arrays: Arrays, metadata: dict[str, str]) -> str:
    """A hash of everything in the file but itself."""
    digest = hashlib.blake2b(repr(sorted(metadata.items())).encode(), digest_size=16)
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
