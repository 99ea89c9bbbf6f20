"""Resolutions as containers, as JSON and back, as tables."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax import Resolution
from corelax.core.errors import CorelaxError
from corelax.decode import Antecedent, Decision
from corelax.document import Document, Span
from corelax.resolve import resolution_of
from corelax.text import document_of
from tests.resolve.test_resolution import decided

TEXT = "Ann called Sue.\n\nShe was late."


@pytest.fixture
def resolution() -> Resolution:
    """She is Ann, or Sue, who is not written, or somebody new."""
    doc = document_of(TEXT, speakers=[(0, 15, "Bo")])
    likely = (
        Antecedent(Span(0, 1), 0.6),
        Antecedent(Span(2, 3), 0.3),
        Antecedent(None, 0.1),
    )
    return resolution_of(
        doc,
        [
            Decision(Span(0, 1), 0, None, 1.0, 0.9, 1.0),
            Decision(Span(4, 5), 0, 0, 1.0, 0.6, 0.7, antecedents=likely),
        ],
    )


def test_a_resolution_is_a_sequence_of_entities(resolution: Resolution) -> None:
    [ann] = resolution
    assert len(resolution) == 1
    assert resolution[0] is resolution[-1] is ann
    assert resolution[:1] == (ann,)
    assert ann in resolution
    with pytest.raises(IndexError):
        resolution[1]


def test_shown_it_is_a_line(resolution: Resolution) -> None:
    assert (
        repr(resolution) == "<resolution of 'Ann called Sue. She was late.': 1 entity, 2 mentions>"
    )
    assert repr(resolution[0]) == "<entity 'Ann', 2 mentions>"
    assert repr(resolution.mentions[1]) == "<mention 'She' [17:20], entity 0, 0.70>"


def test_the_best_antecedents_are_told_with_those_that_are_not_written(
    resolution: Resolution,
) -> None:
    assert resolution.as_dict()["mentions"][1]["antecedents"] == [
        {"id": 0, "text": "Ann", "start": 0, "end": 3, "probability": 0.6},
        {"text": "Sue", "start": 11, "end": 14, "probability": 0.3},
        {"id": None, "probability": 0.1},
    ]


def test_the_record_has_all_mentions_in_the_order_of_the_text(resolution: Resolution) -> None:
    record = resolution.as_dict()
    assert [(m["text"], m["id"], m["entity"]) for m in record["mentions"]] == [
        ("Ann", 0, 0), ("She", 1, 0),
    ]  # fmt: skip
    assert record["sentence_starts"] == [0, 4]
    assert record["tokens"][0] == {"text": "Ann", "start": 0, "end": 3, "speaker": "Bo"}


def test_a_record_is_read_again(resolution: Resolution) -> None:
    again = Resolution.from_dict(json.loads(json.dumps(resolution.as_dict())))
    assert again == resolution
    assert again.document.layers["speaker"] == ("Bo",) * 4 + (None,) * 4


def test_mentions_with_gaps_and_empty_nodes_are_read_again() -> None:
    doc = Document(id="d", words=("a", "b", "c"))
    spans = [Span(0, 3, parts=((0, 1), (2, 3))), Span(1, 1, empty=(1,))]
    resolution = resolution_of(doc, [Decision(span, 0, None, 1, 1, 1) for span in spans])
    assert Resolution.from_dict(resolution.as_dict()) == resolution


@given(decided(), st.data())
def test_every_record_survives_being_read(
    case: tuple[Document, str, list[Decision]], data: st.DataObject
) -> None:
    doc, text, decisions = case
    if decisions and data.draw(st.booleans()):
        likely = data.draw(
            st.lists(st.sampled_from([None, *(d.span for d in decisions)]), max_size=3)
        )
        object.__setattr__(
            decisions[0], "antecedents", tuple(Antecedent(span, 0.3) for span in likely)
        )
    record = resolution_of(doc, decisions, text).as_dict()
    assert Resolution.from_dict(record).as_dict() == record


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"entities": None}, "not what as_dict"),
        ({"tokens": [{"text": "Ann", "start": 0}]}, "'end' is missing"),
        ({"sentence_starts": [0, 99]}, "sentences must start at 0 and go upwards"),
        ({"text": "Ann"}, "its offsets do not fit the text"),
        ({"entities": [{"mentions": [{"id": 0}]}]}, "'start_token' is missing"),
    ],
)
def test_wrong_records_are_one_line(
    resolution: Resolution, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(CorelaxError, match=message) as error:
        Resolution.from_dict({**resolution.as_dict(), **changes})
    assert "\n" not in str(error.value)


def test_no_record_at_all_is_told() -> None:
    with pytest.raises(CorelaxError, match="not what as_dict"):
        Resolution.from_dict([])  # type: ignore[arg-type]


def test_a_data_frame_has_a_row_for_each_mention(resolution: Resolution) -> None:
    pytest.importorskip("pandas")
    frame = resolution.to_pandas()
    assert list(frame["text"]) == ["Ann", "She"]
    assert list(frame["name"]) == ["Ann", "Ann"]
    assert list(frame["end"]) == [3, 20]
    assert list(frame.columns)[:3] == ["id", "entity", "name"]
    empty = resolution_of(Document(id="d", words=("Hi",)), []).to_pandas()
    assert (len(empty), list(empty.columns)) == (0, list(frame.columns))


def test_without_pandas_it_is_said_what_to_install(
    resolution: Resolution, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(CorelaxError, match=r"pip install 'corelax\[pandas\]'"):
        resolution.to_pandas()


def test_a_record_without_sentence_starts_is_one_sentence(resolution: Resolution) -> None:
    record = resolution.as_dict()
    del record["sentence_starts"]
    document = Resolution.from_dict(record).document
    assert document.sentence_starts == (0,)
    record |= {"tokens": [], "entities": [], "mentions": [], "text": ""}
    assert Resolution.from_dict(record).document.sentence_starts == ()
