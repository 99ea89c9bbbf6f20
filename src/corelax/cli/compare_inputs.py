"""What the arguments of `corelax compare` stand for: gold or text, files of systems, models that are run.

A system is a file or a folder of files with its output; what is neither is the name of an installed model.
A folder with `config.json` in it is a model. `NAME=` in front names the system; commas put several runs of it
side by side.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from corelax.analysis.errors import system_names
from corelax.analysis.passages import GOLD
from corelax.core.errors import CorelaxError, FormatError
from corelax.core.files import STANDARD, open_text, shown
from corelax.core.folders import CONFIG
from corelax.core.printable import unfiltered
from corelax.document import Document
from corelax.io import format_of, join_topics, match_files, read, suffix_format, topic_rule
from corelax.io.topics import named_entities

if TYPE_CHECKING:
    from corelax.cli.compare import InputOptions

Note = Callable[[str], None]
RESULT = re.compile(r"\.(links|entities)\.json$")  # of a run of a study


class Source(NamedTuple):
    """One run of a system: a path, or a model to be run."""

    path: str
    is_model: bool


@dataclass(frozen=True, slots=True)
class Texts:
    """The documents that systems are compared on.

    Attributes:
        files: The documents of each file, by the name that files of systems are matched by.
        source: The file or folder that they are from; empty for raw text, whose files have no partners.
        is_gold: Whether they have gold entities.
        cross_document: How the topics are told (`corelax.io.topic_rule`) that are compared as one document.
    """

    files: dict[str, list[Document]]
    source: str
    is_gold: bool
    cross_document: str | None = None

    def named(self, file: str, documents: Sequence[Document]) -> list[Document]:
        """Documents of a file, with its name in theirs where there are several files."""
        if len(self.files) == 1:
            return list(documents)
        return [replace(doc, id=f"{file}/{doc.id}") for doc in documents]

    @property
    def documents(self) -> list[Document]:
        """All documents."""
        return [doc for file, docs in self.files.items() for doc in self.named(file, docs)]


def read_texts(name: str, inputs: InputOptions, note: Note) -> Texts:
    """The first argument: annotated files with gold entities, or texts without."""
    from corelax.text import read_documents

    cross_document = inputs.cross_document
    if _is_raw(name, inputs.format):
        if cross_document is not None:
            raise CorelaxError("--cross-document needs annotated files, not a text")
        return Texts({"": read_documents([name])}, "", is_gold=False)
    paths = {key: path for key, (path, _) in match_files(gold=[name], system=[name]).items()}
    files = {key: _read(path, inputs.format, cross_document) for key, path in paths.items()}
    is_gold = any(doc.clusters for docs in files.values() for doc in docs)
    if not is_gold:
        note(f"{shown(name)}: has no entities, so the systems are compared with each other")
    return Texts(files, name, is_gold, cross_document)


def _read(path: str, format: str | None, cross_document: str | None) -> list[Document]:
    """The documents of a file, or its topics."""
    documents = read(path, format)
    if cross_document is None:
        return documents
    return list(join_topics(named_entities(documents, path, format), topic_rule(cross_document)))


def _is_raw(name: str, format: str | None) -> bool:
    """Whether a file is raw text, by option, suffix or content; a folder if only such files are in it."""
    if name != STANDARD and Path(name).is_dir():
        return not any(suffix_format(path) for path in Path(name).rglob("*"))
    if format is not None or suffix_format(name) is not None:
        return False
    if name.removesuffix(".gz").endswith(".txt"):
        return True
    with open_text(name, encoding="latin-1") as file:  # any bytes
        try:
            format_of(name, head=file.head)
        except FormatError:
            if not file.head:
                raise
            return True
    return False


def parse_systems(arguments: Sequence[str]) -> dict[str, list[Source]]:
    """By name, the runs of each system."""
    given = [_split_name(argument) for argument in arguments]
    derived = iter(system_names([path for name, path in given if not name]))
    names = [name or _not_gold(next(derived), path) for name, path in given]
    if again := [name for name, times in Counter(names).items() if times > 1]:
        raise CorelaxError(f"two systems are called {again[0]}; NAME=FILE gives one another name")
    return {
        name: [_source(part) for part in _runs(path)]
        for name, (_, path) in zip(names, given, strict=True)
    }


def _not_gold(name: str, path: str) -> str:
    return path if name == GOLD else name  # which stands beside the systems in passages


def _split_name(argument: str) -> tuple[str, str]:
    """The name that a system is given, if any, and what it is.

    >>> _split_name("lea=out/lea.conll"), _split_name("out/lea.conll")
    (('lea', 'out/lea.conll'), ('', 'out/lea.conll'))
    """
    name, equals, path = argument.partition("=")
    if not equals or Path(argument).exists():
        return "", argument
    if not name or not path:
        raise CorelaxError(f"{argument}: a system with a name is NAME=FILE")
    return name, path


def _runs(path: str) -> list[str]:
    return [path] if "," not in path or Path(path).exists() else [p for p in path.split(",") if p]


def _source(path: str) -> Source:
    """A file or folder with output, or a model."""
    place = Path(path)
    if path == STANDARD or (place.exists() and not (place / CONFIG).is_file()):
        return Source(path, is_model=False)
    from corelax.resolve.models import installed_models, model_folder

    try:
        is_model = (model_folder(path) / CONFIG).is_file()
    except CorelaxError:
        is_model = False
    if not is_model:
        names = ", ".join(model.name for model in installed_models()) or "none"
        raise CorelaxError(
            f"{path}: no such file, and no model of that name is installed (installed: {names})"
        )
    return Source(path, is_model=True)


def read_system(source: Source, texts: Texts, format: str | None, note: Note) -> list[Document]:
    """The documents of a run that is in files."""
    if RESULT.search(source.path):
        return _study_result(source.path, texts.documents)
    if not texts.source:
        documents = _of_text(read(source.path, format), texts.documents)
        if sorted(map(_characters, documents)) != sorted(map(_characters, texts.documents)):
            note(f"{shown(source.path)}: its words are not those of the text")
        return documents
    pairs = match_files(gold=[texts.source], system=[source.path])
    return [
        doc
        for file, (_, path) in pairs.items()
        for doc in texts.named(file, _read(path, format, texts.cross_document))
    ]


def _of_text(documents: list[Document], texts: Sequence[Document]) -> list[Document]:
    """Documents of raw texts. A single one is that of the single text, whatever it was called then."""
    if len(documents) == len(texts) == 1:
        return [replace(documents[0], id=texts[0].id, part=texts[0].part)]
    return documents


def _characters(doc: Document) -> str:
    return "".join(doc.words)  # however they are cut into words


def _study_result(path: str, documents: Sequence[Document]) -> list[Document]:
    """What a unit of a study has predicted, on the documents of GOLD."""
    from corelax.study.records import load_predicted

    clusters = load_predicted(Path(path)).clusters()
    if missing := [doc.key for doc in documents if doc.key not in clusters]:
        raise CorelaxError(f"{path}: document {missing[0]} is in gold but not in system")
    return [doc.with_clusters(clusters[doc.key]) for doc in documents]


def input_paths(gold: str, sources: Mapping[str, Sequence[Source]]) -> Iterator[str | Path]:
    """All files that are read, so that none is written over."""
    from corelax.resolve.models import model_files

    for path in (
        gold,
        *(run.path for runs in sources.values() for run in runs if not run.is_model),
    ):
        is_folder = path != STANDARD and Path(path).is_dir()
        yield from Path(path).rglob("*") if is_folder else [path]
    for run in (run for runs in sources.values() for run in runs if run.is_model):
        yield from model_files(run.path)


def system_runs(
    sources: Mapping[str, Sequence[Source]],
    texts: Texts,
    inputs: InputOptions,
    note: Note,
) -> dict[str, list[list[Document]]]:
    """The documents of each run of each system. Files come before models, so that errors come early."""
    every = [source for runs in sources.values() for source in runs]
    models = [source for source in every if source.is_model]
    if inputs.scheme is not None and not models:
        raise CorelaxError("--scheme is of models that are run; the systems are all files")
    if texts.cross_document is not None and any(s.is_model or RESULT.search(s.path) for s in every):
        raise CorelaxError(
            "--cross-document compares files of annotated documents, not models and results of studies"
        )
    ready = {s: read_system(s, texts, inputs.format, note) for s in every if not s.is_model}
    if models:
        ready |= _run_models(models, texts.documents, inputs, note)
    return {name: [ready[source] for source in runs] for name, runs in sources.items()}


def _run_models(
    models: Sequence[Source],
    documents: Sequence[Document],
    inputs: InputOptions,
    note: Note,
) -> dict[Source, list[Document]]:
    """What each model predicts, with a bar on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from corelax.resolve import resolve_documents

    ready: dict[Source, list[Document]] = {}
    console = Console(file=unfiltered(sys.stderr))
    columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    is_hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=is_hidden) as bar:
        task = bar.add_task("", total=len(models) * len(documents))
        for model in models:
            resolved = ready[model] = []
            for resolution in resolve_documents(
                model.path, documents, scheme=inputs.scheme, device=inputs.device, note=note
            ):
                resolved.append(resolution.document)
                bar.advance(task)
    return ready
