"""The best one-to-one pairing of gold and system entities (CEAF's assignment problem).

Cells that share nothing add nothing, so only the stored cells matter. A cell that is alone in its row and
its column is chosen. A few others go to a solver in Python, which spares a small file the time to load
scipy. Many fall apart into the connected components of the overlap: stars (one entity against several)
are solved by looking; the rest goes to a sparse solver that follows the cells. A dense solver would need
a table of all gold × all system entities: 800 MB for a novel. (Where a table is dense anyway, scipy's
`linear_sum_assignment` is the faster one.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from corelax.metrics.matching.assignment import assign

Array = NDArray[Any]
FEW = 100  # cells; with more, scipy is the faster one


def best_pairing(rows: Array, columns: Array, weights: Array) -> Array:
    """The cells of a pairing with the largest total weight, as a boolean mask over the cells.

    Args:
        rows: [cell] number of the gold entity.
        columns: [cell] number of the system entity.
        weights: [cell] similarity, > 0.

    >>> cells = np.array([[0, 0], [0, 1], [1, 0]])
    >>> best_pairing(cells[:, 0], cells[:, 1], np.array([3.0, 2.0, 2.0]))
    array([False,  True,  True])
    """
    chosen = np.zeros(len(rows), dtype=bool)
    if not len(rows):
        return chosen
    row_cells, column_cells = np.bincount(rows), np.bincount(columns)
    isolated = (row_cells[rows] == 1) & (column_cells[columns] == 1)
    chosen[isolated] = True
    left = np.flatnonzero(~isolated)
    if len(left):
        solve = _solve_few if len(left) <= FEW else _solve
        chosen[left[solve(rows[left], columns[left], weights[left])]] = True
    return chosen


def _solve_few(rows: Array, columns: Array, weights: Array) -> Array:
    """Numbers of the cells of a best pairing."""
    rows, columns = _renumbered(rows), _renumbered(columns)
    cells = list(zip(rows.tolist(), columns.tolist(), strict=True))
    scores = dict(zip(cells, weights.tolist(), strict=True))
    best = set(assign(scores, int(rows.max()) + 1, int(columns.max()) + 1))
    return np.flatnonzero([cell in best for cell in cells])


def _solve(rows: Array, columns: Array, weights: Array) -> Array:
    """Numbers of the cells of a best pairing, stars by their heaviest cell, the rest by the solver."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = _renumbered(rows), _renumbered(columns)
    n_rows, n_columns = int(rows.max()) + 1, int(columns.max()) + 1
    n = n_rows + n_columns
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns + n_rows)), shape=(n, n))
    _, component = connected_components(graph, directed=False)
    rows_in = np.bincount(component[:n_rows], minlength=n)
    columns_in = np.bincount(component[n_rows:], minlength=n)
    component = component[rows]  # [cell]
    star = (rows_in[component] == 1) | (columns_in[component] == 1)

    order = np.lexsort((-weights, component))
    heaviest = order[np.r_[True, component[order][1:] != component[order][:-1]]]
    chosen: Array = heaviest[star[heaviest]]
    knots = np.flatnonzero(~star)
    if len(knots):
        chosen = np.r_[chosen, knots[_match(rows[knots], columns[knots], weights[knots])]]
    return chosen


def _renumbered(values: Array) -> Array:
    """The same values as 0, 1, ... in 32 bits, which is what older versions of scipy need."""
    return np.unique(values, return_inverse=True)[1].astype(np.int32)


def _match(rows: Array, columns: Array, weights: Array) -> Array:
    """Numbers of the cells of a best pairing, by sparse shortest augmenting paths (LAPJVsp).

    The solver wants every row matched and takes a stored 0 for no edge. So each row gets a column
    of its own that means "unpaired", and 1 is added to every weight: any full matching has one cell
    in each row, so all totals grow by the same amount.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    rows, columns = _renumbered(rows), _renumbered(columns)
    n_rows, n_columns = int(rows.max()) + 1, int(columns.max()) + 1
    unpaired = np.arange(n_rows, dtype=np.int32)
    table = csr_array(
        (
            np.r_[weights + 1.0, np.ones(n_rows)],
            (np.r_[rows, unpaired], np.r_[columns, n_columns + unpaired]),
        ),
        shape=(n_rows, n_columns + n_rows),
    )
    _, partner = min_weight_full_bipartite_matching(table, maximize=True)
    return np.flatnonzero(partner[rows] == columns)
