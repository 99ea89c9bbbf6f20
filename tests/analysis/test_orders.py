"""Kendall's τ between a published order of systems and ours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from corelax import CorelaxError
from corelax.analysis.orders import order_agreement
from corelax.analysis.significance import DocumentCounts


def counts(found, *, documents=4, runs=2):
    """A system that finds so many of 100 mentions of each document, in every run."""
    return DocumentCounts({"mentions": np.tile([found, 100, found, 100], (runs, documents, 1))})


@given(st.permutations(range(6)))
def test_tau_is_that_of_scipy(order):
    published = {f"s{n}": 60.0 + n for n in range(6)}
    systems = {f"s{n}": counts(10 + place) for n, place in enumerate(order)}
    found = order_agreement(published, systems, metric="mentions", resamples=50)
    assert found.tau == pytest.approx(kendalltau(range(6), order).statistic)
    assert found.low == found.high == pytest.approx(found.tau)  # documents are all alike
    assert found.pairs == 15
    assert found.agreeing == pytest.approx((found.tau + 1) / 2 * 15)


def test_documents_that_disagree_make_the_interval_wide():
    one = {"mentions": np.array([[[90, 100, 90, 100], [10, 100, 10, 100]] * 5])}
    other = {"mentions": np.array([[[10, 100, 10, 100], [89, 100, 89, 100]] * 5])}
    systems = {"a": DocumentCounts(one), "b": DocumentCounts(other)}
    found = order_agreement({"a": 2.0, "b": 1.0}, systems, metric="mentions")
    assert (found.tau, found.low, found.high) == (1.0, -1.0, 1.0)


def test_systems_without_a_published_score_do_not_count():
    systems = {"a": counts(10), "b": counts(20), "other": counts(5)}
    assert order_agreement({"a": 1, "b": 2, "c": 3}, systems, metric="mentions").pairs == 1
    with pytest.raises(CorelaxError, match="at least two"):
        order_agreement({"a": 1}, systems, metric="mentions")
