from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from corelax.core.printable import printable
from corelax.decode import Decision
from corelax.document import Document, EmptyId, Span
from corelax.render import Passage, Passages, ShownMention, Version, print_passages
from corelax.render.marked_text import MISSED, Bracket, marked_text
from corelax.render.terminal import print_resolution
from corelax.resolve import Resolution, resolution_of
from tests.render.shown_texts import resolved

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def printed(
    resolution: Resolution, *, colour: bool = False, width: int = 80, title: str = ""
) -> str:
    file = io.StringIO()
    console = Console(
        file=file, force_terminal=colour, color_system="256" if colour else None, width=width,
        no_color=not colour,
    )  # fmt: skip
    print_resolution(resolution, console, title=title)
    return file.getvalue()


DOG = resolved("Ann fed\nher dog ; it ate", [(0, 1), (2, 3)], [(2, 4), (5, 6)])


def test_mentions_have_brackets_and_the_number_of_their_entity() -> None:
    assert printed(DOG).splitlines() == [
        "[Ann]₁ fed",
        "[[her]₁ dog]₂ ; [it]₂ ate",
        "",
        "1  Ann      2 mentions  0.50",
        "2  her dog  2 mentions  0.50",
    ]


def test_colours_change_nothing_but_colour() -> None:
    coloured = printed(DOG, colour=True)
    assert ESCAPE.sub("", coloured) == printed(DOG)
    [[ann], [her]] = (
        re.findall(rf"\x1b\[([0-9;]*)m{word}", coloured) for word in ("Ann\x1b", "her\x1b")
    )
    [[dog], [it]] = (
        re.findall(rf"\x1b\[([0-9;]*)m{word}", coloured) for word in ("dog\x1b", "it\x1b")
    )
    assert ann == her != dog == it


def test_an_entity_of_one_mention_is_grey_and_the_others_keep_different_colours() -> None:
    found = resolved("a b c d e", [(0, 1), (4, 5)], [(1, 2)], [(2, 3), (3, 4)])
    coloured = printed(found, colour=True)
    styles = [re.findall(rf"\x1b\[([0-9;]*)m{word}\x1b", coloured)[0] for word in "abc"]
    assert styles[1] == "38;5;245"
    assert len(set(styles)) == 3


def test_long_lines_are_folded_on_a_terminal_only() -> None:
    found = resolved("word " * 40)
    assert len(printed(found, colour=True, width=60).splitlines()) > 1
    assert printed(found, width=60).splitlines() == [("word " * 40).rstrip()]


def test_a_terminal_without_subscripts_gets_plain_numbers() -> None:
    raw = io.BytesIO()
    console = Console(file=io.TextIOWrapper(raw, encoding="ascii"), width=80)
    print_resolution(DOG, console)
    console.file.flush()
    assert raw.getvalue().splitlines()[1] == b"[[her]1 dog]2 ; [it]2 ate"


@pytest.mark.parametrize("colour", [False, True])
def test_a_text_cannot_drive_the_terminal(colour: bool) -> None:
    hostile = "\x1b[2J\x1b]0;title\x07\x9b31m\x00\x08\u202e[bold]x[/bold]:smile:"
    found = resolved(f"{hostile} {hostile}", [(0, 1), (1, 2)], id=hostile)
    text = ESCAPE.sub("", printed(found, colour=colour, title=hostile))
    assert not set(text) & set("\x1b\x07\x9b\x00\x08\u202e")
    assert "[[2J]0;title31m[bold]x[/bold]:smile:]₁" in text


def test_line_ends_of_all_systems_are_line_ends() -> None:
    assert printed(resolved("a\r\nb\rc\n\nd\n")).splitlines() == ["a", "b", "c", "", "d"]
    assert printable("a\x0cb\tc") == "a b\tc"


def test_of_mentions_that_cross_the_later_one_is_cut() -> None:
    found = resolved("a b c d", [(0, 3), (0, 1)], [(1, 4), (3, 4)])
    assert printed(found).splitlines()[0] == "[[a]₁ [b c …]]₁ [[d]₂]₂"


WORDS = "a b\n c  d e"
spans = st.tuples(st.integers(0, 4), st.integers(1, 5)).map(lambda p: (p[0], min(sum(p), 5)))


