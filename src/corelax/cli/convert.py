"""`corelax convert IN OUT`: from one format to another."""

from __future__ import annotations

from typing import Annotated

import typer

from corelax.cli.options import FormatName, note


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="File to read; - is standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="File to write; .gz packs it.")],
    format: Annotated[
        FormatName | None, typer.Option("--format", "--to", help="Format of OUT; else by suffix.")
    ] = None,
    input_format: Annotated[
        FormatName | None,
        typer.Option("--input-format", "--from", help="Format of IN; else by suffix or content."),
    ] = None,
) -> None:
    """Convert annotated files between formats.

    What OUT's format cannot hold is listed on standard error. OUT appears when all of it is written.
    """
    from corelax.io import stream, write

    for what, times in sorted(write(stream(source, input_format), target, format).items()):
        note(f"not kept: {what} ({times:,})")
