"""Ranges of numbers: bytes and shares reach all that was seen, a few large ones widen no steps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from corelax.rankers.encoder.quantise import MARGIN, MOST_COLUMNS, MOST_SHARES, range_of

TABLES = arrays(np.float32, (5, 20), elements=st.floats(-100, 100, width=32))


@given(TABLES)
def test_bytes_and_shares_reach_every_number(values):
    known = range_of(values.min(0), values.max(0))
    assert known.low <= 0 < known.high
    largest = max(known.high, -known.low)
    for column, numbers in enumerate(values.T):
        outside = np.abs(numbers - numbers.clip(known.low, known.high)).max()
        shares = known.beyond.count(column)
        assert outside <= shares * largest or shares == MOST_SHARES


@given(TABLES, st.sets(st.integers(0, 19), min_size=1, max_size=MOST_COLUMNS))
def test_a_few_columns_of_large_numbers_do_not_widen_the_range(values, columns):
    wide = np.concatenate([values, np.ones_like(values)], 1)
    largest = np.abs(wide).max()
    wide[3, sorted(columns)] = 1e4
    known = range_of(wide.min(0), wide.max(0))
    assert max(known.high, -known.low) <= MARGIN * largest * 1.0001
    assert columns <= set(known.beyond)
