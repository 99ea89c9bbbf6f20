"""Rows that are compared with each other: losses, families of relaxations, decodings, and what β costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from corelax.analysis.significance import holm
from corelax.metrics.counts import Score
from corelax.render.report import Cell, Row, Table
from corelax.study.plan import BEST_OF_PAPER, BETA, SOFT_ROWS
from corelax.study.report.tables import difference_cells, row_title
from corelax.study.results import Results, Spread

LONGER, NETWORKS, MARGINS, FAMILIES, DECODINGS, BETAS = (
    "A metric or reward against as many more epochs of the baseline's loss",
    "A metric against the loss before it, on the global network",
    "Softmax-margin against the max-margin of the authors, the same network",
    "Pairwise against entity family, the same metric",
    "Entity decoding against best links, the same weights",
    "β chosen on dev against β = 1, the same loss",
)
# Heading, then the names of the rows: this one against that one.
PAIRS: Mapping[str, Sequence[tuple[str, str]]] = {
    LONGER: [
        (name, "continued") for name in (*BEST_OF_PAPER, *SOFT_ROWS, "cm_reinforce", "cm_rescale")
    ],
    NETWORKS: [("global_b3", "global_baseline"), ("global_lea", "global_baseline")],
    MARGINS: [("baseline", "margin2015"), ("global_baseline", "global2016")],
    FAMILIES: [
        ("pairwise_b3", "soft_b_cubed"),
        ("pairwise_lea", "soft_lea"),
        ("pairwise_b3_beta", "b3_beta"),
        ("pairwise_lea_beta", "lea_beta"),
    ],
    DECODINGS: [
        ("baseline_entities", "baseline"),
        ("lea_entities", "lea"),
        ("annealed_entities", "annealed"),
    ],
    BETAS: [
        ("b3_beta", "b3"),
        ("lea_beta", "lea"),
        ("pairwise_b3_beta", "pairwise_b3"),
        ("pairwise_lea_beta", "pairwise_lea"),
    ],
}
LOSSES = {"b3": "L_B³", "lea": "L_LEA", "pair_b3": "Pairwise B³", "pair_lea": "Pairwise LEA"}


def pairs_table(results: Results) -> Table | None:
    """Losses, families, decodings and β: one row against another, with intervals and corrected p values."""
    compared = {}
    for group, pairs in PAIRS.items():
        for name, other in pairs:
            one, base = results.outcome(name), results.outcome(other)
            if one and base and one.system != base.system and results.are_paired(one, base):
                compared[group, name, other] = (one, base, results.difference(one, to=base))
    if not compared:
        return None
    adjusted = holm([difference.p_value for _, _, difference in compared.values()])
    rows: list[Row] = []
    before = ""
    for (group, *_), (one, base, difference), corrected in zip(
        compared, compared.values(), adjusted, strict=True
    ):
        if group != before:
            rows.append(Row([group], heading=True))
            before = group
        cells = [Cell(row_title(one)), Cell(row_title(base))]
        rows.append(Row([*cells, *difference_cells(difference, corrected)]))
    caption = (
        f"CoNLL on {results.part}: the first row less the second, with 95 % bootstrap intervals over "
        "documents and seeds; p of a permutation test over documents, corrected for all comparisons of this "
        "table. Rows that chose the same resolver are left out."
    )
    columns = ["this", "against", "difference [95 %]", "p", "p (Holm)"]
    return Table("pairs", "Losses, networks, families, decodings and β", columns, rows, caption)


def beta_table(results: Results) -> Table | None:
    """The price of β: recall and precision of every value on dev, and the difference to β = 1."""
    rows: list[Row] = []
    for name, title in LOSSES.items():
        grid = results.reproduction.study.grid(name)
        gains = results.beta_gains(grid) if grid else {}
        if grid is None or not gains:
            continue
        rows.append(Row([title], heading=True))
        scores: dict[float, list[Score]] = dict(results.points(grid))
        row = next(r for r in results.reproduction.study.rows if r.units == grid.names)
        chosen = Counter(fold.chosen(row) for fold in results.folds)
        best = max(gains, key=lambda value: gains[value].mean)
        for value, gain in gains.items():
            spreads = [Spread.of(100 * score[n] for score in scores[value]) for n in range(3)]
            times = chosen[grid.unit_name(value)]
            rows.append(
                Row(
                    [
                        Cell(f"{value:g}", {"value": value}, best=value == best),
                        *(Cell(f"{s.mean:.2f}", {"mean": s.mean, "sd": s.sd}) for s in spreads),
                        Cell("–") if value == 1 else difference_cells(gain, 1.0)[0],
                        Cell(str(times) if times else "–", {"value": times}),
                    ]
                )
            )
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
