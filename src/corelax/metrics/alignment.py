"""The best one-to-one pairing of gold and system entities (CEAF's assignment problem).

Cells that share nothing add nothing, so only the stored cells matter. A cell that is alone in its row and
its column is chosen. The rest is solved by successive shortest paths (the Hungarian method on a sparse
table): every row wants its heaviest cell; a row whose column is taken looks for the cheapest chain of moves,
at whose end a row takes a free column or stays unpaired. Chains are short where two clusterings resemble each
other, so time grows with the cells. A table of all gold × all system entities would be 800 MB for a novel.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
NONE = -1


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
    if not len(left):
        return chosen
    row_of, column_of = (np.unique(side[left], return_inverse=True)[1] for side in (rows, columns))
    order = np.lexsort((-weights[left], row_of))
    starts = np.flatnonzero(np.r_[True, np.diff(row_of[order]) > 0, True]).tolist()
    cells = list(zip(column_of[order].tolist(), weights[left][order].tolist(), strict=True))
    by_row = [cells[start:end] for start, end in pairwise(starts)]
    pairing = _Pairing(by_row, int(column_of.max()) + 1)
    for row in pairing.waiting:
        pairing.add(row)
    chosen[left] = np.array(pairing.column_of)[row_of] == column_of
    return chosen


class _Chain(NamedTuple):
    """A cheapest chain of moves from a row.

    Attributes:
        cost: What the moves lose.
        last_row: The last row that moves.
        column: The free column that it takes; NONE if it stays unpaired.
        rows: Row → its distance, of the rows that were looked at.
        columns: Column → its distance, of the columns that were looked at.
        before: Column → the row that would take it.
    """

    cost: float
    last_row: int
    column: int
    rows: dict[int, float]
    columns: dict[int, float]
    before: dict[int, int]


class _Pairing:
    """Who is paired with whom, and the dual values that show that nothing is better.

    For every cell profit[row] + price[column] ≥ weight, with equality where it is chosen. The price of a free
    column and the profit of a row that stays unpaired are 0. At first rows get their heaviest cell, heavy
    rows first; `waiting` are those that found it taken.
    """

    def __init__(self, cells: list[list[tuple[int, float]]], n_columns: int) -> None:
        self.cells = cells  # heaviest first
        self.profit = [row[0][1] for row in cells]
        self.price = [0.0] * n_columns
        self.column_of = [NONE] * len(cells)
        self.row_of = [NONE] * n_columns
        self.waiting = []
        for row in sorted(range(len(self.cells)), key=self.profit.__getitem__, reverse=True):
            column = self.cells[row][0][0]
            if self.row_of[column] == NONE:
                self.row_of[column], self.column_of[row] = row, column
            else:
                self.waiting.append(row)

    def add(self, row: int) -> None:
        """Pairs one more row, if that is best; others may move or become unpaired."""
        chain = self._cheapest_chain(row)
        for passed, distance in chain.rows.items():
            self.profit[passed] -= chain.cost - distance
        for passed, distance in chain.columns.items():
            self.price[passed] += chain.cost - distance
        column, mover = chain.column, chain.last_row
        while True:
            self.column_of[mover], column = column, self.column_of[mover]
            if self.column_of[mover] != NONE:
                self.row_of[self.column_of[mover]] = mover
            if mover == row:
                return
            mover = chain.before[column]

    def _cheapest_chain(self, start: int) -> _Chain:
        """Dijkstra's search over rows and the columns that they would take from others."""
        rows: dict[int, float] = {}
        columns: dict[int, float] = {}
        reached: dict[int, float] = {}
        before: dict[int, int] = {}
        heap: list[tuple[float, int, int]] = []
        row, distance = start, 0.0
        cost, last_row, free = self.profit[start], start, NONE
        while distance < cost:
            rows[row] = distance
            unpaired = distance + self.profit[row]
            if unpaired < cost:
                cost, last_row, free = unpaired, row, NONE
            for column, weight in self.cells[row]:
                if unpaired - weight >= cost:
                    break  # lighter cells cost more
                further = unpaired - weight + self.price[column]
                if further >= reached.get(column, cost) or further >= cost or column in columns:
                    continue
                if self.row_of[column] == NONE:
                    cost, last_row, free = further, row, column
                else:
                    reached[column], before[column] = further, row
                    heappush(heap, (further, -len(rows), column))
            while heap and heap[0][2] in columns:
                heappop(heap)
            if not heap or heap[0][0] >= cost:
                break
            distance, _, column = heappop(heap)
            columns[column] = distance
            row = self.row_of[column]
        return _Chain(cost, last_row, free, rows, columns, before)
