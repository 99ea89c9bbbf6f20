"""Tables of figures as plain text."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

from corelax.core.printable import printable

_WIDE = ("W", "F")  # East Asian wide and fullwidth
_NO_WIDTH = ("Mn", "Mc", "Me", "Cf")  # combining marks, joiners


def cell_width(text: str) -> int:
    """The number of terminal cells that a text takes: two for a wide character, none for a combining one.

    >>> cell_width("B³"), cell_width("李安"), cell_width("e\\u0301te\\u0301")
    (2, 4, 3)
    """
    if text.isascii():
        return len(text)
    return sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.category(character) in _NO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def format_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, gaps_before: Collection[int] = ()
) -> str:
    """Names on the left, figures to the right of them, aligned; nothing is ever cut or folded.

    Args:
        header: The names of the columns.
        rows: The cells.
        gaps_before: Numbers of the rows before which a line is left empty.

    >>> print(format_table(["", "F1"], [["MUC", "66.67"], ["B³", "100.00"]]))
             F1
    ───────────
    MUC   66.67
    B³   100.00
    """
    header, *rows = ([_in_a_row(cell) for cell in row] for row in (header, *rows))
    widths = [max(map(cell_width, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        blanks = [" " * (w - cell_width(cell)) for w, cell in zip(widths, cells, strict=True)]
        figures = [before + cell for before, cell in zip(blanks[1:], cells[1:], strict=True)]
        return "  ".join([cells[0] + blanks[0], *figures]).rstrip()

    lines = [line(header), "─" * (sum(widths) + 2 * len(widths) - 2)]
    for number, row in enumerate(rows):
        if number in gaps_before:
            lines.append("")
        lines.append(line(row))
    return "\n".join(lines)


def _in_a_row(cell: str) -> str:
    """A cell that breaks no row: each character of white space is a blank."""
    return "".join(" " if letter.isspace() else letter for letter in printable(cell))
