"""Files in, entities out: what `corelax resolve` does, as a function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from corelax.core.errors import CorelaxError
from corelax.core.files import STANDARD
from corelax.document import Document
from corelax.resolve.constraints import constraints_for, read_constraints
from corelax.resolve.languages import is_for_english
from corelax.text import looks_english, read_documents

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution

Note = Callable[[str], None]
Progress = Callable[[int, int, str], None]


def resolve_files(
    files: Sequence[str | os.PathLike[str] | Document],
    *,
    model: str | Path | None = None,
    input_format: str | None = None,
    dialogue: bool = False,
    mentions: str | None = None,
    singletons: str | None = None,
    decoding: str | None = None,
    scheme: str | None = None,
    constraints: str | os.PathLike[str] | None = None,
    device: str = "auto",
    runtime: str = "auto",
    threads: int | None = None,
    batch_size: int = 8,
    jobs: int = 1,
    workers: int | None = None,
    note: Note = lambda _: None,
    detail: Note = lambda _: None,
    progress: Progress = lambda _done, _all, _name: None,
) -> Iterator[Resolution]:
    """The entities of texts, of folders of texts and of annotated files, document by document.

    All files are read at the call: one that cannot be read is an error before anything is computed.

    Args:
        files: UTF-8 texts, folders (all `*.txt` in them), annotated files by their suffix; "-" is standard
            input. Documents that were read before (`corelax.text.read_sources`) may be among them.
        model: A model folder of either ranker, or the name of an installed model; None is "small".
        input_format: The format of annotated files; None is by suffix.
        dialogue: Whether lines such as `Ann: Hello!` name who speaks.
        mentions: "detect", "gold", or a file with mentions; None is as in training.
        singletons: "drop" or "keep" entities of one mention; None is as in training.
        decoding: "links" or "entities", for a sparse ranker; None is as in training.
        scheme: The annotation scheme, of those that an encoder ranker knows; None is its first.
        constraints: A file of corrections, as the page saves them.
        device: "auto", "cpu", "cuda", "cuda:1" and so on, or "mps".
        runtime: What runs an encoder ranker, as in `Resolver.from_pretrained`.
        threads: How many threads compute on a CPU; None is as many as there are cores.
        batch_size: How many documents an encoder ranker resolves together.
        jobs: In how many processes, each with a model of its own.
        workers: How many other processes do what is done around the network of an encoder ranker; as in
            `Resolver.pipe`.
        note: Called with a line of text for each oddity.
        detail: Called with a line that says which model is loaded and what runs it.
        progress: Called with the number of resolved documents, the number of all, and a document's name.

    >>> [resolution] = resolve_files(["examples/data/curie.txt"], device="cpu")
    >>> resolution.entities[0].representative.text
    'Marie Curie'
    """
    documents = _read(files, input_format, dialogue)
    corrections = None
    if constraints is not None:
        keys = [document.key for document in documents]
        corrections = constraints_for(keys, read_constraints(constraints), os.fspath(constraints))

    def resolved() -> Iterator[Resolution]:
        from corelax.resolve.predict import resolve_documents  # after reading

        words = (word for document in documents for word in document.words)
        if not looks_english(words) and is_for_english(model):
            note(
                "this does not look like English, which the model is for; the output may mean little"
            )
        resolutions = resolve_documents(
            model,
            documents,
            mentions=mentions,
            singletons=singletons,
            decoding=decoding,
            scheme=scheme,
            constraints=corrections,
            device=device,
            runtime=runtime,
            threads=threads,
            batch_size=batch_size,
            jobs=jobs,
            workers=workers,
            note=note,
            detail=detail,
        )
        for done, resolution in enumerate(resolutions, 1):
            progress(done, len(documents), resolution.document.key)
            yield resolution

    return resolved()


def _read(
    files: Sequence[str | os.PathLike[str] | Document], format: str | None, dialogue: bool
) -> list[Document]:
    """All documents in their order."""
    if list(files).count(STANDARD) > 1:
        raise CorelaxError("standard input can be read once only")
    documents: list[Document] = []
    for file in files:
        if isinstance(file, Document):
            documents.append(file)
        else:
            documents += read_documents([os.fspath(file)], format, dialogue=dialogue)
    return documents
