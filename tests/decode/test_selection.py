"""Spans that are not shown: markup at an edge, overlaps inside an entity."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corelax.decode.selection import edged_with_markup, overlapping, without_overlaps
from corelax.document import Document

places = st.lists(
    st.tuples(st.integers(0, 9), st.integers(1, 5)).map(lambda p: (p[0], p[0] + p[1])), unique=True
)


@given(spans=places, data=st.data())
def test_no_two_mentions_of_an_entity_overlap(spans, data):
    doc = Document(id="d", words=("word",) * 15)
    chances = st.lists(st.floats(0, 1), min_size=len(spans), max_size=len(spans))
    probability = data.draw(chances)
    left = without_overlaps(doc, spans, range(len(spans)), probability)
    for a in left:
        for b in left:
            assert a == b or spans[a][1] <= spans[b][0] or spans[b][1] <= spans[a][0]
    for out in {*range(len(spans))} - {*left}:  # something likelier was in its way
        rivals = [i for i, s in enumerate(spans) if s[0] < spans[out][1] and spans[out][0] < s[1]]
        assert any(probability[i] >= probability[out] for i in rivals if i != out)


def test_a_pronoun_may_stay_inside_a_description():
    doc = Document(id="d", words=tuple("a man who lost his hat saw his brother".split()))
    spans = [(0, 6), (4, 5), (7, 8), (7, 9)]
    assert without_overlaps(doc, spans, range(4), [0.9, 1.0, 0.9, 0.8]) == [0, 1, 2]


def test_spans_that_begin_or_end_with_markup_are_found():
    doc = Document(id="d", words=tuple("<b> Ann </b> saw **Bo** ** Cy https://x.org".split()))
    spans = [(0, 2), (1, 2), (1, 3), (0, 4), (6, 7), (7, 8)]
    assert edged_with_markup(doc, spans) == [0, 2, 3, 5]


@given(spans=places, data=st.data())
def test_entities_with_overlaps_are_those_with_two_spans_that_share_a_word(spans, data):
    entity = data.draw(st.lists(st.integers(0, 3), min_size=len(spans), max_size=len(spans)))
    words: list[list[int]] = [[] for _ in range(4)]
    for (start, end), its in zip(spans, entity, strict=True):
        words[its] += range(start, end)
    expected = [e for e in range(4) if len(words[e]) > len(set(words[e]))]
    assert overlapping(spans, np.array(entity, np.int64)).tolist() == expected
