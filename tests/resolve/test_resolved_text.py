"""Resolved text: cases written by hand, and laws."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax.core.errors import CorelaxError
from corelax.decode import Decision
from corelax.document import Document, Span
from corelax.resolve import Resolution, resolution_of
from corelax.text import document_of

CASES = Path(__file__).parents[1] / "data" / "resolved_text.txt"


class Case(NamedTuple):
    marked: str
    resolved: str
    options: dict[str, Any]


def cases() -> list[Case]:
    """Text in brackets, then options after "?", then what is expected after "="."""
    found: list[Case] = []
    marked: list[str] = []
    expected: list[str] = []
    options: dict[str, Any] = {}
    for line in [*CASES.read_text().splitlines(), ""]:
        if expected and not line.startswith("="):
            found.append(Case("\n".join(marked), "\n".join(expected), options))
            marked, expected, options = [], [], {}
        if line.startswith("="):
            expected.append(line[2:])
        elif line.startswith("?"):
            options = dict(map(_option, line[2:].split()))
        elif line and not line.startswith("#"):
            marked.append(line)
    return found


def _option(written: str) -> tuple[str, Any]:
    name, _, value = written.partition("=")
    values = value.split(",")
    return name, [int(v) for v in values] if name == "persons" else values


def resolution_from(marked: str, probability: float = 1.0) -> Resolution:
    """The resolution that brackets show: `[Ann]1 fed [[her]1 dog]2.`"""
    text = ""
    opened: list[int] = []
    mentions: list[tuple[int, int, int]] = []
    for piece in re.findall(r"\[|\]\d+|[^\[\]]+", marked):
        if piece == "[":
            opened.append(len(text))
        elif piece[0] == "]":
            mentions.append((opened.pop(), len(text), int(piece[1:])))
        else:
            text += piece
    doc = document_of(text)
    first = {start: at for at, (start, _) in enumerate(doc.layers["offsets"])}
    last = {end: at + 1 for at, (_, end) in enumerate(doc.layers["offsets"])}
    return resolution_of(
        doc,
        [
            Decision(Span(first[start], last[end]), entity, None, 1.0, 1.0, probability)
            for start, end, entity in mentions
        ],
    )


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.marked)
def test_a_reader_accepts_the_resolved_text(case: Case) -> None:
    assert resolution_from(case.marked).resolved_text(**case.options) == case.resolved


# Options.


def test_nothing_below_the_least_probability_is_touched() -> None:
    resolution = resolution_from("[Ann]1 fed [her]1 dog.", probability=0.6)
    assert resolution.resolved_text(least_probability=0.6) == "Ann fed Ann's dog."
    assert resolution.resolved_text(least_probability=0.61) == "Ann fed her dog."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": ["verbs"]}, "kinds must be 'pronouns' or 'nominals' or 'names', not 'verbs'"),
        ({"kinds": "pronouns"}, "kinds must be a list"),
        ({"persons": [4]}, "persons must be of 1, 2 and 3, not 4"),
        ({"persons": 1}, "persons must be a list"),
        ({"least_probability": 1.5}, "least_probability must be at most 1, not 1.5"),
        ({"least_probability": float("nan")}, "least_probability must be finite"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CorelaxError, match=message):
        resolution_from("[Ann]1 fed [her]1 dog.").resolved_text(**options)


def test_my_brother_of_another_speaker_is_not_repeated() -> None:
    text = "My brother left. He is ill."
    for names, expected in [("AA", "My brother left. My brother is ill."), ("AB", text)]:
        speakers = [(0, 16, names[0]), (17, 27, names[1])]
        doc = document_of(text, speakers=speakers)
        decisions = [Decision(Span(*s), 0, None, 1, 1, 1) for s in [(0, 2), (4, 5)]]
        assert resolution_of(doc, decisions).resolved_text() == expected


def test_tokens_without_a_text_are_joined_and_contractions_expanded() -> None:
    doc = Document(id="d", words=tuple("Ann came . She 's a doctor with her dog .".split()))
    decisions = [Decision(Span(at, at + 1), 0, None, 1, 1, 1) for at in (0, 3, 8)]
    assert (
        resolution_of(doc, decisions).resolved_text()
        == "Ann came . Ann is a doctor with Ann's dog ."
    )


def test_mentions_with_gaps_or_without_words_stay() -> None:
    doc = document_of("Ann left. She ran, and she too.")
    odd = [Span(3, 5, parts=((3, 4), (4, 5))), Span(6, 6, empty=(1,))]
    decisions = [Decision(span, 0, None, 1, 1, 1) for span in [Span(0, 1), *odd]]
    assert resolution_of(doc, decisions).resolved_text() == doc.raw_text


def test_a_resolved_text_is_a_string_that_survives_pickling() -> None:
    text = resolution_from("[Ann]1 fed [her]1 dog.").resolved_text()
    again = pickle.loads(pickle.dumps(text))
    assert again == text == "Ann fed Ann's dog."
    assert (again.original, again.replacements) == ("Ann fed her dog.", text.replacements)
    assert again.to_new(12, 15) == (14, 17)


def test_places_outside_of_the_text_are_errors() -> None:
    text = resolution_from("[Ann]1 fed [her]1 dog.").resolved_text()
    for start, end in [(-1, 2), (3, 2), (0, 17)]:
        with pytest.raises(CorelaxError, match="not in a text of 16 characters"):
            text.to_new(start, end)


# Laws.

WORDS = st.sampled_from(
    "Ann Bo she She her his they their I my himself who dog the The a of and is are 's , . \" ( it It".split()
)


@st.composite
def resolutions(draw: st.DrawFn) -> Resolution:
    """Words in any order, with mentions anywhere."""
    words = draw(st.lists(WORDS, min_size=1, max_size=14))
    gaps = draw(
        st.lists(st.sampled_from([" ", "", "\n"]), min_size=len(words), max_size=len(words))
    )
    text, offsets = "", []
    for word, gap in zip(words, gaps, strict=True):
        offsets.append((len(text), len(text) + len(word)))
        text += word + gap
    starts = (
        [0, *sorted(draw(st.sets(st.integers(1, len(words) - 1), max_size=2)))]
        if words[1:]
        else [0]
    )
    doc = Document(
        id="d",
        words=tuple(words),
        sentence_starts=tuple(starts),
        layers={"offsets": tuple(offsets)},
    )
    spans = st.tuples(st.integers(0, len(words) - 1), st.integers(1, 4)).map(
        lambda pair: Span(pair[0], min(pair[0] + pair[1], len(words)))
    )
    chosen = draw(st.lists(spans, unique=True, max_size=8))
    decisions = [
        Decision(s, draw(st.integers(0, 2)), None, 1, 1, draw(st.floats(0, 1))) for s in chosen
    ]
    return resolution_of(doc, decisions, text)


OPTIONS = st.fixed_dictionaries(
    {
        "kinds": st.sets(st.sampled_from(["pronouns", "nominals", "names"])),
        "persons": st.sets(st.sampled_from([1, 2, 3])),
        "least_probability": st.floats(0, 1),
    }
)


@given(resolutions(), OPTIONS)
def test_what_is_not_replaced_is_unchanged(resolution: Resolution, options: dict[str, Any]) -> None:
    text = resolution.resolved_text(**options)
    old_done = new_done = 0
    for part in text.replacements:
        assert text[new_done : part.new_start] == text.original[old_done : part.start]
        old_done, new_done = part.end, part.new_end
        if part.mention is not None:
            mention = resolution.mentions[part.mention]
            assert (mention.start, mention.end) == (part.start, part.end)
            assert mention.entity_probability >= options["least_probability"]
    assert text[new_done:] == text.original[old_done:]


@given(resolutions(), OPTIONS)
def test_replacing_nothing_gives_the_text_back(
    resolution: Resolution, options: dict[str, Any]
) -> None:
    text = resolution.resolved_text(**{**options, "kinds": ()})
    assert text == resolution.text == text.original
    assert text.replacements == ()


@given(resolutions(), OPTIONS, st.data())
def test_the_map_of_offsets_goes_there_and_back(
    resolution: Resolution, options: dict[str, Any], data: st.DataObject
) -> None:
    text = resolution.resolved_text(**options)
    start = data.draw(st.integers(0, len(text.original)))
    end = data.draw(st.integers(start, len(text.original)))
    new = text.to_new(start, end)
    assert 0 <= new[0] <= new[1] <= len(text)
    cut = [
        p for p in text.replacements if (p.start < end and start < p.end) or p.start < start < p.end
    ]
    whole = min([start, *(p.start for p in cut)]), max([end, *(p.end for p in cut)])
    assert text.to_original(*new) == whole  # all of the replacements that the part touches
    assert text.to_new(*whole) == new
    if not cut:
        assert text[slice(*new)] == text.original[start:end]


@given(resolutions())
def test_representatives_and_reflexives_are_never_replaced(resolution: Resolution) -> None:
    text = resolution.resolved_text(kinds=["pronouns", "nominals", "names"], persons=[1, 2, 3])
    for part in text.replacements:
        if part.mention is not None:
            mention = resolution.mentions[part.mention]
            assert mention is not resolution.entities[mention.entity].representative
            assert mention.text not in {"himself", "who"}


def test_descriptions_in_descriptions_do_not_grow_without_end() -> None:
    """Each thing is called by the one before it, twice: written out, the last would have 2 ** 40 words."""
    chain = " ".join(f"[[Its]{n} dog and [its]{n} cat]{n + 1} came. " for n in range(1, 40))
    text = resolution_from(f"[The king]1 came. {chain} [They]40 left.").resolved_text()
    assert len(text) < 20_000
    assert "The king's dog and the king's cat came." in text
