"""Options that several commands have, and how results are shown."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any, Literal

import typer

FormatName = Literal["conll2012", "corefud", "jsonlines"]

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


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> count(1, "file"), count(0, "oddity", "oddities")
    ('1 file', '0 oddities')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def print_table(
    header: list[str], rows: list[list[str]], *, text_columns: int = 1, rules: tuple[int, ...] = ()
) -> None:
    """A table of figures. Long names are folded so that it fits the terminal, or 80 columns.

    Args:
        header: The names of the columns.
        rows: The cells.
        text_columns: How many columns, from the left, are text; the others are aligned to the right.
        rules: Numbers of the rows before which a line is drawn.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, name in enumerate(header):
        is_text = i < text_columns
        table.add_column(
            name, justify="left" if is_text else "right", overflow="fold", no_wrap=not is_text
        )
    for number, row in enumerate(rows):
        if number in rules:
            table.add_section()
        table.add_row(*row)
    console = Console(highlight=False, markup=False)
    console.print(table)
