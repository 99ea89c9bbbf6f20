"""How `corelax compare` shows its results: on the terminal, as JSON, CSV, LaTeX or a page."""

from __future__ import annotations

import shlex
import sys

from rich.console import Console

from corelax.analysis import (
    Agreement,
    Comparison,
    agreement_page,
    agreement_passages,
    agreement_table,
    comparison_page,
    comparison_passages,
    comparison_table,
    errors_table,
)
from corelax.cli.options import print_json, print_table
from corelax.core.files import open_for_writing
from corelax.core.printable import unfiltered
from corelax.render import Passages, page_html, print_passages, table_text


def write_page(result: Comparison | Agreement, target: str, title: str) -> None:
    """Writes the page, with the command that made it."""
    command = shlex.join(["corelax", *sys.argv[1:]])
    if isinstance(result, Comparison):
        page = comparison_page(result, title=title, command=command)
    else:
        page = agreement_page(result, title=title, command=command)
    with open_for_writing(target) as file:
        file.write(page_html(page) + "\n")


def print_result(
    result: Comparison | Agreement, *, json: bool, csv: bool, latex: bool, is_quiet: bool
) -> None:
    """Prints a result."""
    if json:
        print_json(result.as_dict())
    elif csv or latex:
        if isinstance(result, Comparison):
            print_table(comparison_table(result, grouped=latex), latex=latex)
        else:
            print_table(agreement_table(result), latex=latex)
    elif is_quiet:
        return
    elif isinstance(result, Comparison):
        print(table_text(comparison_table(result)))
        print(f"\n{errors_table(result.errors)}")
        _print_passages(comparison_passages(result))
    else:
        print(table_text(agreement_table(result)))
        _print_passages(agreement_passages(result))


def _print_passages(passages: Passages) -> None:
    if passages.passages:
        print()
        sys.stdout.flush()
        print_passages(passages, Console(file=unfiltered(sys.stdout)))
