"""Cross-validation: documents dealt into folds, and the files of each fold.

Fold F tests its own documents, tunes on those of the next fold and trains on the rest, so that every document
is tested exactly once and dev exactly once. (Of two folds, one half of the other tunes and the rest trains.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.io import read, write
from corelax.rankers.sparse.features.mention import genre_of
from corelax.study.files import DEV, SUFFIXES, TEST, Files, first_format
from corelax.train.files import Paths, document_files


def fold_name(number: int) -> str:
    """The name of the folder of a fold; folds count from 1."""
    return f"fold{number}"


def make_folds(names: Iterable[str], folds: int) -> Sequence[Mapping[str, frozenset[str]]]:
    """Deals documents out by turn, genre by genre, so that each fold has its share of every genre.

    Genres are told by names (`GUM_news_iodine`, `bc/cnn/…`); within one, documents come in the order of their
    names. The order that they are given in makes no difference. Returns the names of the training, dev and
    test documents of each fold.

    >>> folds = make_folds(["GUM_a_1", "GUM_b_1", "GUM_a_2", "GUM_b_2", "x"], 3)
    >>> [sorted(fold["test"]) for fold in folds]
    [['GUM_b_1', 'x'], ['GUM_a_1', 'GUM_b_2'], ['GUM_a_2']]
    """
    ordered = sorted(set(names), key=lambda name: (genre_of(name, "word"), name))
    if folds < 2:
        raise CorelaxError(f"--folds {folds}: give at least 2")
    if len(ordered) < max(folds, 4 if folds == 2 else 0):  # half of two folds must be two documents
        raise CorelaxError(
            f"--folds {folds}: too many for {len(ordered)} documents; give fewer folds or more files"
        )
    dealt = [ordered[first::folds] for first in range(folds)]
    result = []
    for number, test in enumerate(dealt):
        dev = dealt[(number + 1) % folds]
        if folds == 2:
            dev = dev[::2]
        train = frozenset(ordered).difference(test, dev)
        result.append({"train": train, DEV: frozenset(dev), TEST: frozenset(test)})
    return result


def fold_files(
    folder: Path, documents: Paths, folds: int, format: str | None = None
) -> list[Files]:
    """Writes the training, dev and test documents of each fold, in a folder of its own; returns the files.

    The same documents give the same bytes, whatever files they come from and in which order. What is written
    has the format of the first file.
    """
    names = document_files(documents)
    docs = _read_documents(names, format)
    format = first_format(names, format)
    parts = [
        {part: [doc for doc in docs if doc.id in chosen] for part, chosen in fold.items()}
        for fold in make_folds((doc.id for doc in docs), folds)
    ]
    for number, fold in enumerate(parts, 1):  # before anything is written
        for part, held in fold.items():
            if not any(doc.clusters for doc in held):
                raise CorelaxError(
                    f"--folds {folds}: no {part} document of fold {number} has entities; give fewer folds"
                )
    files = []
    for number, fold in enumerate(parts, 1):
        place = folder / fold_name(number)
        place.mkdir(parents=True, exist_ok=True)
        paths = [str(place / f"{part}{SUFFIXES[format]}") for part in fold]
        for path, held in zip(paths, fold.values(), strict=True):
            write(held, path, format)
        train, dev, test = paths
        files.append(Files(train, dev, test, format))
    return files


def _read_documents(files: Sequence[str], format: str | None) -> list[Document]:
    """All documents of the files, in the order of their names; an error if two have the same."""
    every: dict[str, Document] = {}
    for file in files:
        for doc in read(file, format):
            if doc.key in every:
                raise CorelaxError(f"{file}: two documents have the name {doc.key}")
            every[doc.key] = doc
    return [every[key] for key in sorted(every)]
