"""Tables as plain text, Markdown and LaTeX for people, and as CSV and JSON for programs."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Sequence
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.text_table import format_table
from corelax.render.markup import escaped_markdown, line_markdown
from corelax.render.report import Cell, Table

GROUP = "group"  # the column that holds the headings of groups
NAME = "name"  # a first column without a name
VALUE = "value"  # a number that goes by the name of its column alone
_NUMBER = re.compile(
    r"[<>≤≥≈~]?\s*[+−-]?\d[\d.,\s]*(e[+−-]?\d+)?\s*(±\s*\d[\d.,]*)?\s*%?", re.IGNORECASE
)
_NOTHING = {"", "-", "–", "—", "−"}


def table_markdown(table: Table) -> str:
    """A table as Markdown, aligned also as plain text: numbers right, headings and best in bold.

    >>> from corelax.render.report import Row
    >>> rows = [Row(["ranking", "61.15"]), Row(["LEA loss", Cell("62.03", best=True)])]
    >>> print(table_markdown(Table("scores", "Scores", ["model", "CoNLL"], rows)))
    | model    |     CoNLL |
    | :------- | --------: |
    | ranking  |     61.15 |
    | LEA loss | **62.03** |
    """
    lines = [[escaped_markdown(name).strip() for name in table.columns]]
    for heading, rows in table.groups:
        if heading:
            lines.append([_bold(heading.text), *[""] * (len(table.columns) - 1)])
        lines += [[_shown(cell) for cell in row] for row in rows]
    right = right_aligned(table)
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    rule = [
        "-" * (width - 1) + ":" if to_right else ":" + "-" * (width - 1)
        for width, to_right in zip(widths, right, strict=True)
    ]
    return "\n".join(_padded(line, widths, right) for line in (lines[0], rule, *lines[1:]))


def titled_table(table: Table) -> str:
    """A table as Markdown with its title and caption.

    >>> from corelax.render.report import Row
    >>> print(titled_table(Table("t", "Scores", ["loss", "F1"], [Row(["LEA", "62.03"])])))
    ### Scores
    <BLANKLINE>
    | loss |    F1 |
    | :--- | ----: |
    | LEA  | 62.03 |
    """
    caption = [line_markdown(table.caption)] if table.caption else []
    title = [f"### {escaped_markdown(table.title)}"] if table.title else []
    return "\n\n".join([*title, *caption, table_markdown(table)])


def table_text(table: Table) -> str:
    """A table as plain text for a terminal; rows are indented below the headings of their groups.

    >>> from corelax.render.report import Row
    >>> rows = [Row(["MUC"], heading=True), Row(["base", "61.15"]), Row(["lea", "62.03"])]
    >>> print(table_text(Table("scores", "Scores", ["", "F1"], rows)))
               F1
    ─────────────
    MUC
      base  61.15
      lea   62.03
    """
    lines: list[list[str]] = []
    gaps: list[int] = []
    for heading, rows in table.groups:
        if lines:
            gaps.append(len(lines))
        if heading:
            lines.append([heading.text, *[""] * (len(table.columns) - 1)])
        indent = "  " if heading else ""
        lines += [[indent + row[0].text, *(cell.text for cell in row[1:])] for row in rows]
    return format_table(table.columns, lines, gaps_before=gaps)


def table_csv(table: Table) -> str:
    """A table as CSV with one header: a column of means and deviations becomes two.

    Text in a column of numbers keeps a column of its own, so that nothing is lost.

    >>> from corelax.render.report import Row
    >>> rows = [Row(["ranking", Cell("61.15 ± 0.19", {"mean": 61.1498, "sd": 0.1912})])]
    >>> print(table_csv(Table("scores", "Scores", ["model", "CoNLL"], rows)))
    model,CoNLL mean,CoNLL sd
    ranking,61.1498,0.1912
    <BLANKLINE>
    """
    columns = []
    if _has_headings(table):
        columns.append((GROUP, [heading for heading, _ in _rows(table)]))
    for number, name in enumerate(_names(table)):
        columns += _expanded(name, [cells[number] for _, cells in _rows(table)])
    header = [name for name, _ in columns]
    _check_different(table, header)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*(values for _, values in columns), strict=True))
    return out.getvalue()


def table_json(table: Table) -> str:
    """A table as a JSON list of objects, one for a row, with numbers as they are, unrounded.

    >>> from corelax.render.report import Row
    >>> rows = [Row(["ranking", Cell("61.15 ± 0.19", {"mean": 61.1498, "sd": 0.1912})])]
    >>> json.loads(table_json(Table("scores", "Scores", ["model", "CoNLL"], rows)))
    [{'model': 'ranking', 'CoNLL': {'mean': 61.1498, 'sd': 0.1912}}]
    """
    grouped = _has_headings(table)
    names = [*([GROUP] if grouped else []), *_names(table)]
    _check_different(table, names)
    records = []
    for heading, cells in _rows(table):
        values = [*([heading] if grouped else []), *map(_plain, cells)]
        records.append(dict(zip(names, values, strict=True)))
    return json.dumps(records, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def right_aligned(table: Table) -> list[bool]:
    """Which columns hold numbers only (and gaps), and so are set to the right.

    The first column names the rows and stays on the left.

    >>> from corelax.render.report import Row
    >>> rows = [Row(["ranking", "61.15 ± 0.19"]), Row(["oracle", "–"])]
    >>> right_aligned(Table("scores", "Scores", ["model", "CoNLL"], rows))
    [False, True]
    """
    rows = [cells for _, cells in _rows(table)]
    return [
        number > 0
        and all(_is_number(row[number]) for row in rows)
        and any(row[number].text.strip() not in _NOTHING for row in rows)
        for number in range(len(table.columns))
    ]


def _is_number(cell: Cell) -> bool:
    text = cell.text.strip()
    return bool(cell.values) or text in _NOTHING or _NUMBER.fullmatch(text) is not None


def _rows(table: Table) -> list[tuple[str, list[Cell]]]:
    """Every row with the heading that it stands under."""
    return [
        (heading.text if heading else "", cells) for heading, rows in table.groups for cells in rows
    ]


def _has_headings(table: Table) -> bool:
    return any(row.heading for row in table.rows)


def _names(table: Table) -> list[str]:
    return [name or (NAME if number == 0 else "") for number, name in enumerate(table.columns)]


def _check_different(table: Table, names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise CorelaxError(f"table {table.key}: columns of the same name: {', '.join(names)}")


def _expanded(name: str, cells: Sequence[Cell]) -> list[tuple[str, list[Any]]]:
    """The columns that one column becomes: one for each kind of number, one for text among them."""
    kinds = list(dict.fromkeys(kind for cell in cells for kind in cell.values))
    if not kinds:
        return [(name, [cell.text for cell in cells])]
    columns = [
        (
            name if kind == VALUE else f"{name} {kind}",
            [_number(cell.values.get(kind)) for cell in cells],
        )
        for kind in kinds
    ]
    texts = ["" if cell.values or cell.text.strip() in _NOTHING else cell.text for cell in cells]
    return [*columns, (f"{name} text", texts)] if any(texts) else columns


def _plain(cell: Cell) -> Any:
    """A cell as JSON: its numbers, or its text, or null for a gap."""
    if not cell.values:
        return None if cell.text.strip() in _NOTHING else cell.text
    numbers = {kind: _number(value) for kind, value in cell.values.items()}
    return numbers[VALUE] if list(numbers) == [VALUE] else numbers


def _number(value: float | None) -> float | None:
    """A plain Python number; None for no number."""
    if value is None or not math.isfinite(value):
        return None
    return value if isinstance(value, int) else float(value)


def _shown(cell: Cell) -> str:
    return _bold(cell.text) if cell.best else escaped_markdown(cell.text).strip()


def _bold(text: str) -> str:
    return f"**{escaped_markdown(text).strip()}**" if text.strip() else ""


def _padded(line: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = [
        f"{cell:>{width}}" if to_right else f"{cell:<{width}}"
        for cell, width, to_right in zip(line, widths, right, strict=True)
    ]
    return f"| {' | '.join(padded)} |"
