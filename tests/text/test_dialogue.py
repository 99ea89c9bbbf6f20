"""Who speaks, in the ways that chats and transcripts are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax.text import document_of, speakers_of


def said(text: str) -> list[tuple[str, str]]:
    """(speaker, what is said) of each turn."""
    return [(name, text[start:end]) for start, end, name in speakers_of(text)]


@pytest.mark.parametrize(
    ("line", "name", "speech"),
    [
        ("Ann: hi", "Ann", "hi"),
        ("  Ann Lee:  I am here: look", "Ann Lee", "I am here: look"),
        ("Dr. Bo van den Berg: hi", "Dr. Bo van den Berg", "hi"),
        ("O'Neil-Smith: hi", "O'Neil-Smith", "hi"),
        ("Speaker 2: hi", "Speaker 2", "hi"),
        ("Émile: salut", "Émile", "salut"),
        ("[12:01] Ann: hi", "Ann", "hi"),
        ("[12:01:33 PM] ann_92: hi", "ann_92", "hi"),
        ("12:01 Ann: hi", "Ann", "hi"),
        ("(00:12) Ann: hi", "Ann", "hi"),
        ("[2024-01-31 12:01] Ann: hi", "Ann", "hi"),
        ("31/01/24, 12:01 - Ann Lee: hi", "Ann Lee", "hi"),
        ("[12:01] <ann> hi", "ann", "hi"),
        ("<Ann> hi", "Ann", "hi"),
        ("<@ann> hi", "ann", "hi"),
        ("ANN (laughing): hi", "ANN", "hi"),
        ("Ann [12:01]: hi", "Ann", "hi"),
        ("**Ann:** hi", "Ann", "hi"),
        ("**Ann**: hi", "Ann", "hi"),
    ],
)
def test_forms_of_turns(line: str, name: str, speech: str) -> None:
    assert said(line) == [(name, speech)]
    assert said(f"A hall.\n{line}\n\nCurtain.") == [(name, speech)]


@pytest.mark.parametrize(
    "line",
    [
        "Note: the door is open.",
        "Subject: our trip",
        "He said this to her: go home.",
        "ann: hi",  # may be anything
        "See https://x.org or 12:30.",
        "Ann - hi",
        "Ann:",
        "<b> hi </b>: no",
        "",
    ],
)
def test_lines_that_nobody_says(line: str) -> None:
    assert said(f"{line}\nBo: Yes.") == [("Bo", "Yes.")]


def test_a_line_in_lower_case_goes_on() -> None:
    text = "Ann: I went to the market and\n  bought apples.\nShe leaves.\nBo: Nice"
    assert said(text) == [("Ann", "I went to the market and\n  bought apples."), ("Bo", "Nice")]


def test_each_turn_begins_a_sentence() -> None:
    text = "[12:01] Ann: so it goes\n[12:02] Ann: on and on\n[12:02] Bo (sighs): and on"
    doc = document_of(text, speakers=speakers_of(text))
    turns = [
        (doc.layers["speaker"][start], " ".join(doc.words[start:end]))
        for start, end in doc.sentence_bounds
        if doc.layers["speaker"][start]
    ]
    assert turns == [("Ann", "so it goes"), ("Ann", "on and on"), ("Bo", "and on")]


@given(st.lists(st.sampled_from(["Ann", ":", " ", "\n", "[12:01]", "<", ">", "(", ")", "a", "**"])))
def test_turns_follow_each_other_inside_the_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    edges = [0, *(edge for start, end, _ in speakers_of(text) for edge in (start, end)), len(text)]
    assert edges == sorted(edges)
    document_of(text, speakers=speakers_of(text))
