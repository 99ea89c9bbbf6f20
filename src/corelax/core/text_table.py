"""Tables of figures as plain text."""

from __future__ import annotations

from collections.abc import Collection, Sequence


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
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        name, *figures = cells
        right = [f"{cell:>{width}}" for cell, width in zip(figures, widths[1:], strict=True)]
        return "  ".join([f"{name:<{widths[0]}}", *right]).rstrip()

    lines = [line(header), "─" * (sum(widths) + 2 * len(widths) - 2)]
    for number, row in enumerate(rows):
        if number in gaps_before:
            lines.append("")
        lines.append(line(row))
    return "\n".join(lines)
