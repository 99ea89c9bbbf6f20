"""Tables as data, and written: as plain text, Markdown and LaTeX for people, as CSV and JSON for programs.

All text is plain text and is escaped when it is written.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.printable import on_one_line
from corelax.core.text_table import format_table
from corelax.render.markup import check_key, escaped_markdown, line_markdown

GROUP = "group"  # the column that holds the headings of groups
NAME = "name"  # a first column without a name
VALUE = "value"  # a number that goes by the name of its column alone
_NUMBER = re.compile(
    r"[<>≤≥≈~]?\s*[+−-]?\d[\d.,\s]*(e[+−-]?\d+)?\s*(±\s*\d[\d.,]*)?\s*%?", re.IGNORECASE
)
_NOTHING = {"", "-", "–", "—", "−"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table.

    Attributes:
        text: What is shown.
        values: The numbers behind it, unrounded: `{"mean": 61.1498, "sd": 0.1912}`. A number with the
            name "value" goes by the name of its column alone.
        best: Shown in bold.
        title: A note that shows up under the pointer.
    """

    text: str
    values: Mapping[str, float] = field(default_factory=dict)
    best: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table. A heading has one cell and starts a group of rows."""

    cells: Sequence[Cell | str]
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table. Its key names its files.

    >>> rows = [Row(["Baselines"], heading=True), Row(["ranking", Cell("61.15", {"value": 61.1498})])]
    >>> table = Table("scores", "Scores", ["model", "CoNLL"], rows)
    >>> [(heading.text, len(rows)) for heading, rows in table.groups]
    [('Baselines', 1)]
    """

    key: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Row]
    caption: str = ""

    def __post_init__(self) -> None:
        check_key(self.key)
        for row in self.rows:
            expected = 1 if row.heading else len(self.columns)
            if len(row.cells) != expected:
                raise CorelaxError(
                    f"table {self.key}: a row has {len(row.cells)} cells, not {expected}"
                )

    @property
    def groups(self) -> list[tuple[Cell | None, list[list[Cell]]]]:
        """Headings with the rows under them; those before the first one have None."""
        groups: list[tuple[Cell | None, list[list[Cell]]]] = []
        for row in self.rows:
            cells = [cell if isinstance(cell, Cell) else Cell(cell) for cell in row.cells]
            if row.heading:
                groups.append((cells[0], []))
                continue
            if not groups:
                groups.append((None, []))
            groups[-1][1].append(cells)
        return groups


