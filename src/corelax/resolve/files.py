"""Files and documents in, entities out, by a ranker of either kind: what `corelax resolve` does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corelax.core.errors import CorelaxError
from corelax.core.files import STANDARD
from corelax.core.folders import read_model_config
from corelax.document import Document
from corelax.english.words import looks_english
from corelax.resolve.constraints import Constraints, constraints_for, read_constraints
from corelax.resolve.hub import fetched
from corelax.resolve.models import is_for_english, model_folder
from corelax.resolve.options import FileOptions
from corelax.text import read_sources
from corelax.text.sources import TEXTS

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution
    from corelax.resolve.resolver import Resolver

Note = Callable[[str], None]
Progress = Callable[[int, int, str], None]
DETECT, GOLD = "detect", "gold"


def _silent(_: str) -> None:
    pass


def resolve_files(
    files: Sequence[str | os.PathLike[str] | Document],
    *,
    constraints: str | os.PathLike[str] | None = None,
    note: Note = _silent,
    detail: Note = _silent,
    progress: Progress = lambda _done, _all, _name: None,
    **options: Any,
) -> Iterator[Resolution]:
    """The entities of texts, of folders of texts and of annotated files, document by document.

    All files are read at the call: one that cannot be read is an error before anything is computed.

    Args:
        files: UTF-8 texts, folders (all `*.txt` in them), annotated files by their suffix; "-" is standard
            input. Documents that were read before (`corelax.text.read_sources`) may be among them.
        constraints: A file of corrections, as the page saves them.
        note: Called with a line of text for each oddity.
        detail: Called with a line that says which model is loaded and what runs it.
        progress: Called with the number of resolved documents, the number of all, and a document's name.
        **options: `input_format` of annotated files (else by suffix); `encoding` of texts; `glob`, which
            files of folders are read; `dialogue`, whether lines such as `Ann: Hello!` name who speaks; and
            `model` and the options of `resolve_documents`.

    >>> [resolution] = resolve_files(["examples/data/curie.txt"], device="cpu")
    >>> resolution.entities[0].representative.text
    'Marie Curie'
    """
    chosen = FileOptions(**options)
    documents = _read(files, chosen)
    corrections: Mapping[str, Constraints] = {}
    if constraints is not None:
        keys = [document.key for document in documents]
        corrections = constraints_for(keys, read_constraints(constraints), os.fspath(constraints))

    def resolved() -> Iterator[Resolution]:
        words = (word for document in documents for word in document.words)
        if not looks_english(words) and is_for_english(chosen.model):
            note(
                "this does not look like English, which the model is for; the output may mean little"
            )
        resolutions = _resolved(documents, chosen, corrections, note, detail)
        for done, resolution in enumerate(resolutions, 1):
            progress(done, len(documents), resolution.source.key)
            yield resolution

    return resolved()


def resolve_documents(
    model: str | Path | None,
    documents: Iterable[Document],
    *,
    constraints: Mapping[str, Constraints] | None = None,
    note: Note = _silent,
    detail: Note = _silent,
    **options: Any,
) -> Iterator[Resolution]:
    """Yields the entities of each document with their probabilities, in the order of the input.

    A sparse ranker gets its mentions from rules, or they are given: their `probability` is 1.

    Args:
        model: A model folder of either ranker, or the name of an installed model; None is "small".
        documents: Documents; for a sparse ranker with the layers that mention detection needs, or with given
            mentions.
        constraints: Corrections of documents by their names (`read_constraints`); for an encoder ranker.
        note: Called with a line of text for each oddity.
        detail: Called with a line that says which model is loaded and what runs it.
        **options: `mentions` ("detect", "gold" or a file with mentions), `singletons` and `decoding` are as
            in training unless they are given; `scheme` and `consistent` as in `Resolver.resolve`; `device`,
            `runtime` and `threads` as in `Resolver.from_pretrained`; `batch_size` and `jobs` as in
            `Resolver.pipe`.
    """
    chosen = FileOptions(model=None if model is None else os.fspath(model), **options)
    return _resolved(documents, chosen, constraints or {}, note, detail)


def _resolved(
    documents: Iterable[Document],
    options: FileOptions,
    constraints: Mapping[str, Constraints],
    note: Note,
    detail: Note,
) -> Iterator[Resolution]:
    model = fetched(options.model)
    folder = model_folder(model)
    if _is_sparse(folder):
        if constraints:
            raise CorelaxError(f"{folder}: a sparse ranker takes no constraints; leave them out")
        yield from _by_sparse(folder, documents, options, note, detail)
        return
    if options.decoding == "entities":
        raise CorelaxError(f"{folder}: an encoder ranker decodes by links; leave out 'entities'")
    from corelax.resolve.resolver import Resolver

    resolver = Resolver.from_pretrained(
        model, device=options.device, runtime=options.runtime, threads=options.threads
    )
    detail(repr(resolver).strip("<>"))
    options = as_trained(options, resolver.model.training, folder, note)
    originals, to_resolve = tee(documents)  # those that are resolved together wait here
    resolutions = _by_encoder(resolver, to_resolve, options, note)
    for document, resolution in zip(originals, resolutions, strict=True):
        if corrections := constraints.get(document.key):
            resolution = resolver.corrected(resolution, corrections, **options.deciding)
        yield resolution


def _by_encoder(
    resolver: Resolver, documents: Iterable[Document], options: FileOptions, note: Note
) -> Iterator[Resolution]:
    """Given mentions that the ranker cannot look at, such as very long ones, stay alone."""
    name = options.mentions or DETECT
    if name == DETECT:
        sizes = {"batch_size": options.batch_size, "jobs": options.jobs or 1}
        yield from resolver.pipe(documents, **sizes, **options.deciding)
        return
    source = noting_source(name, note)
    for document in documents:
        yield resolver.resolve_mentions(document, source(document) or (), **options.deciding)


def _by_sparse(
    folder: Path, documents: Iterable[Document], options: FileOptions, note: Note, detail: Note
) -> Iterator[Resolution]:
    if options.scheme is not None:
        raise CorelaxError(
            f"{folder}: a sparse ranker has no schemes; leave out {options.scheme!r}"
        )
    if options.runtime not in ("auto", "torch"):
        raise CorelaxError(
            f"{folder}: torch runs a sparse ranker; leave out the runtime {options.runtime!r}"
        )
    from corelax.decode import Decided, decide
    from corelax.resolve.resolution import resolution_of
    from corelax.resolve.sparse import SparseModel  # needs torch

    detail(f"sparse ranker of {folder} by torch")
    model = SparseModel(folder, options.device)
    names = ("mentions", "singletons", "decoding")
    options = as_trained(replace(options, consistent=False), model.training, folder, note, names)
    model.source = noting_source(options.mentions or DETECT, note)
    for document in documents:
        decided = decide(model.scored(document), document, options)
        # Of all pairs the likely antecedents are not told, only the one that is taken.
        untold = decided.likely[:, :0], decided.likely_probability[:, :0]
        yield resolution_of(document, Decided(*decided[:-2], *untold))


def as_trained(
    options: FileOptions,
    training: Mapping[str, Any],
    folder: Path,
    note: Note,
    names: Sequence[str] = ("singletons",),
) -> FileOptions:
    if not training.get("finished", True):
        note(f"{folder}: its training is not finished")
    config = training.get("config", {})
    given = {name: getattr(options, name) or config.get(name) for name in names}
    given["singletons"] = given["singletons"] or "drop"
    return replace(options, **given)


def noting_source(name: str, note: Note) -> Callable[[Document], Any]:
    """Where mentions come from; notes the first document that has none where they are given."""
    if name == DETECT:
        return lambda _: None
    from corelax.rankers.sparse.features.extract import mention_source

    source = mention_source(name)
    is_silent = name != GOLD

    def noting(document: Document) -> Any:
        nonlocal is_silent
        if not document.clusters and not is_silent:
            note(f"document {document.key} has no annotated mentions, so nothing is resolved in it")
            is_silent = True
        return source(document)

    return noting


def _is_sparse(folder: Path) -> bool:
    """Whether a folder says that it holds a sparse ranker. What is wrong with others, their reader says."""
    try:
        return str(read_model_config(folder)["format"]).startswith("corelax sparse ranker")
    except (CorelaxError, ValueError, KeyError, TypeError):
        return False


def _read(
    files: Sequence[str | os.PathLike[str] | Document], options: FileOptions
) -> list[Document]:
    if list(files).count(STANDARD) > 1:
        raise CorelaxError("standard input can be read once only")
    documents: list[Document] = []
    for file in files:
        if isinstance(file, Document):
            documents.append(file)
            continue
        for source in read_sources(
            [os.fspath(file)],
            options.input_format,
            dialogue=options.dialogue,
            encoding=options.encoding,
            glob=options.glob or TEXTS,
        ):
            documents += source.documents
    return documents
