"""Tables as LaTeX: a `tabular` with the rules of booktabs, to be put into a paper's own `table`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corelax.core.printable import on_one_line
from corelax.render.report import Cell, Table
from corelax.render.tables import right_aligned

PACKAGE = r"% \usepackage{booktabs}"
_SPECIAL = {
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


def table_latex(table: Table) -> str:
    """A table as LaTeX: numbers to the right, headings of groups in italics, the best in bold.

    >>> from corelax.render.report import Row
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
        PACKAGE,
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _line([escaped_latex(name) for name in table.columns]),
    ]
    for heading, rows in table.groups:
        lines.append(r"\midrule")
        if heading:
            text = escaped_latex(heading.text)
            lines.append(
                _line([rf"\multicolumn{{{len(table.columns)}}}{{l}}{{\textit{{{text}}}}}"])
            )
        lines += [_line([_shown(cell) for cell in row]) for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def escaped_latex(text: str) -> str:
    r"""Plain text on one line, as LaTeX takes it.

    >>> print(escaped_latex("model_a & CEAF-e: −0.5 %"))
    model\_a \& CEAF$_e$: $-$0.5 \%
    """
    escaped = "".join(_SPECIAL.get(character, character) for character in on_one_line(text))
    return _SIGNED.sub("$+$", _METRIC.sub(r"CEAF$_\1$", escaped))


def _shown(cell: Cell) -> str:
    text = escaped_latex(cell.text)
    return rf"\textbf{{{text}}}" if cell.best and text else text


def _line(cells: Sequence[str]) -> str:
    # A row that begins with a bracket would be read as an argument of the line end before it.
    guard = "{}" if cells[0].startswith(("[", "*")) else ""
    return guard + " & ".join(cells) + r" \\"