def table_markdown(table: Table) -> str:
    """A table as Markdown, aligned also as plain text: numbers right, headings and best in bold.

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
            lines.append([_markdown_cell(heading, bold=True), *[""] * (len(table.columns) - 1)])
        lines += [[_markdown_cell(cell, bold=cell.best) for cell in row] for row in rows]
    right = right_aligned(table)
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    rule = [
        "-" * (width - 1) + ":" if to_right else ":" + "-" * (width - 1)
        for width, to_right in zip(widths, right, strict=True)
    ]
    return "\n".join(_padded(line, widths, right) for line in (lines[0], rule, *lines[1:]))


def titled_table(table: Table) -> str:
    """A table as Markdown with its title and caption."""
    caption = [line_markdown(table.caption)] if table.caption else []
    title = [f"### {escaped_markdown(table.title)}"] if table.title else []
    return "\n\n".join([*title, *caption, table_markdown(table)])


def table_text(table: Table) -> str:
    """A table as plain text for a terminal; rows are indented below the headings of their groups.

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

    >>> rows = [Row(["ranking", Cell("61.15 ± 0.19", {"mean": 61.1498, "sd": 0.1912})])]
    >>> print(table_csv(Table("scores", "Scores", ["model", "CoNLL"], rows)))
    model,CoNLL mean,CoNLL sd
    ranking,61.1498,0.1912
    <BLANKLINE>
    """
    headings, rows = _flat(table)
    columns: list[tuple[str, list[Any]]] = [(GROUP, headings)] if headings else []
    for number, name in enumerate(_names(table)):
        columns += _expanded(name, [cells[number] for cells in rows])
    header = [name for name, _ in columns]
    _check_different(table, header)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*(values for _, values in columns), strict=True))
    return out.getvalue()


def table_json(table: Table) -> str:
    """A table as a JSON list of objects, one for a row, with numbers as they are, unrounded.

    >>> rows = [Row(["ranking", Cell("61.15 ± 0.19", {"mean": 61.1498, "sd": 0.1912})])]
    >>> json.loads(table_json(Table("scores", "Scores", ["model", "CoNLL"], rows)))
    [{'model': 'ranking', 'CoNLL': {'mean': 61.1498, 'sd': 0.1912}}]
    """
    headings, rows = _flat(table)
    names = [*([GROUP] if headings else []), *_names(table)]
    _check_different(table, names)
    records = []
    for number, cells in enumerate(rows):
        values = [*headings[number : number + 1], *map(_plain, cells)]
        records.append(dict(zip(names, values, strict=True)))
    return json.dumps(records, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def table_latex(table: Table) -> str:
    """A table as LaTeX, a `tabular` with the rules of booktabs, to be put into a paper's own `table`.

    Numbers are on the right, headings of groups in italics, the best in bold.

    >>> rows = [Row(["ranking", "61.15"]), Row(["lea_1", Cell("62.03", best=True)])]
    >>> print(table_latex(Table("scores", "Scores", ["model", "B³"], rows)))
    % \\usepackage{booktabs}
    \\begin{tabular}{lr}
    \\toprule
    model & B$^3$ \\\\
    \\midrule
    ranking & 61.15 \\\\
    lea\\_1 & \\textbf{62.03} \\\\
    \\bottomrule
    \\end{tabular}
    """
    columns = "".join("r" if is_right else "l" for is_right in right_aligned(table))
    lines = [
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _latex_line([escaped_latex(name) for name in table.columns]),
    ]
    for heading, rows in table.groups:
        lines.append(r"\midrule")
        if heading:
            title = rf"\textit{{{escaped_latex(heading.text)}}}"
            lines.append(_latex_line([rf"\multicolumn{{{len(table.columns)}}}{{l}}{{{title}}}"]))
        lines += [_latex_line([_latex_cell(cell) for cell in row]) for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "−": "$-$",
    "±": r"$\pm$",
    "β": r"$\beta$",
    "²": "$^2$",
    "³": "$^3$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "∅": r"$\emptyset$",
}
_METRIC = re.compile(r"\bCEAF-([em])\b")  # in papers, what it aligns is a subscript
_SIGNED = re.compile(r"(?<![\w$])\+(?=\d)")  # in math as well, so that + and − are equally wide


def escaped_latex(text: str) -> str:
    r"""Plain text on one line, as LaTeX takes it.

    >>> print(escaped_latex("model_a & CEAF-e: −0.5 %"))
    model\_a \& CEAF$_e$: $-$0.5 \%
    """
    escaped = "".join(_LATEX.get(character, character) for character in on_one_line(text))
    return _SIGNED.sub("$+$", _METRIC.sub(r"CEAF$_\1$", escaped))


def right_aligned(table: Table) -> list[bool]:
    """Which columns hold numbers only (and gaps), and so are set to the right; the first never is.

    >>> rows = [Row(["ranking", "61.15 ± 0.19"]), Row(["oracle", "–"])]
    >>> right_aligned(Table("scores", "Scores", ["model", "CoNLL"], rows))
    [False, True]
    """
    _, rows = _flat(table)
    return [
        number > 0
        and all(_is_number(row[number]) for row in rows)
        and any(row[number].text.strip() not in _NOTHING for row in rows)
        for number in range(len(table.columns))
    ]


def _is_number(cell: Cell) -> bool:
    text = cell.text.strip()
    return bool(cell.values) or text in _NOTHING or _NUMBER.fullmatch(text) is not None


def _flat(table: Table) -> tuple[list[str], list[list[Cell]]]:
    """The heading that each row stands under (none at all without headings), and the rows."""
    groups = table.groups
    rows = [cells for _, of_group in groups for cells in of_group]
    if not any(heading for heading, _ in groups):
        return [], rows
    return [heading.text if heading else "" for heading, of_group in groups for _ in of_group], rows


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


def _markdown_cell(cell: Cell, *, bold: bool) -> str:
    text = escaped_markdown(cell.text).strip()
    return f"**{text}**" if bold and text else text


def _padded(line: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = [
        f"{cell:>{width}}" if to_right else f"{cell:<{width}}"
        for cell, width, to_right in zip(line, widths, right, strict=True)
    ]
    return f"| {' | '.join(padded)} |"


def _latex_cell(cell: Cell) -> str:
    text = escaped_latex(cell.text)
    return rf"\textbf{{{text}}}" if cell.best and text else text


def _latex_line(cells: Sequence[str]) -> str:
    # A row that begins with a bracket would be read as an argument of the line end before it.
    guard = "{}" if cells[0].startswith(("[", "*")) else ""
    return guard + " & ".join(cells) + r" \\"
