"""Tables as LaTeX: what is special there is escaped, and every row has its cells."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax.render import Cell, Row, Table, table_latex
from corelax.render.tables import escaped_latex

SPECIAL = set("\\{}$&#%_^~")
# What is left of escaped text when all that LaTeX reads as a command or as math is gone.
COMMANDS = re.compile(r"\\[a-z]+\{\}|\\[{}$&#%_]|\$[^$]*\$|--")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50 %", r"50 \%"),
        ("a_b & c#d", r"a\_b \& c\#d"),
        ("{x} \\ ^ ~", r"\{x\} \textbackslash{} \textasciicircum{} \textasciitilde{}"),
        ("B³, CEAF-e, CEAF-m", "B$^3$, CEAF$_e$, CEAF$_m$"),
        ("+0.74 [−0.10, +1.60]", "$+$0.74 [$-$0.10, $+$1.60]"),
        ("< 0.001", "$<$ 0.001"),
        ("two\nlines", "two lines"),
        ("c++", "c++"),
    ],
)
def test_text_is_escaped(text: str, expected: str) -> None:
    assert escaped_latex(text) == expected


@given(st.text())
def test_nothing_special_is_left(text: str) -> None:
    assert not SPECIAL & set(COMMANDS.sub("", escaped_latex(text)))


@given(st.lists(st.lists(st.text(), min_size=3, max_size=3), min_size=1, max_size=5))
def test_every_row_has_as_many_cells_as_columns(rows: list[list[str]]) -> None:
    table = Table("t", "", ["a", "b", "c"], [Row(row) for row in rows])
    lines = table_latex(table).splitlines()
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert len(body) == len(rows)
    assert all(len(re.findall(r"(?<!\\)&", line)) == 2 and line.endswith(r"\\") for line in body)


def test_headings_span_the_table_and_the_best_are_bold() -> None:
    rows = [Row(["MUC"], heading=True), Row(["lea", Cell("62.03", {"value": 62.03}, best=True)])]
    lines = table_latex(Table("t", "", ["", "F1"], rows)).splitlines()
    assert lines[1] == r"\begin{tabular}{lr}"
    assert lines[5] == r"\multicolumn{2}{l}{\textit{MUC}} \\"
    assert lines[6] == r"lea & \textbf{62.03} \\"


def test_a_row_that_begins_with_a_bracket_is_no_argument_of_the_line_before() -> None:
    table = Table("t", "", ["a", "b"], [Row(["x", "1"]), Row(["[y]", "2"])])
    assert r"{}[y] & 2 \\" in table_latex(table).splitlines()
