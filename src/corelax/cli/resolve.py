"""`corelax resolve [FILES]...`: who is who in texts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Literal

from corelax.cli.options import Device, FormatName, note, note_lost
from corelax.cli.parameters import Argument, BadParameter, Option
from corelax.core.errors import CorelaxError

if TYPE_CHECKING:
    from corelax.cli.bars import PiecesBar
    from corelax.resolve import Resolution

STANDARD = "-"
MOST_THREADS = max(64, os.cpu_count() or 1)  # far more end the program where threads are limited
HINT = 'name files or folders, or pipe text in: echo "Ann said she left." | corelax resolve'


def resolve(
    files: Annotated[
        list[str] | None,
        Argument(
            metavar="FILES",
            help="Texts, folders of *.txt, or annotated files; - or nothing is standard input.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        Option(metavar="NAME", help="Folder, or name of an installed model; else small."),
    ] = None,
    json: Annotated[
        bool, Option("--json", help="Print one JSON object for each document, a line each.")
    ] = False,
    html: Annotated[
        str | None,
        Option(metavar="FILE", help="Write a page for the browser; - is standard output."),
    ] = None,
    resolved: Annotated[
        bool,
        Option("--resolved", help="Print texts with pronouns and the like replaced by names."),
    ] = False,
    format: Annotated[
        FormatName | None, Option("--format", "--to", help="Write an annotated file.")
    ] = None,
    out: Annotated[
        str | None,
        Option(
            metavar="FILE", help="Where to write it (or --json, --resolved); else standard output."
        ),
    ] = None,
    input_format: Annotated[
        FormatName | None,
        Option("--input-format", "--from", help="Of annotated FILES; else by suffix."),
    ] = None,
    dialogue: Annotated[
        bool, Option("--dialogue", help="Lines such as `Ann: Hello!` name who speaks.")
    ] = False,
    mentions: Annotated[
        str | None,
        Option(help="detect, gold, or a file with the mentions; else as in training."),
    ] = None,
    singletons: Annotated[
        Literal["drop", "keep"] | None,
        Option(help="Entities that are mentioned once; else as in training."),
    ] = None,
    decoding: Annotated[
        Literal["links", "entities"] | None,
        Option(help="By best links or best entities (not with an encoder); else as in training."),
    ] = None,
    scheme: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Annotation scheme, if the model knows several; small has ontonotes, gum, litbank.",
        ),
    ] = None,
    constraints: Annotated[
        str | None,
        Option(metavar="FILE", help="Corrections that a page of --html has saved."),
    ] = None,
    device: Device = "auto",
    runtime: Annotated[
        Literal["auto", "onnx", "torch"],
        Option(help="What computes; auto is onnxruntime on a CPU if it can."),
    ] = "auto",
    batch_size: Annotated[
        int, Option(min=1, max=4096, metavar="N", help="Documents resolved together.")
    ] = 8,
    threads: Annotated[
        int | None,
        Option(
            min=1, max=MOST_THREADS, metavar="N", help="Threads; else as many as there are cores."
        ),
    ] = None,
) -> None:
    """Find who is who in texts: coloured on a terminal, or as JSON, a page or an annotated file.

    Texts are UTF-8. Files that end in .conll, .conllu or .jsonl keep their words and layers; their
    entities are replaced.
    """
    if not files and sys.stdin.isatty():
        raise BadParameter(HINT, param_hint="FILES")
    from corelax.core.files import open_for_writing
    from corelax.core.overwriting import check_not_input
    from corelax.io import write
    from corelax.resolve import resolve_files
    from corelax.resolve.models import model_files
    from corelax.text import input_files

    _check_outputs(json=json, html=html, resolved=resolved, format=format, out=out)
    target = next((name for name in (html, out) if name is not None), STANDARD)
    progress = _Progress(is_shown=target != STANDARD or not sys.stdout.isatty())
    resolutions = resolve_files(
        files or [STANDARD],
        model=model,
        input_format=input_format,
        dialogue=dialogue,
        mentions=mentions,
        singletons=singletons,
        decoding=decoding,
        scheme=scheme,
        constraints=constraints,
        device=device,
        runtime=runtime,
        threads=threads,
        batch_size=batch_size,
        note=note,
        progress=progress.update,
    )
    check_not_input(
        target, [*input_files(files or [STANDARD]), mentions, constraints, *model_files(model)]
    )
    with progress.stack:
        if json or resolved or html is not None:
            lines = _lines if json else _resolved_texts if resolved else _pages
            with open_for_writing(target) as file:
                file.writelines(lines(resolutions))
        elif format is not None or out is not None:
            lost = write((resolution.document for resolution in resolutions), target, format)
            note_lost(lost, but=("layer offsets", "heads"))
        else:
            _print(resolutions, progress)


def _check_outputs(
    *, json: bool, html: str | None, resolved: bool, format: str | None, out: str | None
) -> None:
    from corelax.io import format_for, suffix_format

    chosen = {
        "--json": json,
        "--html": html is not None,
        "--resolved": resolved,
        "--format": format is not None,
    }
    if sum(chosen.values()) > 1:
        names = " and ".join(name for name, is_chosen in chosen.items() if is_chosen)
        raise CorelaxError(f"{names} are different outputs; choose one")
    if html is not None and out is not None:
        raise CorelaxError("--html names the file itself; leave out --out")
    if out is not None and not json and not resolved:
        format_for(out, format)
    if out is not None and resolved and suffix_format(out):
        raise CorelaxError(f"{out}: --resolved writes plain text; name it .txt")
    if json and out is not None and suffix_format(out) and not out.endswith((".json", ".json.gz")):
        raise CorelaxError(
            f"{out}: --json writes JSON of its own; name it .json, or leave out --json for an annotated file"
        )


class _Progress:
    """How many documents are resolved, as a bar on standard error if there are several."""

    def __init__(self, *, is_shown: bool) -> None:
        self.stack = ExitStack()
        self.documents = 0
        self._is_shown = is_shown
        self._bar: PiecesBar | None = None

    def update(self, done: int, documents: int, name: str) -> None:
        """Moves the bar, which is drawn when the first document is resolved."""
        self.documents = documents
        if self._is_shown and documents > 1:
            if self._bar is None:
                from corelax.cli.bars import PiecesBar

                self._bar = self.stack.enter_context(PiecesBar())
            self._bar.update(done, documents, [name])


def _lines(resolutions: Iterator[Resolution]) -> Iterator[str]:
    from corelax.core.printable import json_text

    for resolution in resolutions:
        yield json_text(resolution.as_dict()) + "\n"


def _resolved_texts(resolutions: Iterator[Resolution]) -> Iterator[str]:
    """Each text on lines of its own, a blank line between two."""
    for number, resolution in enumerate(resolutions):
        text = resolution.resolved_text()
        yield ("\n" if number else "") + text + ("" if text.endswith("\n") else "\n")


def _pages(resolutions: Iterator[Resolution]) -> Iterator[str]:
    from corelax.render import resolutions_html

    yield resolutions_html(list(resolutions)) + "\n"


def _print(resolutions: Iterator[Resolution], progress: _Progress) -> None:
    from rich.console import Console

    from corelax.core.printed import unfiltered
    from corelax.render import print_resolution

    console = Console(file=unfiltered(sys.stdout))
    for number, resolution in enumerate(resolutions):
        if number:
            console.print()
        title = resolution.document.key if progress.documents > 1 else ""
        print_resolution(resolution, console, title=title)
