"""Reliability of probabilities: worked cases and laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax.analysis.reliability import reliability
from corelax.core.errors import CorelaxError

predictions = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


def test_bins_by_hand():
    result = reliability([0.0, 0.24, 0.25, 0.6, 1.0, 1.0], [0, 1, 0, 1, 1, 0], bins=4)
    assert result.size.tolist() == [2, 1, 1, 2]
    assert result.right.tolist() == [0.5, 0, 1, 0.5]
    assert result.probability.tolist() == pytest.approx([0.12, 0.25, 0.6, 1.0])
    assert result.ece == pytest.approx((2 * 0.38 + 0.25 + 0.4 + 2 * 0.5) / 6)
    errors = [0, 0.76, 0.25, 0.4, 0, 1]
    assert result.brier == pytest.approx(np.mean(np.square(errors)))


def test_empty_bins_are_left_out_of_plain_numbers():
    plain = reliability([0.1, 0.9], [0, 1]).as_dict()
    assert plain["number"] == 2
    assert [each["size"] for each in plain["bins"]] == [1, 1]


@given(predictions)
def test_certain_and_right_is_perfect_and_certain_and_wrong_is_as_bad_as_can_be(pairs):
    right = [outcome for _, outcome in pairs]
    assert reliability(right, right)[3:] == (0, 0)
    assert reliability([not outcome for outcome in right], right)[3:] == (1, 1)


@pytest.mark.parametrize(
    ("probability", "right", "message"),
    [
        ([], [], "not empty"),
        ([0.5], [1, 0], "same length"),
        ([1.5], [1], "between 0 and 1"),
        ([float("nan")], [1], "between 0 and 1"),
    ],
)
def test_what_cannot_be_compared_is_an_error(probability, right, message):
    with pytest.raises(CorelaxError, match=message):
        reliability(probability, right)
