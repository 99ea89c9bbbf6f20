"""Cross-validation: documents dealt into folds, and the files of each fold.

Fold F tests its own documents, tunes on those of the next fold and trains on the rest, so that every document
is tested exactly once and dev exactly once. (Of two folds, one half of the other tunes and the rest trains.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.core.files import open_text
from corelax.document import Document
from corelax.io import format_of, read, write
from corelax.rankers.sparse.features.mention import genre_of
from corelax.study.files import DEV, SUFFIXES, TEST, Files
from corelax.train.files import Paths, document_files


class Fold(NamedTuple):
    """The names of the documents of a fold."""

    train: frozenset[str]
    dev: frozenset[str]
    test: frozenset[str]


def fold_name(number: int) -> str:
    """The name of the folder of a fold; folds count from 1."""
    return f"fold{number}"


def make_folds(names: Iterable[str], folds: int) -> list[Fold]:
    """Deals documents out by turn, genre by genre, so that each fold has its share of every genre.

    Genres are told by names (`GUM_news_iodine`, `bc/cnn/…`); within one, documents come in the order of their
    names. The order that they are given in makes no difference.

    Args:
        names: The documents. Parts of one document share its name, so they stay together.
        folds: How many folds, at least 2.

    >>> [sorted(fold.test) for fold in make_folds(["GUM_a_1", "GUM_b_1", "GUM_a_2", "GUM_b_2", "x"], 3)]
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
        held = {*test, *dev}
        train = frozenset(name for name in ordered if name not in held)
        result.append(Fold(train, frozenset(dev), frozenset(test)))
    return result


def read_documents(files: Sequence[str], format: str | None = None) -> list[Document]:
    """All documents of the files, in the order of their names; an error if two have the same.

    >>> [doc.key for doc in read_documents(["examples/data/gold.conll"])]
    ['story/letter_0', 'story/lighthouse_0']
    """
    every: dict[str, Document] = {}
    for file in files:
        for doc in read(file, format):
            if doc.key in every:
                raise CorelaxError(f"{file}: two documents have the name {doc.key}")
            every[doc.key] = doc
    return [every[key] for key in sorted(every)]


def fold_files(
    folder: Path, documents: Paths, folds: int, only: Iterable[int] = (), format: str | None = None
) -> dict[int, Files]:
    """Writes the training, dev and test documents of each fold; returns the files by its number.

    The same documents give the same bytes, whatever files they come from and in which order.

    Args:
        folder: Each fold has a folder in this one.
        documents: Files with all documents, or folders of such files.
        folds: How many folds.
        only: The folds to write, if not all.
        format: The format of the files; else by suffix or content. What is written has that of the first.
    """
    names = document_files(documents)
    docs = read_documents(names, format)
    with open_text(names[0]) as text:
        format = format_of(names[0], format, head=text.head)
    numbers = sorted(set(only) or range(1, folds + 1))
    every = make_folds((doc.id for doc in docs), folds)
    parts = {
        (number, part): [doc for doc in docs if doc.id in chosen]
        for number in numbers
        for part, chosen in every[number - 1]._asdict().items()
    }
    for (number, part), held in parts.items():  # before anything is written
        if not any(doc.clusters for doc in held):
            raise CorelaxError(
                f"--folds {folds}: no {part} document of fold {number} has entities; give fewer folds"
            )
    paths = {}
    for (number, part), held in parts.items():
        path = folder / fold_name(number) / f"{part}{SUFFIXES[format]}"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(held, str(path), format)
        paths[number, part] = str(path)
    return {
        number: Files(paths[number, "train"], paths[number, DEV], paths[number, TEST], format)
        for number in numbers
    }
