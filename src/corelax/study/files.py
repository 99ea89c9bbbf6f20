"""The documents of a study: files of the user, dev documents held out of them, or synthetic ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.core.files import check_file, file_digest, open_text
from corelax.io import format_of, read, stream, write
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
