"""Numbers of errors by document, and their change from one system to another."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from corelax import Clustering, CorelaxError
from corelax.analysis import count_errors
from corelax.analysis.error_changes import count_document_errors, total_difference
from corelax.synthetic import Shape, generate

numbers = arrays.arrays(int, (2, 6), elements=st.integers(0, 9))


def test_documents_add_up_to_the_errors_of_a_run():
    gold = list(generate(4, seed=1, shape=Shape.conll2012().scaled(20)))
    runs = [
        gold,
        [doc.with_clusters(Clustering(list(e)[::2] for e in doc.clusters)) for doc in gold],
    ]
    found = count_document_errors(gold, runs)
    for run, total in zip(runs, found.totals(), strict=True):
        assert total.counts == count_errors(gold=gold, system=run).counts
    for d, doc in enumerate(gold):
        alone = count_errors(gold=[doc], system=[runs[1][d]])
        for kind, type in (("false_new", None), ("false_new", "proper"), ("wrong_link", None)):
            assert found.number(kind, type)[1, d] == alone.number(kind, type)
    assert found.number("false_new")[1].sum() > 0


@given(numbers, numbers)
def test_the_mean_is_that_of_the_sums_and_lies_in_its_interval(ours, theirs):
    found = total_difference(system=ours, baseline=theirs, resamples=400)
    assert found.mean == pytest.approx((ours.sum() - theirs.sum()) / 2)
    assert found.low <= found.high
    assert 0 < found.p_value <= 1
    assert (found.documents, found.seeds) == (6, 2)


@given(numbers, numbers)
def test_the_other_way_round_everything_changes_its_sign(ours, theirs):
    one = total_difference(system=ours, baseline=theirs, resamples=400)
    other = total_difference(system=theirs, baseline=ours, resamples=400)
    assert (one.mean, one.low, one.high) == pytest.approx((-other.mean, -other.high, -other.low))
    assert one.p_value == other.p_value


def test_p_is_near_the_share_of_all_exchanges():
    ours, theirs = np.array([[5, 1, 7, 3, 2, 8]]), np.array([[3, 2, 4, 1, 2, 5]])
    changes = (ours - theirs)[0]
    sums = [abs(np.dot(signs, changes)) for signs in product([1, -1], repeat=6)]
    exact = np.mean([one >= abs(changes.sum()) for one in sums])
    assert total_difference(system=ours, baseline=theirs).p_value == pytest.approx(exact, abs=0.02)


def test_the_interval_is_that_of_drawn_documents():
    """Of n documents that differ by 0 or 1, the sum is binomial."""
    ours = np.tile([0, 1], 50)[None]
    found = total_difference(system=ours, baseline=np.zeros_like(ours))
    assert (found.low, found.high) == pytest.approx((40, 60), abs=1)  # 50 ± 1.96 · 5


def test_other_documents_cannot_be_compared():
    with pytest.raises(CorelaxError, match=r"\[run, document\]"):
        total_difference(system=np.zeros((1, 3)), baseline=np.zeros((1, 4)))
