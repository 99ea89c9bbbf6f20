"""Options that several commands have, and how results are shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

from corelax.core.errors import CorelaxError
from corelax.core.options import FormatName, Option
from corelax.core.printable import json_text, on_one_line, printable

if TYPE_CHECKING:
    from corelax.render import Table

AsJson = Annotated[bool, Option("--json", help="Print one JSON object, for programs.")]
AsCsv = Annotated[bool, Option("--csv", help="Print the table as CSV, unrounded.")]
AsLatex = Annotated[bool, Option("--latex", help="Print the table as LaTeX (booktabs).")]
# For commands that read one file and write another:
TargetFormat = Annotated[
    FormatName | None, Option("--format", "--to", help="Format of OUT; else by suffix.")
]
SourceFormat = Annotated[
    FormatName | None,
    Option("--input-format", "--from", help="Format of IN; else by suffix or content."),
]
InputFormat = Annotated[
    FormatName | None,
    Option("--format", help="Format of the files; else by suffix, else by content."),
]


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    print(json_text(value, indent=2))


def print_table(table: Table, *, latex: bool) -> None:
    """A table on standard output, as LaTeX or as CSV."""
    from corelax.render import table_csv, table_latex

    print(table_latex(table) if latex else table_csv(table).removesuffix("\n"))


def check_one_output(**chosen: bool) -> None:
    """An error if several kinds of output are asked for, by the names of their options.

    >>> check_one_output(json=True, csv=False)
    """
    if sum(chosen.values()) > 1:
        names = " and ".join(f"--{name}" for name, is_chosen in chosen.items() if is_chosen)
        raise CorelaxError(f"{names} are different outputs; choose one")


def note(text: str) -> None:
    """A remark on standard error, where it does not disturb programs that read the output."""
    print(printable(text), file=sys.stderr)  # while a bar is drawn, it draws this as well


def note_lost(
    lost: Mapping[str, int], *, but: Sequence[str] = (), note: Callable[[str], None] = note
) -> None:
    """What the format of a written file could not hold, and how often; except what nobody has asked for."""
    for name, times in sorted(lost.items()):
        if name not in but:
            note(f"not kept: {on_one_line(name)} ({times:,})")


@contextmanager
def exit_when_interrupted() -> Iterator[None]:
    """Ends a command that was interrupted (Ctrl-C) with a line instead of a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        note("interrupted; what is finished is kept: the same command continues")
        sys.exit(130)


def plural(number: int, noun: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> plural(1, "file"), plural(0, "oddity", "oddities")
    ('1 file', '0 oddities')
    """
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"
