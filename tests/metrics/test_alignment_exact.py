"""`best_pairing` against scipy's dense solver, which works on the whole table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from corelax.metrics.alignment import best_pairing

MOST_ROWS = 9


def cells_of(table):
    """Rows, columns and weights of the cells that are not 0."""
    rows, columns = np.nonzero(table)
    return rows, columns, table[rows, columns]


def best_total(table):
    return table[linear_sum_assignment(table, maximize=True)].sum()


def check(table):
    """The pairing is one to one, and no other has a larger total."""
    rows, columns, weights = cells_of(table)
    chosen = best_pairing(rows, columns, weights)
    assert chosen.dtype == bool
    assert chosen.shape == rows.shape
    assert len(set(rows[chosen])) == len(set(columns[chosen])) == chosen.sum()
    assert weights[chosen].sum() == pytest.approx(best_total(table), rel=1e-12)


def tables(weights):
    """Tables of any shape, in which a cell is empty as often as not."""
    sizes = st.tuples(st.integers(1, MOST_ROWS), st.integers(1, MOST_ROWS))
    return sizes.flatmap(
        lambda shape: st.lists(
            st.just(0) | weights, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]
        ).map(lambda cells: np.array(cells).reshape(shape))
    )


@given(tables(st.integers(1, 3)))
@settings(deadline=None)
def test_whole_weights_with_many_ties_are_paired_best(table):
    check(table)


@pytest.mark.parametrize("density", [0.02, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("shape", [(1, 40), (40, 1), (30, 30), (12, 60), (60, 12), (100, 90)])
@pytest.mark.parametrize("whole", [True, False])
def test_random_tables_are_paired_best(shape, density, whole):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        weights = rng.integers(1, 6, shape) if whole else rng.random(shape) + 1e-6
        check(np.where(rng.random(shape) < density, weights, 0))


def test_no_cells_make_no_pairs():
    none = np.array([], dtype=np.int64)
    assert best_pairing(none, none, none.astype(float)).tolist() == []


def test_weights_that_differ_in_the_last_bits_are_paired_best():
    # Sums of these round differently in different orders.
    for seed in range(20):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 7, (2, 40))
        table = 2 * rng.integers(0, 3, (40, 40)) / (sizes[0][:, None] + sizes[1])
        check(np.where(rng.random((40, 40)) < 0.15, table, 0))
