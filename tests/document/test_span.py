"""Spans are two numbers; the rare ones with gaps or empty nodes are told apart from them."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax import Span
from corelax.document import EmptyId

GAP = Span(3, 9, parts=((3, 5), (8, 9)))
ZERO = Span(3, 3, empty=(EmptyId(0, 3, 1),))

places = st.integers(0, 3)
parts = st.lists(st.tuples(places, places), max_size=2).map(tuple)
empty = st.lists(st.builds(EmptyId, places, places, places), max_size=2).map(tuple)
fields = st.tuples(places, places, parts, empty)


def test_a_span_is_equal_to_its_two_numbers() -> None:
    assert Span(0, 1) == (0, 1)
    assert Span(0, 1) == (0, 1)
    assert hash(Span(0, 1)) == hash((0, 1))
    assert {(0, 1): "Ann"}[Span(0, 1)] == "Ann"


@pytest.mark.parametrize("span", [GAP, ZERO])
def test_a_span_with_more_is_not_the_plain_one(span: Span) -> None:
    plain = Span(span.start, span.end)
    for other in (plain, tuple(plain)):
        assert span != other
        assert other != span
        assert not span == other  # noqa: SIM201
        assert not other == span  # noqa: SIM201
    assert len({span, plain}) == 2
    assert span.bounds == plain


@given(fields, fields)
def test_spans_compare_by_start_end_parts_and_empty_nodes(one: tuple, other: tuple) -> None:
    spans = Span(*one), Span(*other)
    assert (spans[0] == spans[1]) == (one == other)
    assert (spans[0] != spans[1]) == (one != other)
    assert (spans[0] < spans[1]) == (one < other)
    assert (spans[0] <= spans[1]) == (one <= other)
    assert (spans[0] > spans[1]) == (one > other)
    assert (spans[0] >= spans[1]) == (one >= other)
    if one == other:
        assert hash(spans[0]) == hash(spans[1])


@pytest.mark.parametrize("span", [Span(3, 5), GAP, ZERO])
def test_spans_survive_pickling_copying_and_printing(span: Span) -> None:
    assert pickle.loads(pickle.dumps(span)) == span
    assert copy.deepcopy(span) == span
    assert eval(repr(span)) == span
    assert type(pickle.loads(pickle.dumps(span))) is type(span)


def test_a_span_cannot_be_changed() -> None:
    for span in (Span(3, 5), GAP):
        with pytest.raises(AttributeError):
            span.start = 1  # type: ignore[misc]
        with pytest.raises(AttributeError):
            span.parts = ()


def test_a_changed_span_keeps_its_gaps_and_stays_consistent():
    gapped = Span(3, 9, parts=((3, 5), (8, 9)))
    assert gapped._replace(end=9) == gapped
    plain = gapped._replace(end=8, parts=())
    assert plain == (3, 8)
    assert plain in {(3, 8)}
    assert type(gapped)(3, 8) in {Span(3, 8)}
