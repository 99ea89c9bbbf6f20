"""Every metric against `naive.py`, which follows the definitions word for word."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corelax.metrics import METRICS, Report, Tally
from tests.metrics import naive

SPANS = "abcdefgh"

each_metric = pytest.mark.parametrize("metric", METRICS)
both_ways_of_counting = pytest.mark.parametrize("like_reference", [False, True])
many = settings(deadline=None, max_examples=40)


def grouped(placed):
    """Clusters from pairs of (cluster, span), in the order in which clusters are first named."""
    clusters = {}
    for cluster, span in placed:
        clusters.setdefault(cluster, []).append(span)
    return list(clusters.values())


@st.composite
def clusterings(draw):
    """Some of the spans, none twice: in one cluster, in a few, or mostly in singletons."""
    spans = draw(st.permutations(SPANS))
    homes = st.integers(0, draw(st.sampled_from([0, 3, 9])))
    return grouped(zip(draw(st.lists(homes, max_size=len(spans))), spans, strict=False))


repeating_clusterings = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), max_size=10
).map(grouped)
unique_sides = clusterings()
any_side = unique_sides | repeating_clusterings

any_documents = st.lists(st.tuples(any_side, any_side), min_size=1, max_size=4)


def tallied(documents, metrics=tuple(METRICS), *, like_reference=False):
    tally = Tally(metrics, like_reference=like_reference)
    for key, response in documents:
        tally.add(gold=key, system=response)
    return tally


def counted(metric, documents, like_reference):
    return tallied(documents, [metric], like_reference=like_reference).counts()[metric].as_tuple()


def same(numbers):
    return pytest.approx(numbers, rel=1e-12, abs=0)


@each_metric
@both_ways_of_counting
@given(documents=any_documents, batch=st.integers(1, 40))
@example(documents=[([["a"], ["a", "b"]], [["a"], ["b"]])], batch=1)
@example(documents=[([["a", "a"]], [["a"]])], batch=1)
@example(documents=[([["a", "b"]], [["a"], ["a"], ["a", "b"]])], batch=1)
@example(documents=[([["a", "b"]], [["x", "x"], ["x", "a"], ["b"]])], batch=1)
@many
def test_documents_with_and_without_repeats_add_up_in_batches_of_any_size(
    metric, like_reference, documents, batch
):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corelax.metrics.tally.BATCH_MENTIONS", batch)
        found = counted(metric, documents, like_reference)
    assert found == same(naive.totals(metric, documents))


@each_metric
@given(documents=any_documents | st.tuples(st.tuples(any_side, any_side)))
@example(documents=[(["abc"], ["ab", "c"])])
@example(documents=[(["a", "b"], ["ab"])])
@example(documents=[(["a"], ["ab", "c"])])
@many
def test_scores_are_the_quotients_that_the_definitions_say(metric, documents):
    score = Report(tallied(documents, [metric]).counts())[metric]
    expected = naive.scores(metric, naive.totals(metric, documents))
    assert tuple(score) == same(expected)


@both_ways_of_counting
@given(documents=any_documents, batch=st.integers(1, 40))
@many
def test_removed_mentions_are_those_that_matching_removes(like_reference, documents, batch):
    expected = sum(naive.matched(key, response)[1] for key, response in documents)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corelax.metrics.tally.BATCH_MENTIONS", batch)
        assert tallied(documents, ["muc"], like_reference=like_reference).removed == expected
