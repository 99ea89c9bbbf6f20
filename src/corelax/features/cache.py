"""Features of files, computed once: kept under a hash of all that they depend on.

The cache lies in the folder that `CORELAX_CACHE` names, else in the user's cache folder. It can be deleted at
any time. A damaged file is noticed and made again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from corelax.document import Document
from corelax.errors import CorelaxError
from corelax.features.extract import Described, describe, fit, table
from corelax.features.settings import FeatureSettings
from corelax.features.sources import DETECT, GOLD, mention_source
from corelax.features.storage import load_tables, save_tables
from corelax.features.table import DocumentTable
from corelax.features.vocabulary import Vocabulary
from corelax.io import stream
from corelax.mentions.lexicons import Lexicons

VERSION = 1  # to be raised when the same input gives other features

Note = Callable[[str], None]


class Corpus(NamedTuple):
    """The tables of a file, the vocabulary that their rows belong to, and a hash of what they came from."""

    tables: Sequence[DocumentTable]
    vocabulary: Vocabulary
    digest: str


def training_corpus(
    file: str,
    settings: FeatureSettings,
    lexicons: Lexicons,
    mentions: str = DETECT,
    note: Note = lambda _: None,
) -> Corpus:
    """The tables of a file of training documents, which the vocabulary is made from."""
    key = _key([file], [asdict(settings), lexicons.digest], mentions)

    def build() -> tuple[list[DocumentTable], Vocabulary]:
        documents = _described(stream(file), settings, lexicons, mentions)
        vocabulary, tables = fit(documents, settings, lexicons)
        return tables, vocabulary

    return _cached(key, build, file, note)


def other_corpus(
    file: str,
    vocabulary: Vocabulary,
    lexicons: Lexicons,
    mentions: str = DETECT,
    note: Note = lambda _: None,
) -> Corpus:
    """The tables of a file of other documents, by the vocabulary of training."""
    key = _key([file], [vocabulary.digest, lexicons.digest], mentions)

    def build() -> tuple[list[DocumentTable], Vocabulary]:
        documents = _described(stream(file), vocabulary.settings, lexicons, mentions)
        return [table(document, vocabulary) for document in documents], vocabulary

    return _cached(key, build, file, note)


def cache_folder() -> Path:
    """Where the cache lies."""
    if named := os.environ.get("CORELAX_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "corelax"


def _described(
    documents: Iterable[Document], settings: FeatureSettings, lexicons: Lexicons, mentions: str
) -> Iterator[Described]:
    source = mention_source(mentions)
    return (describe(doc, settings, lexicons, source) for doc in documents)


def _cached(
    key: str,
    build: Callable[[], tuple[list[DocumentTable], Vocabulary]],
    file: str,
    note: Note,
) -> Corpus:
    path = cache_folder() / f"{key}.safetensors"
    try:
        if path.exists():
            return Corpus(*load_tables(path), key)
    except (OSError, CorelaxError) as error:
        note(f"{error}; making it again")
    note(f"{file}: extracting features")
    tables, vocabulary = build()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_tables(path, tables, vocabulary)
    except (OSError, CorelaxError) as error:  # a full disk must not stop the work
        note(f"the features are not kept for the next time ({error})")
    return Corpus(tables, vocabulary, key)


def _key(files: list[str], settings: list[object], mentions: str) -> str:
    """A name for the features of the content of files."""
    digest = hashlib.sha256(json.dumps([VERSION, settings]).encode())
    if mentions not in (DETECT, GOLD):
        files = [*files, mentions]
    else:
        digest.update(mentions.encode())
    for file in files:
        # A suffix can tell the format.
        digest.update(Path(file).suffixes.__repr__().encode())
        try:
            with Path(file).open("rb") as content:
                digest.update(hashlib.file_digest(content, "sha256").digest())
        except OSError as error:
            raise CorelaxError(f"{file}: {error.strerror or error}") from None
    return digest.hexdigest()[:32]
