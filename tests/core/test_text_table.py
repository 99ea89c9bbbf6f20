from __future__ import annotations

import pytest
from rich.cells import cell_len

from corelax.core.text_table import cell_width, format_table

TEXTS = [
    "",
    "Ann",
    "B³",
    "李安",
    "ﾊﾝｶｸ",
    "Ｆ１",
    "犬 dog",
    "Ärger",
    "A\u0308rger",
    "हिन्दी",
    "–",
    "🙂",
    "a\u200bb",
]


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_as_wide_as_a_terminal_shows_it(text: str) -> None:
    assert cell_width(text) == cell_len(text)


def test_columns_are_aligned_with_wide_characters_in_them() -> None:
    lines = format_table(["name", "数"], [["李安", "3"], ["Ann", "12"]]).splitlines()
    widths = [cell_len(line) for line in lines]
    assert widths == [len("name") + 2 + 2] * 4
    assert lines[2] == "李安   3"


def test_rows_end_without_blanks() -> None:
    assert format_table(["name", "F1"], [["MUC", ""]]).splitlines()[-1] == "MUC"
