"""`corelax convert IN OUT`: from one format to another."""

from __future__ import annotations

from typing import Annotated

import typer

from corelax.cli.options import SourceFormat, TargetFormat, note_lost


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="File to read; - is standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="File to write; .gz packs it.")],
    format: TargetFormat = None,
    input_format: SourceFormat = None,
) -> None:
    """Convert annotated files between formats.

    What OUT's format cannot hold is listed on standard error. OUT appears when all of it is written.
    """
    from corelax.io import stream, write

    note_lost(write(stream(source, input_format), target, format))
