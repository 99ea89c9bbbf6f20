"""`corelax resolve [FILES]...`: who is who in texts."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corelax.cli.options import Device, FormatName, note_lost
from corelax.core.errors import CorelaxError

if TYPE_CHECKING:
    from corelax.resolve.resolution import Resolution
    from corelax.text.sources import Source

STANDARD = "-"
HINT = 'name files or folders, or pipe text in: echo "Ann said she left." | corelax resolve'


def resolve(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILES",
            help="Texts, folders of *.txt, or annotated files; - or nothing is standard input.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Model folder or name; else the one that is built in."),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object for each document, a line each.")
    ] = False,
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a page for the browser; - is standard output."),
    ] = None,
    format: Annotated[
        FormatName | None, typer.Option("--format", "--to", help="Write an annotated file.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Where to write it (or --json); else standard output."),
    ] = None,
    input_format: Annotated[
        FormatName | None,
        typer.Option("--input-format", "--from", help="Of annotated FILES; else by suffix."),
    ] = None,
    dialogue: Annotated[
        bool, typer.Option("--dialogue", help="Lines such as `Ann: Hello!` name who speaks.")
    ] = False,
    singletons: Annotated[
        Literal["drop", "keep"], typer.Option(help="Entities that are mentioned once.")
    ] = "drop",
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which way to annotate, if the model knows several; small has ontonotes, gum, litbank.",
        ),
    ] = None,
    device: Device = "auto",
    batch_size: Annotated[
        int, typer.Option(min=1, metavar="N", help="Documents resolved together.")
    ] = 8,
    threads: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Threads; else as many as there are cores."),
    ] = None,
) -> None:
    """Find who is who in texts: coloured on a terminal, or as JSON, a page or an annotated file.

    Texts are UTF-8. Files that end in .conll, .conllu or .jsonl keep their words and layers; their
    entities are replaced.
    """
    if not files and sys.stdin.isatty():
        raise typer.BadParameter(HINT, param_hint="FILES")
    from corelax.core.files import open_for_writing
    from corelax.io import write
    from corelax.text.sources import input_files, is_same_file, read_sources

    _check_outputs(json=json, html=html, format=format, out=out)
    # All is read first: a file that cannot be is known before anything is computed or written.
    sources = read_sources(files or [STANDARD], input_format, dialogue=dialogue)
    target = next((name for name in (html, out) if name is not None), STANDARD)
    if any(is_same_file(name, target) for name in input_files(files or [STANDARD])):
        raise CorelaxError(f"{target}: is an input, too; name another file to write")
    with ExitStack() as stack:
        found = _resolved(
            sources,
            stack,
            model=model,
            device=device,
            threads=threads,
            batch_size=batch_size,
            singletons=singletons,
            scheme=scheme,
            watched=target != STANDARD or not sys.stdout.isatty(),
        )
        if json or html is not None:
            with open_for_writing(target) as file:
                file.writelines(_lines(found) if json else _pages(found))
        elif format is not None or out is not None:
            lost = write((resolution.document for resolution in found), target, format)
            lost.pop("layer offsets", None)  # nobody has asked for those
            note_lost(lost)
        else:
            _show(found, named=len(sources) > 1)


def _check_outputs(*, json: bool, html: str | None, format: str | None, out: str | None) -> None:
    from corelax.io import format_for, suffix_format

    chosen = {"--json": json, "--html": html is not None, "--format": format is not None}
    if sum(chosen.values()) > 1:
        names = " and ".join(name for name, is_there in chosen.items() if is_there)
        raise CorelaxError(f"{names} are different outputs; choose one")
    if html is not None and out is not None:
        raise CorelaxError("--html names the file itself; leave out --out")
    if out is not None and not json:
        format_for(out, format)
    if json and out is not None and suffix_format(out) and not out.endswith((".json", ".json.gz")):
        raise CorelaxError(
            f"{out}: --json writes JSON of its own; name it .json, or leave out --json for an annotated file"
        )


def _resolved(
    sources: Sequence[Source],
    stack: ExitStack,
    *,
    model: str | None,
    device: str,
    threads: int | None,
    batch_size: int,
    singletons: str,
    scheme: str | None,
    watched: bool,
) -> Iterator[Resolution]:
    """The documents with their entities, on the characters of their own texts."""
    from corelax.cli.progress import UnitsProgress
    from corelax.resolve.resolution import resolution_of
    from corelax.resolve.resolver import Resolver

    if threads is not None:
        import torch

        torch.set_num_threads(threads)
    resolver = Resolver.from_pretrained(model, device=device)
    documents = (source.document for source in sources)
    found = resolver.pipe(documents, batch_size=batch_size, singletons=singletons, scheme=scheme)
    progress = stack.enter_context(UnitsProgress()) if watched and len(sources) > 1 else None
    for done, (source, resolution) in enumerate(zip(sources, found, strict=True), 1):
        if progress:
            progress.update(done, len(sources), [source.document.key])
        if source.text is None:
            yield resolution
        else:
            yield resolution_of(source.document, resolution.decisions, source.text)


def _lines(found: Iterator[Resolution]) -> Iterator[str]:
    import json

    for resolution in found:
        yield json.dumps(resolution.as_dict(), ensure_ascii=False) + "\n"


def _pages(found: Iterator[Resolution]) -> Iterator[str]:
    from corelax.render.page import resolutions_html

    yield resolutions_html(list(found)) + "\n"


def _show(found: Iterator[Resolution], *, named: bool) -> None:
    from rich.console import Console

    from corelax.render.terminal import show

    console = Console()
    for number, resolution in enumerate(found):
        if number:
            console.print()
        show(resolution, console, title=resolution.document.key if named else "")
