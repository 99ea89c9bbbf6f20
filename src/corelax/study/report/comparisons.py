"""Rows that are compared with each other, and what β costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from corelax.analysis.significance import holm
from corelax.render.tables import Cell, Row, Table
from corelax.study.plan import BEST_OF_PAPER, BETA
from corelax.study.report.cells import GAP, difference_cells, row_title, spread_cell
from corelax.study.results import Results, Spread

# Heading, then the names of the rows: this one against that one.
PAIRS: Mapping[str, Sequence[tuple[str, str]]] = {
    "A metric or reward against as many more epochs of the baseline's loss": [
        (name, "continued") for name in (*BEST_OF_PAPER, "cm_reinforce", "cm_rescale")
    ],
    "Softmax-margin against the max-margin of the authors, the same network": [
        ("baseline", "margin2015"),
    ],
    "β chosen on dev against β = 1, the same loss": [
        ("b3_beta", "b3"),
        ("lea_beta", "lea"),
    ],
}
# Rows that choose β, and the losses that they are about.
OF_BETA = {"b3_beta": "L_B³", "lea_beta": "L_LEA"}


def pairs_table(results: Results) -> Table | None:
    """Losses, networks and β: one row against another, with intervals and corrected p values."""
    compared = {}
    for group, pairs in PAIRS.items():
        for name, other in pairs:
            one, base = results.outcome(name), results.outcome(other)
            if one and base and one.units != base.units and results.are_paired(one, base):
                compared[group, name, other] = (one, base, results.difference(one, to=base))
    if not compared:
        return None
    adjusted = holm([difference.p_value for _, _, difference in compared.values()])
    rows: list[Row] = []
    before = ""
    for ((group, *_), (one, base, difference)), corrected in zip(
        compared.items(), adjusted, strict=True
    ):
        if group != before:
            rows.append(Row([group], heading=True))
            before = group
        cells = difference_cells(difference, corrected)
        rows.append(Row([row_title(one), row_title(base), *cells]))
    caption = (
        f"CoNLL on {results.part}: the first row less the second, with 95 % bootstrap intervals over "
        "documents and seeds; p of a permutation test over documents, corrected for all comparisons of this "
        "table. Rows that chose the same resolver are left out."
    )
    columns = ["this", "against", "difference [95 %]", "p", "p (Holm)"]
    return Table("pairs", "Losses, networks and β", columns, rows, caption)


def beta_table(results: Results) -> Table | None:
    """The price of β: recall and precision of every value on dev, and the difference to β = 1."""
    rows: list[Row] = []
    for name, title in OF_BETA.items():
        grid = results.study.grid(name)
        gains = results.beta_gains(grid) if grid else {}
        if grid is None or not gains:
            continue
        rows.append(Row([title], heading=True))
        scores = results.points(grid)
        chosen = Counter(fold.chosen(grid) for fold in results.folds)
        best = max(gains, key=lambda value: gains[value].mean)
        for value, unit in zip(grid.values, grid.units, strict=True):
            if value not in gains:
                continue
            spreads = [Spread.of(100 * score[n] for score in scores[value]) for n in range(3)]
            times = chosen[unit]
            cells = [
                Cell(f"{value:g}", {"value": value}, best=value == best),
                *map(spread_cell, spreads),
                GAP if value == 1 else difference_cells(gains[value], 1.0)[0],
                Cell(str(times) if times else "–", {"value": times}),
            ]
            rows.append(Row(cells))
    if not rows:
        return None
    folds = "folds" if len(results.folds) > 1 else "fold"
    caption = (
        "Dev, by which β is chosen, over the seeds that have tried every value: means of recall, precision "
        "and F1 of MUC, B³ and CEAF_e, and the "
        "difference of F1 to β = 1 with its 95 % interval. What a larger β gains in recall it pays in "
        f"precision. Bold: the best of all. The last column: how many {folds} choose this value."
    )
    columns = [BETA, "recall", "precision", "CoNLL F1", "to β = 1 [95 %]", "chosen"]
    return Table("beta_price", "The price of β", columns, rows, caption)
