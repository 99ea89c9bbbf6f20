"""Passages on a terminal: beside each other where there is room, and never a character that drives it."""

from __future__ import annotations

import io
import re

from rich.console import Console

from corelax.render import Passage, Passages, ShownMention, Version, print_passages
from corelax.render.marked_text import MISSED

WORDS = ["Ann", "saw", "Bo", "and", "he", "waved"]
ONE = Version("one", [ShownMention(2, 3, 0), ShownMention(4, 5, 0)])
TWO = Version(
    "two", [ShownMention(2, 3, 0), ShownMention(4, 5, MISSED, "false_new")], "1 false new"
)


def printed(
    passage: Passage, *, width: int = 100, terminal: bool = True, encoding: str = "utf-8"
) -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    console = Console(file=file, width=width, force_terminal=terminal, no_color=True)
    print_passages(Passages("p", "Passages", "", [passage]), console)
    file.flush()
    return raw.getvalue().decode(encoding)


def plain(text: str) -> list[str]:
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()]


def test_versions_stand_beside_each_other_on_a_wide_terminal() -> None:
    lines = plain(printed(Passage("d", "1 error", WORDS, [ONE, TWO])))
    [labels] = [line for line in lines if line.startswith("one")]
    [text] = [line for line in lines if line.startswith("Ann saw")]
    assert labels.split() == ["one", "two", "(1", "false", "new)"]
    assert text.split("  ")[0] == "Ann saw [Bo]₁ and [he]₁ waved"
    assert text.endswith("Ann saw [Bo]₁ and [he]* waved")
    assert labels.index("two") == text.rindex("Ann")


def test_versions_stand_below_each_other_where_there_is_no_room() -> None:
    for options in ({"width": 70}, {"terminal": False}):
        lines = plain(printed(Passage("d", "1 error", WORDS, [ONE, TWO]), **options))
        assert lines[-2] == "  one: Ann saw [Bo]₁ and [he]₁ waved"
        assert lines[-1] == "  two (1 false new): Ann saw [Bo]₁ and [he]* waved"


def test_control_characters_of_files_are_left_out() -> None:
    version = Version("o\x1bne", [ShownMention(0, 1, 0)], "\x1b[2J")
    shown = printed(
        Passage("d\x1b[31m", "\x07", ["\x1b]0;title\x07", "b"], [version]), terminal=False
    )
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_a_terminal_without_subscripts_gets_plain_numbers() -> None:
    passage = Passage("d", "", WORDS, [ONE])
    assert "[Bo]1" in printed(passage, terminal=False, encoding="latin-1")
