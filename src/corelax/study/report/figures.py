"""The figures of a study: β against recall and precision, the temperature, the course of training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean

from corelax.metrics.counts import Score
from corelax.render.report import Figure, Level, Panel, Series
from corelax.study.files import DEV
from corelax.study.results import Outcome, Results, Spread

CURVES = {
    "The paper": ("baseline", "entity_ce", "b3_beta", "b3", "lea_beta", "lea"),
    "Beyond it": (
        "continued",
        "cm_reinforce",
        "soft_lea",
        "annealed",
        "pairwise_lea",
        "soft_conll",
    ),
}
OF_PAPER = {"b3": "L_B³", "lea": "L_LEA"}
PAIRWISE = {"pair_b3": "Pairwise B³", "pair_lea": "Pairwise LEA"}


def beta_figure(
    results: Results, key: str, title: str, grids: Mapping[str, str] = OF_PAPER
) -> Figure | None:
    """Recall, precision and F1 on dev against β², a panel for each loss that has a grid of it."""
    level = Level("baseline F1", _dev_conll(results.baseline).mean)
    panels = []
    for name, panel_title in grids.items():
        grid = results.reproduction.study.grid(name)
        points = results.points(grid) if grid else []
        if points:
            x = [value for value, _ in points]
            series = [
                _series(label, x, ([score[number] for score in scores] for _, scores in points))
                for number, label in enumerate(("recall", "precision", "F1"))
            ]
            axis = "mean of MUC, B³, CEAF_e"
            panels.append(Panel(panel_title, "β²", axis, series, [level], log_x=True, x_ticks=x))
    if not panels:
        return None
    caption = (
        "Dev, means over seeds with their standard deviation. Recall, precision and F1 are the means of "
        "those of MUC, B³ and CEAF_e; F1 is the CoNLL score."
    )
    return Figure(key, title, panels, caption)


def temperature_figure(results: Results) -> Figure | None:
    """The dev score against the temperature of training, on entities and on links."""
    study = results.reproduction.study
    cold, links = study.grid("cold"), study.grid("cold_links")
    points = results.points(cold) if cold else []
    if not points:
        return None
    hot = [point for point in points if point[0] == 1]  # where the two are the same
    series = [_f1_series("T on entities", points)]
    if links:
        series.append(_f1_series("T on links", hot + results.points(links)))
    levels = [Level("baseline", _dev_conll(results.baseline).mean)]
    for name, label in (("annealed", "annealed"), ("annealed_links", "annealed, links")):
        if outcome := results.outcome(name):
            levels.append(Level(label, _dev_conll(outcome).mean))
    ticks = [value for value, _ in points]
    panel = Panel("Soft LEA, β = 1", "T in training", "dev CoNLL", series, levels, True, ticks)
    caption = "Dev, means over seeds with their standard deviation. Annealed: T from 1 to 0.1."
    return Figure("temperature", "Dev score against the temperature", [panel], caption)


def curves_figure(results: Results) -> Figure:
    """The dev score after each epoch."""
    panels = []
    for title, names in CURVES.items():
        series: dict[tuple[str, ...], Series] = {}
        for name in names:
            outcome = results.outcome(name)
            if outcome and outcome.units not in series:  # the β that is best on dev may be 1
                series[outcome.units] = _curve(outcome)
        if series:
            most = max(len(line.x) for line in series.values())
            ticks = range(1, most + 1, 1 + most // 8)
            panels.append(Panel(title, "epoch", "dev CoNLL", list(series.values()), x_ticks=ticks))
    caption = (
        "Means over seeds with their standard deviation. All but the baseline "
        "start from the best epoch of the baseline."
    )
    return Figure("curves", "Dev score after each epoch", panels, caption)


def _curve(outcome: Outcome) -> Series:
    """Dev scores by epoch, of the epochs that all runs have; those of a seed are means over folds."""
    runs = [
        [[epoch["dev"] for epoch in record.epochs] for record in folds]
        for folds in outcome.records.values()
    ]
    epochs = range(1, min(len(run) for folds in runs for run in folds) + 1)
    label = outcome.row.title.partition(" (")[0]
    values = ([mean(run[epoch - 1] for run in folds) for folds in runs] for epoch in epochs)
    return _series(label, list(epochs), values)


def _f1_series(label: str, points: Sequence[tuple[float, list[Score]]]) -> Series:
    x = [value for value, _ in points]
    return _series(label, x, ([score.f1 for score in scores] for _, scores in points))


def _series(label: str, x: Sequence[float], values: Iterable[Iterable[float]]) -> Series:
    """Means and standard deviations in percent."""
    spreads = [Spread.of(100 * value for value in of_seeds) for of_seeds in values]
    return Series(label, x, [s.mean for s in spreads], [s.sd for s in spreads])


def _dev_conll(outcome: Outcome) -> Spread:
    return Spread.of(100 * score.f1 for score in outcome.scores(DEV, "conll"))
