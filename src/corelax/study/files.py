"""The documents of a study: files of the user, dev documents held out of them, folds, or synthetic ones.

Of a corpus in folds, fold F tests its own documents, tunes on those of the next fold and trains on the rest:
every document is tested exactly once and dev exactly once. (Of two folds, one half of the other tunes.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.core.files import check_file, file_digest, open_text
from corelax.document import Document
from corelax.io import format_of, read, stream, write
from corelax.rankers.sparse.features.mention import genre_of
from corelax.synthetic import Shape, generate
from corelax.train.files import Paths, document_files
from corelax.train.sparse.config import Config
from corelax.train.sparse.data import Data, load_data
from corelax.train.stage import Note, ignore

DEV, TEST = "dev", "test"
SUFFIXES = {"conll2012": ".conll", "corefud": ".conllu", "jsonlines": ".jsonl"}
SYNTHETIC_DOCUMENTS = {"train": 50, DEV: 20, TEST: 20}
SYNTHETIC_MENTIONS = 60  # the mean of a document


class Files(NamedTuple):
    """The documents of a study, and the word vectors for rankers that have such.

    Where the format is None, it is told by suffix or content.
    """

    train: Paths
    dev: Paths
    test: str | None = None
    format: str | None = None
    vectors: str | None = None

    def load(self, config: Config, note: Note = ignore) -> Data:
        """The features of training and dev documents for a stage, with word vectors if it has such."""
        more = {"vectors": self.vectors} if self.vectors and uses_vectors(config) else {}
        return load_data(config, self.train, self.dev, note, format=self.format, **more)


def uses_vectors(config: Config) -> bool:
    """Whether a stage starts from word vectors."""
    return getattr(config, "network", "") == "deep"


def study_files(
    folder: Path,
    *,
    train: Paths | None = None,
    dev: Paths | None = None,
    test: str | None = None,
    hold_out: int | None = None,
    format: str | None = None,
    note: Callable[[str], None] = ignore,
) -> Files:
    """The files of a study, checked; `hold_out` makes dev documents from training documents."""
    if train is None:
        raise CorelaxError("name files with --train and --dev, or try --quick")
    if dev is not None and hold_out is not None:
        raise CorelaxError("--hold-out makes dev documents from --train; leave out --dev")
    if test is not None:
        _check_scorable(test, format)  # better now than after all the training
    if dev is None:
        if hold_out is None:
            raise CorelaxError(
                "name dev documents with --dev, or take some from --train: --hold-out N"
            )
        train, dev = hold_out_documents(train, hold_out, folder, format)
    train, dev = document_files(train), document_files(dev)
    digests = [file_digest(file) for file in (*train, *dev, test) if file]
    if len(set(digests)) < len(digests):
        note("two of the files are the same: their scores are not those of unseen documents")
    return Files(one_or_several(train), one_or_several(dev), test, format)


def one_or_several(files: Sequence[str]) -> str | Sequence[str]:
    """A single file by its name, several as they are."""
    return files[0] if len(files) == 1 else files


def hold_out_documents(
    files: Paths, documents: int, folder: Path, format: str | None = None
) -> tuple[str, str]:
    """Splits files in two, written to `folder`: documents to train on, and every k-th document for dev.

    Dev documents are spread evenly over the files, so that genres and authors are represented as in the whole
    corpus, however it is sorted. Returns the training file and the dev file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name:
    ...     train, dev = hold_out_documents("examples/data/gold.conll", 1, Path(name))
    ...     len(read(train)), len(read(dev))
    (1, 1)
    """
    names = document_files(files)
    every = [doc for name in names for doc in read(name, format)]
    format = first_format(names, format)
    if not 0 < documents < len(every):
        raise CorelaxError(
            f"{', '.join(names)}: cannot hold out {documents} of its {len(every)} documents for dev"
        )
    chosen = {(2 * number + 1) * len(every) // (2 * documents) for number in range(documents)}
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for part in ("train", DEV):
        path = str(folder / f"{part}{SUFFIXES[format]}")
        write((d for i, d in enumerate(every) if (i in chosen) == (part == DEV)), path, format)
        paths.append(path)
    return paths[0], paths[1]


def first_format(names: Sequence[str], format: str | None) -> str:
    """The format that is given, or else that of the first file."""
    with open_text(names[0]) as text:
        return format_of(names[0], format, head=text.head)


def synthetic_files(folder: Path) -> Files:
    """Training, dev and test documents for a study without a corpus; written where they do not exist yet."""
    folder.mkdir(parents=True, exist_ok=True)
    shape = Shape.conll2012().scaled(SYNTHETIC_MENTIONS)
    for seed, (part, documents) in enumerate(SYNTHETIC_DOCUMENTS.items(), 1):
        path = folder / f"{part}.conll"
        if not path.exists():
            write(generate(documents, seed=seed, shape=shape), path)
    return Files(*(str(folder / f"{part}.conll") for part in SYNTHETIC_DOCUMENTS))


def _check_scorable(file: str, format: str | None) -> None:
    check_file(file)
    keys, has_entities = set(), False
    for doc in stream(file, format, layers=False):
        if doc.key in keys:
            raise CorelaxError(f"{file}: two documents have the name {doc.key}")
        keys.add(doc.key)
        has_entities = has_entities or bool(doc.clusters)
    if not has_entities:
        raise CorelaxError(f"{file}: no document has entities to score against")


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
