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
    return sum(
        1 + (unicodedata.east_asian_width(character) in _WIDE)
        for character in text
        if unicodedata.category(character) not in _NO_WIDTH
    )


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
    # A blank for each character of white space, so that no cell breaks its row.
    header, *rows = (
        ["".join(" " if c.isspace() else c for c in printable(cell)) for cell in row]
        for row in (header, *rows)
    )
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