@given(st.lists(spans, unique=True, max_size=8))
def test_marks_nest_and_leave_the_text_as_it_is(mentions: list[tuple[int, int]]) -> None:
    found = resolved(WORDS, mentions)
    open_: list[ShownMention] = []
    begun: dict[ShownMention, int] = {}
    ended, text = {}, ""
    for piece in marked_text(found):
        if not isinstance(piece, Bracket):
            text += piece
        elif piece.opens:
            open_.append(piece.mention)
            begun.setdefault(piece.mention, len(text))
        else:
            assert open_.pop() is piece.mention
            if piece.is_last:
                assert piece.mention not in ended
                ended[piece.mention] = len(text)
    assert text == WORDS
    assert not open_
    assert begun.keys() == ended.keys()
    places = sorted((begun[mention], ended[mention]) for mention in begun)
    assert places == sorted((mention.start, mention.end) for mention in found.mentions)


def test_mentions_may_be_a_thousand_deep() -> None:
    found = resolved("w " * 2000, [(0, end) for end in range(1, 2001)])
    assert printed(found).startswith("[" * 2000 + "w]₁ w]₁")


def test_a_mention_of_no_word_and_an_empty_text_are_shown() -> None:
    assert printed(resolved("")).strip() == ""
    zero = Decision(Span(1, 1, empty=(EmptyId(0, 1, 1),)), 0, None, 1.0, 1.0, 1.0)
    found = resolution_of(Document(id="d", words=("a", "b")), [zero])
    assert [line.split() for line in printed(found).splitlines()] == [
        ["a", "[∅]₁", "b"], [], ["1", "∅", "1", "mention", "1.00"],
    ]  # fmt: skip


# Passages.

SENTENCE = ["Ann", "saw", "Bo", "and", "he", "waved"]
ONE = Version("one", [ShownMention(2, 3, 0), ShownMention(4, 5, 0)])
TWO = Version(
    "two", [ShownMention(2, 3, 0), ShownMention(4, 5, MISSED, "false_new")], "1 false new"
)


def printed_passage(
    passage: Passage, *, width: int = 100, terminal: bool = True, encoding: str = "utf-8"
) -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    console = Console(file=file, width=width, force_terminal=terminal, no_color=True)
    print_passages(Passages("p", "Passages", "", [passage]), console)
    file.flush()
    return raw.getvalue().decode(encoding)


def plain(text: str) -> list[str]:
    return [line.rstrip() for line in ESCAPE.sub("", text).splitlines()]


def test_versions_stand_beside_each_other_on_a_wide_terminal() -> None:
    lines = plain(printed_passage(Passage("d", "1 error", SENTENCE, [ONE, TWO])))
    [labels] = [line for line in lines if line.startswith("one")]
    [text] = [line for line in lines if line.startswith("Ann saw")]
    assert labels.split() == ["one", "two", "(1", "false", "new)"]
    assert text.split("  ")[0] == "Ann saw [Bo]₁ and [he]₁ waved"
    assert text.endswith("Ann saw [Bo]₁ and [he]* waved")
    assert labels.index("two") == text.rindex("Ann")


def test_versions_stand_below_each_other_where_there_is_no_room() -> None:
    for options in ({"width": 70}, {"terminal": False}):
        lines = plain(printed_passage(Passage("d", "1 error", SENTENCE, [ONE, TWO]), **options))
        assert lines[-2] == "  one: Ann saw [Bo]₁ and [he]₁ waved"
        assert lines[-1] == "  two (1 false new): Ann saw [Bo]₁ and [he]* waved"


def test_control_characters_of_files_are_left_out() -> None:
    version = Version("o\x1bne", [ShownMention(0, 1, 0)], "\x1b[2J")
    shown = printed_passage(
        Passage("d\x1b[31m", "\x07", ["\x1b]0;title\x07", "b"], [version]), terminal=False
    )
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_passages_have_plain_numbers_without_subscripts() -> None:
    passage = Passage("d", "", SENTENCE, [ONE])
    assert "[Bo]1" in printed_passage(passage, terminal=False, encoding="latin-1")
