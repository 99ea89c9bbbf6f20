"""What `corelax resolve` writes: which outputs, into which files, and in which order."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from corelax.cli.options import note_lost
from corelax.core.errors import CorelaxError
from corelax.core.files import STANDARD, check_not_input, explain, open_for_writing
from corelax.core.options import FormatName, Option

if TYPE_CHECKING:
    from corelax.resolve import Resolution
    from corelax.text import Source

Kind = Literal["terminal", "json", "resolved", "annotated", "page"]
_SUFFIXES = {"json": ".json", "resolved": ".txt", "page": ".html"}
_FORMAT_SUFFIXES = {
    "conll2012": ".conll", "corefud": ".conllu", "ua": ".conllua", "jsonlines": ".jsonl",
}  # fmt: skip
_JSON = (".json", ".json.gz", ".ndjson", ".ndjson.gz")
_PAGE = (".html", ".htm", ".html.gz")


@dataclass(frozen=True, slots=True)
class Output:
    """What is written, and where.

    Attributes:
        kind: What.
        target: A file, a folder, or `-`.
        format: Of an annotated file.
    """

    kind: Kind
    target: str = STANDARD
    format: str | None = None

    @property
    def is_folder(self) -> bool:
        return self.target.endswith(("/", os.sep)) or Path(self.target).is_dir()

    def file_of(self, source: Source) -> str:
        suffix = _FORMAT_SUFFIXES[self.format] if self.format else _SUFFIXES[self.kind]
        name = Path(source.name.removesuffix(".gz"))
        return str(Path(self.target, name.with_suffix(suffix)))


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """What is written, and where."""

    json: Annotated[
        bool, Option("--json", help="Print one JSON object for each document, a line each.")
    ] = False
    html: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="Write a page for the browser, also beside another output; - is standard output.",
        ),
    ] = None
    resolved: Annotated[
        bool,
        Option("--resolved", help="Print texts with pronouns and the like replaced by names."),
    ] = False
    format: Annotated[
        FormatName | None, Option("--format", "--to", help="Write an annotated file.")
    ] = None
    out: Annotated[
        str | None,
        Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where to write; .json, .html, .jsonl, .conll, .conllu say what. A folder (out/) gets a "
            "file for each input. Else standard output.",
        ),
    ] = None


def chosen_outputs(options: OutputOptions) -> list[Output]:
    """The outputs that options ask for: one, or a page and another.

    >>> chosen_outputs(OutputOptions(html="a.html", out="a.conllu"))
    [Output(kind='page', target='a.html', format=None), Output(kind='annotated', target='a.conllu', ...)]
    """
    json, resolved, format = options.json, options.resolved, options.format
    html, out = options.html, options.out
    asked = {"--json": json, "--resolved": resolved, "--format": format is not None}
    chosen = [name for name, is_chosen in asked.items() if is_chosen]
    if len(chosen) > 1:
        raise CorelaxError(f"{' and '.join(chosen)} are different outputs; choose one")
    page = [] if html is None else [Output("page", html)]
    if out is None and not chosen:
        return page or [Output("terminal")]
    other = _other(json, resolved, format, STANDARD if out is None else out)
    if page and other.kind == "page":
        raise CorelaxError("--html and --out both name a page; leave out one")
    outputs = [*page, other]
    if len({os.path.normpath(output.target) for output in outputs}) < len(outputs):
        if html == STANDARD:
            raise CorelaxError("--html - fills standard output; name another place with --out")
        if not other.is_folder:
            raise CorelaxError(f"{html}: --html and --out name the same file")
    for output in outputs:
        name = output.target.rstrip("/" + os.sep)
        if output.is_folder and name and Path(name).exists() and not Path(name).is_dir():
            raise CorelaxError(f"{output.target}: {name} is a file; name a folder")
    return outputs


def _other(json: bool, resolved: bool, format: str | None, out: str) -> Output:
    from corelax.io import format_for, suffix_format

    is_page = out.endswith(_PAGE)
    if json:
        if (suffix_format(out) and not out.endswith(_JSON)) or is_page:
            raise CorelaxError(
                f"{out}: --json writes JSON of its own; name it .json, or leave out --json"
                + (" for a page" if is_page else " for an annotated file")
            )
        return Output("json", out)
    if resolved:
        if suffix_format(out) or is_page:
            raise CorelaxError(f"{out}: --resolved writes plain text; name it .txt")
        return Output("resolved", out)
    if format is None:
        if is_page:
            return Output("page", out)
        if out.endswith(_JSON) or Output("json", out).is_folder:
            return Output("json", out)
        if out.endswith(".txt"):
            raise CorelaxError(
                f"{out}: cannot tell the format from the name; use --resolved for a text with names for "
                "pronouns, or --format"
            )
    return Output("annotated", out, format_for(out, format))


def write_outputs(
    outputs: Sequence[Output],
    sources: Sequence[Source],
    resolutions: Iterator[Resolution],
    *,
    inputs: Sequence[str],
    note: Callable[[str], None],
) -> None:
    """Writes all outputs. A file appears when it is whole; in a folder, one after the other.

    Args:
        outputs: As `chosen_outputs` returns them.
        sources: What was read, in the order of the resolutions.
        resolutions: Those of all documents.
        inputs: Files that must not be written over.
        note: Called with what a format could not hold.
    """
    for output in outputs:
        if not output.is_folder:
            check_not_input(output.target, inputs)
            continue
        for target in filter(os.path.exists, _files(output, sources)):
            check_not_input(target, inputs)
    lost: Counter[str] = Counter()
    for output in outputs:
        if output.is_folder:
            resolutions = _into_folder(output, sources, resolutions, lost)
    whole = [output for output in outputs if not output.is_folder]
    page = next((output for output in whole if output.kind == "page"), None)
    has_titles = sum(len(source.documents) for source in sources) > 1
    with nullcontext() if page is None else open_for_writing(page.target) as file:
        kept: list[Resolution] = []
        if page is not None:
            resolutions = _keeping(resolutions, kept)
        for output in whole:
            if output is not page:
                _write(output, output.target, resolutions, lost, has_titles=has_titles)
        for _ in resolutions:  # what nobody has asked for yet
            pass
        if file is not None:
            file.writelines(_pages(kept))
    note_lost(lost, but=("layer offsets", "heads"), note=note)


def _files(output: Output, sources: Sequence[Source]) -> list[str]:
    by_file: dict[str, Source] = {}
    for source in sources:
        file = output.file_of(source)
        if (other := by_file.setdefault(file, source)) is not source:
            raise CorelaxError(
                f"{other.path} and {source.path} would both be written to {file}; rename one"
            )
    return list(by_file)


def _into_folder(
    output: Output, sources: Sequence[Source], resolutions: Iterator[Resolution], lost: Counter[str]
) -> Iterator[Resolution]:
    """Passes resolutions on, and writes those of an input when they are complete."""
    for source in sources:
        mine = []
        for resolution in islice(resolutions, len(source.documents)):
            mine.append(resolution)
            yield resolution
        file = Path(output.file_of(source))
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CorelaxError(
                f"{file.parent}: cannot make this folder: {explain(error)}"
            ) from None
        _write(output, str(file), iter(mine), lost)
    yield from resolutions  # none; but another folder that they pass through writes its last file now


def _keeping(resolutions: Iterator[Resolution], kept: list[Resolution]) -> Iterator[Resolution]:
    for resolution in resolutions:
        kept.append(resolution)
        yield resolution


def _write(
    output: Output,
    target: str,
    resolutions: Iterator[Resolution],
    lost: Counter[str],
    *,
    has_titles: bool = False,
) -> None:
    from corelax.io import write

    if output.kind == "terminal":
        _print(resolutions, has_titles=has_titles)
    elif output.kind == "annotated":
        documents = (resolution.document for resolution in resolutions)
        lost.update(write(documents, target, output.format))
    else:
        lines = {"json": _lines, "resolved": _resolved_texts, "page": _pages}[output.kind]
        with open_for_writing(target) as file:
            file.writelines(lines(resolutions))


def _lines(resolutions: Iterable[Resolution]) -> Iterator[str]:
    from corelax.core.printable import json_text

    for resolution in resolutions:
        yield json_text(resolution.as_dict()) + "\n"


def _resolved_texts(resolutions: Iterable[Resolution]) -> Iterator[str]:
    """Each text on lines of its own, a blank line between two."""
    for number, resolution in enumerate(resolutions):
        text = resolution.resolved_text()
        yield ("\n" if number else "") + text + ("" if text.endswith("\n") else "\n")


def _pages(resolutions: Iterable[Resolution]) -> Iterator[str]:
    from corelax.render import resolutions_html

    yield resolutions_html(list(resolutions)) + "\n"


def _print(resolutions: Iterable[Resolution], *, has_titles: bool) -> None:
    from rich.console import Console

    from corelax.core.printable import unfiltered
    from corelax.render import print_resolution

    console = Console(file=unfiltered(sys.stdout))
    for number, resolution in enumerate(resolutions):
        if number:
            console.print()
        title = resolution.document.key if has_titles else ""
        print_resolution(resolution, console, title=title)
