"""The best one-to-one assignment of a sparse table, with ties resolved as by scipy's dense solver.

The shared tasks' scorer hands the whole table of gold × system mentions to
`scipy.optimize.linear_sum_assignment`, and where several assignments are equally good its answer
decides the figures. A table of all pairs needs memory that grows with the square of a document. Nearly
all of its cells are 0, though: this file takes the very steps of that solver (shortest augmenting paths,
Crouse 2016), one row after another, and looks at the cells that are not 0. All others cost the same, so
they are one candidate, "some free column".

Solving the connected components one by one would be simpler, but would resolve ties otherwise: a row
that is left over takes a column of another component for the time being, and the solver prefers columns that
are free. Sums of floats are taken in the same order, since a last bit can decide what is a tie.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

INFINITE = float("inf")


def assign(
    scores: Mapping[tuple[int, int], float], n_rows: int, n_columns: int
) -> list[tuple[int, int]]:
    """The cells of the best assignment that score more than 0, in order.

    Args:
        scores: (row, column) → score, > 0. All other cells are 0.
        n_rows: Rows of the whole table.
        n_columns: Its columns.

    >>> assign({(0, 0): 3.0, (0, 1): 2.0, (1, 0): 2.0}, 2, 2)
    [(0, 1), (1, 0)]
    """
    if not scores:
        return []
    if n_rows > n_columns:  # as the dense solver does
        swapped = {(column, row): score for (row, column), score in scores.items()}
        return sorted((row, column) for column, row in assign(swapped, n_columns, n_rows))
    costs: list[dict[int, float]] = [{} for _ in range(n_rows)]
    for (row, column), score in scores.items():
        costs[row][column] = -score
    solver = _Solver(costs, n_columns)
    for row in range(n_rows):
        solver.add(row)
    return [(row, column) for row, column in enumerate(solver.column_of) if column in costs[row]]


class _Path(NamedTuple):
    """A shortest path from a new row to a free column.

    Attributes:
        sink: The free column.
        length: The length of the path.
        lengths: Column → its distance, of the columns that were passed.
        rows: The rows that were passed, the new one first.
        before: Column → the row from which it was reached.
    """

    sink: int
    length: float
    lengths: Mapping[int, float]
    rows: list[int]
    before: Mapping[int, int]


class _Solver:
    """The state of the dense solver: who is assigned to whom, and the two potentials."""

    def __init__(self, costs: list[dict[int, float]], n_columns: int) -> None:
        self.costs = costs
        self.n_columns = n_columns
        self.column_of = [-1] * len(costs)
        self.row_of = [-1] * n_columns
        self.row_potential = [0.0] * len(costs)
        self.column_potential = [0.0] * n_columns  # never above 0, and 0 where the column is free
        self._next_free = list(range(n_columns + 1))

    def add(self, row: int) -> None:
        if not self.costs[row]:  # any free column will do, and the first one is taken
            column = self.free_from(0)
            self.row_of[column], self.column_of[row] = row, column
            self._next_free[column] = column + 1
            return
        path = _Search(self, row).path()
        self.row_potential[row] += path.length
        for other in path.rows[1:]:
            self.row_potential[other] += path.length - path.lengths[self.column_of[other]]
        for column, length in path.lengths.items():
            self.column_potential[column] -= path.length - length
        self._next_free[path.sink] = path.sink + 1
        column = path.sink
        while True:
            owner = path.before[column]
            self.row_of[column] = owner
            column, self.column_of[owner] = self.column_of[owner], column
            if owner == row:
                return

    def free_from(self, column: int) -> int:
        """The first free column from here on; `n_columns` if there is none."""
        following = self._next_free
        end = column
        while following[end] != end:
            end = following[end]
        while following[column] != end:  # shorten the way for the next time
            following[column], column = end, following[column]
        return end


class _Search:
    """Dijkstra's search from one row. Columns that are 0 for all rows passed so far are taken together.

    The dense solver looks at columns in the order of a list that begins as the last column, ..., the first;
    a column that was passed is replaced by the last of the list. Among columns of the same distance it takes
    the last free one of the list, or the first one if none is free.
    """

    def __init__(self, solver: _Solver, row: int) -> None:
        self._solver = solver
        self._row = row
        self._known: dict[int, float] = {}  # distance of columns that are not 0 for all rows passed
        self._before: dict[int, int] = {}
        self._passed: dict[int, float] = {}
        self._rows: list[tuple[int, float]] = []  # with the distance at which they were passed
        self._other, self._other_before = INFINITE, -1  # of all other columns that are free
        self._place: dict[int, int] = {}  # columns that are not at their first place of the list
        self._at: dict[int, int] = {}

    def path(self) -> _Path:
        """The path. (The nearest column of all others is free, or a known one as near is.)"""
        solver, row, length = self._solver, self._row, 0.0
        while True:
            self._pass_row(row, length)
            lowest = min(self._known.values(), default=INFINITE)
            nearest = [c for c, distance in self._known.items() if distance == lowest]
            free = [c for c in nearest if solver.row_of[c] < 0]
            if self._other <= lowest:
                if self._other < lowest:
                    free, lowest = [], self._other
                free += self._free_others()
            length = lowest
            if free:
                sink = max(free, key=self._place_of)
                before = self._before if sink in self._known else {sink: self._other_before}
                rows = [passed for passed, _ in self._rows]
                return _Path(sink, length, self._passed, rows, {**self._before, **before})
            column = min(nearest, key=self._place_of)
            self._passed[column] = self._known.pop(column)
            self._take_from_list(column)
            row = solver.row_of[column]

    def _pass_row(self, row: int, length: float) -> None:
        solver = self._solver
        costs = solver.costs[row]
        for column in costs:
            if column not in self._known and column not in self._passed:
                self._known[column] = INFINITE
                for earlier, at in self._rows:
                    self._reach(column, earlier, at - solver.row_potential[earlier])
        for column in self._known:
            cost = length + costs.get(column, 0.0)
            self._reach(column, row, cost - solver.row_potential[row])
        self._rows.append((row, length))
        other = length - solver.row_potential[row]
        if other < self._other:
            self._other, self._other_before = other, row

    def _reach(self, column: int, row: int, distance: float) -> None:
        distance -= self._solver.column_potential[column]
        if distance < self._known[column]:
            self._known[column], self._before[column] = distance, row

    def _free_others(self) -> list[int]:
        """Free columns that are 0 for all rows passed: those that may be the last ones of the list."""
        solver = self._solver
        moved = [c for c in self._place if c not in self._known and c not in self._passed]
        candidates = [c for c in moved if solver.row_of[c] < 0]
        column = solver.free_from(0)
        while column < solver.n_columns:
            if column not in self._known and column not in self._place:
                return [*candidates, column]
            column = solver.free_from(column + 1)
        return candidates

    def _place_of(self, column: int) -> int:
        return self._place.get(column, self._solver.n_columns - 1 - column)

    def _take_from_list(self, column: int) -> None:
        end = self._solver.n_columns - len(self._passed)
        last = self._at.get(end, self._solver.n_columns - 1 - end)
        place = self._place_of(column)
        self._place[last], self._at[place] = place, last
