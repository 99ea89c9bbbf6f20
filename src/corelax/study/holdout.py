"""Dev documents from the training documents, where a corpus has no third part of its own."""

from __future__ import annotations

from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import check_file, open_text
from corelax.io import format_of, read, write

SUFFIXES = {"conll2012": ".conll", "corefud": ".conllu", "jsonlines": ".jsonl"}


def hold_out(file: str, documents: int, folder: Path, format: str | None = None) -> tuple[str, str]:
    """Splits a file in two, written to `folder`: documents to train on, and every k-th document for dev.

    Spread evenly, the documents that are held out have genres and authors as the corpus has them, in
    whatever order it is sorted.

    Args:
        file: Annotated documents.
        documents: How many to hold out.
        folder: Where the two files go.
        format: Of the file; else by suffix or content.

    Returns:
        The training file and the dev file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name:
    ...     train, dev = hold_out("examples/data/gold.conll", 1, Path(name))
    ...     len(read(train)), len(read(dev))
    (1, 1)
    """
    check_file(file)
    with open_text(file) as text:
        format = format_of(file, format, head=text.head)
    every = read(file, format)
    if not 0 < documents < len(every):
        raise CorelaxError(
            f"{file}: cannot hold out {documents} of its {len(every)} documents for dev"
        )
    chosen = {(2 * number + 1) * len(every) // (2 * documents) for number in range(documents)}
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for part in ("train", "dev"):
        path = str(folder / f"{part}{SUFFIXES[format]}")
        write((d for i, d in enumerate(every) if (i in chosen) == (part == "dev")), path, format)
        paths.append(path)
    return paths[0], paths[1]
