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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
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
PARTS = (
    "spans features current previous codes code_of_pair gold gold_mentions words tokens sentences"
).split()

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

    source = _Source(_names(files), lexicons, mentions, format)
    identity = [asdict(settings), "words"] if words else asdict(settings)
    return _cached(source, settings, identity, build, note)


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

    source = _Source(_names(files), lexicons, mentions, format)
    return _cached(source, vocabulary.settings, vocabulary.digest, build, note)


def cache_folder() -> Path:
    """Where the cache lies."""
    if named := os.environ.get("CORELAX_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "corelax"


class _Source(NamedTuple):
    """Files of documents, and where the attributes and spans of their mentions come from."""

    files: tuple[str, ...]
    lexicons: Lexicons
    mentions: str
    format: str | None

    def described(self, settings: FeatureSettings) -> Iterator[Described]:
        """The documents with the attributes of their mentions."""
        source = mention_source(self.mentions)
        return (
            describe(doc, settings, self.lexicons, source)
            for file in self.files
            for doc in stream(file, self.format)
        )

    @property
    def name(self) -> str:
        """The name of the first file, and how many more there are."""
        more = len(self.files) - 1
        return Path(self.files[0]).name + (f" and {more} more" if more else "")


def _cached(
    source: _Source,
    settings: FeatureSettings,
    identity: Any,
    build: Callable[[Iterable[Described]], Tables],
    note: Note,
) -> FeatureCorpus:
    """The tables from the cache, or built and kept there; `identity` stands for what they are built with."""
    files, lexicons, mentions, format = source
    digest, suffixes = _files_digest(files), [Path(file).suffixes for file in files]
    depends_on = [identity, lexicons.digest, mentions, format]
    # A suffix can tell the format.
    key = json.dumps([digest, suffixes[0] if len(files) == 1 else suffixes, depends_on, FORMAT])
    name = hashlib.sha256(key.encode()).hexdigest()[:32]
    path = cache_folder() / f"{name}.safetensors"
    try:
        if path.exists():
            return FeatureCorpus(*load_tables(path), digest, source.name)
    except (OSError, CorelaxError) as error:
        note(f"{error}; making it again")
    label = files[0] if len(files) == 1 else source.name
    note(f"{label}: extracting features (word lists: {lexicons.name})")
    try:
        tables, vocabulary = build(source.described(settings))
    except FormatError:
        raise
    except CorelaxError as error:
        raise CorelaxError(f"{label}: {error}") from None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_tables(path, tables, vocabulary)
    except (OSError, CorelaxError) as error:  # a full disk must not stop the work
        note(f"the features are not kept for the next time ({error})")
    return FeatureCorpus(tables, vocabulary, digest, source.name)


def _names(files: str | Sequence[str]) -> tuple[str, ...]:
    return (files,) if isinstance(files, str) else tuple(files)


def _files_digest(files: Sequence[str]) -> str:
    """The digest of a file; of several, a digest of theirs."""
    digests = [file_digest(file) for file in files]
    return (
        digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    )


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
