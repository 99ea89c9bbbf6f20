"""Options that several commands have, and how results are shown."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any, Literal

import typer

FormatName = Literal["conll2012", "corefud", "jsonlines"]

Device = Annotated[Literal["auto", "cpu", "cuda"], typer.Option(help="Where to compute.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")]
InputFormat = Annotated[
    FormatName | None,
    typer.Option("--format", help="Format of the files; else by suffix, else by content."),
]


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def note(text: str) -> None:
    """A remark on standard error, where it does not disturb programs that read the output."""
    print(text, file=sys.stderr)


def plural(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> plural(1, "file"), plural(0, "oddity", "oddities")
    ('1 file', '0 oddities')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
