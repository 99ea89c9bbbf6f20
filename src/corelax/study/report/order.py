"""The systems of the paper's table in the published order, beside the order here."""

from __future__ import annotations

from corelax.analysis.orders import OrderAgreement, order_agreement
from corelax.render.report import Cell, Row, Table
from corelax.study.report.published import CONLL_2012_TEST
from corelax.study.report.tables import row_title
from corelax.study.results import Outcome, Results, Spread
from corelax.study.systems import ORDERED

LEAST = 3  # systems that make an order


def ordered_systems(results: Results) -> list[Outcome]:
    """The systems of the paper's table that are done, the best published score first; none if too few."""
    outcomes = [outcome for name in ORDERED if (outcome := results.outcome(name))]
    outcomes.sort(key=lambda outcome: -CONLL_2012_TEST[outcome.row.name])
    return outcomes if len(outcomes) >= LEAST else []


def agreement(results: Results) -> OrderAgreement | None:
    """How well the order here agrees with the published one."""
    outcomes = ordered_systems(results)
    if not outcomes:
        return None
    seeds = set.intersection(*(set(outcome.seeds(results.part)) for outcome in outcomes))
    if not seeds:
        return None
    published = {outcome.row.name: CONLL_2012_TEST[outcome.row.name] for outcome in outcomes}
    counts = {o.row.name: o.counts(results.part, sorted(seeds)) for o in outcomes}
    return order_agreement(published, counts)


def order_table(results: Results) -> Table | None:
    """Published and own scores of the systems of the paper's table, with their places."""
    outcomes = ordered_systems(results)
    if not outcomes:
        return None
    conll = {
        outcome.row.name: Spread.of(100 * s.f1 for s in outcome.scores(results.part, "conll"))
        for outcome in outcomes
    }
    places = {
        name: 1 + sum(other.mean > spread.mean for other in conll.values())
        for name, spread in conll.items()
    }
    rows = []
    for number, outcome in enumerate(outcomes, 1):
        name = outcome.row.name
        value, spread = CONLL_2012_TEST[name], conll[name]
        rows.append(
            Row(
                [
                    Cell(row_title(outcome), title=name),
                    Cell(f"{value:.2f}", {"value": value}),
                    Cell(str(number), {"value": number}),
                    Cell(f"{spread.mean:.2f}", {"mean": spread.mean, "sd": spread.sd}),
                    Cell(str(places[name]), {"value": places[name]}),
                ]
            )
        )
    caption = (
        f"Published: CoNLL-2012 English test; here: CoNLL on {results.part}, the mean over seeds."
    )
    columns = ["", "published", "place", "here", "place here"]
    return Table("order", "The order of the systems", columns, rows, caption)
