"""The plan of a study as data: which resolvers are trained, and the rows that they make in the tables.

A row is one unit, or several of which the best on dev is taken (β, T). Published figures are in
`report/published.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.study.systems import OTHERS, OUR_NETWORKS, OURS, PAPER, chosen_systems
from corelax.study.units import Unit, unit_chain
from corelax.train.sparse.config import PRETRAINING
from corelax.train.sparse.presets import PRESETS, stage_chain

PAPER_BETA_SQUARED = (0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.25, 4.0)
BETA_SQUARED = (
    *PAPER_BETA_SQUARED,
    8.0,
    16.0,
)  # the best of the paper's grid was its largest on LitBank
FEWER_BETA_SQUARED = (1.0, 1.4, 1.8, 4.0, 8.0, 16.0)
TEMPERATURE_GRID = (1.0, 0.5, 0.2, 0.1)
LEARNING_RATES = tuple(
    (first, second) for first in (0.05, 0.01, 0.1, 0.2) for second in (0.002, 0.01)
)

BASELINE = "baseline"  # what others are compared with, and most start from
BEST_OF_PAPER = ("b3_beta", "lea_beta")  # rows: the metric losses with their best β
SOFT = {  # metrics, and the titles of the rows that train on them
    "b_cubed": "Soft B³",
    "muc": "Soft MUC",
    "ceaf_e": "Soft CEAF_e",
    "blanc": "Soft BLANC",
    "conll": "Soft CoNLL average",
}
SOFT_ROWS = (*(f"soft_{metric}" for metric in SOFT), "soft_lea")
BETA, T = "β²", "T"  # symbols of settings that are chosen on dev

__all__ = [
    "BASELINE",
    "BEST_OF_PAPER",
    "BETA",
    "BETA_SQUARED",
    "LEARNING_RATES",
    "OTHERS",
    "OURS",
    "PAPER",
    "RATES",
    "SOFT_ROWS",
    "Grid",
    "Row",
    "Study",
    "T",
    "check_settings",
    "full_study",
    "quick_study",
]


class Row(NamedTuple):
    """A row of the tables.

    Attributes:
        name: Short, for files and programs.
        title: For people.
        group: The heading that it stands under in a table.
        units: Names of its units; of several, the best on dev is taken.
        decoding: "links" or "entities".
        symbol: What its units differ in ("β²", "T"), where there are several.
    """

    name: str
    title: str
    group: str
    units: tuple[str, ...]
    decoding: str = "links"
    symbol: str = ""


class Grid(NamedTuple):
    """Units that differ in one setting: the points of a figure.

    >>> Grid("lea", "lea", "beta_squared", (1.0, 1.4), "lea_1", {}).units()[1].name
    'lea_1.4'
    """

    name: str
    preset: str
    key: str
    values: tuple[float, ...]
    rates: str
    settings: dict[str, Any]

    def unit_name(self, value: float) -> str:
        """The name of the unit with this value."""
        return f"{self.name}_{value:g}"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its units."""
        return tuple(map(self.unit_name, self.values))

    def units(self) -> list[Unit]:
        """Its units, in the order of their values."""
        return [
            Unit(self.unit_name(value), self.preset, {**self.settings, self.key: value}, self.rates)
            for value in self.values
        ]


@dataclass(frozen=True, slots=True)
class Study:
    """The units that are trained, and what the report shows of them.

    Attributes:
        units: The units, the most important first.
        rows: The rows of the tables.
        grids: The grids of the figures.
        tuned: Units whose learning rates are tuned on dev; units that others start from come first.
        learning_rates: (first layer, second layer) to choose from.
    """

    units: Sequence[Unit]
    rows: Sequence[Row]
    grids: Sequence[Grid] = ()
    tuned: tuple[str, ...] = ()
    learning_rates: Sequence[tuple[float, float]] = LEARNING_RATES

    def grid(self, name: str) -> Grid | None:
        """The grid of this name, if the study has it."""
        return next((grid for grid in self.grids if grid.name == name), None)

    def only(self, names: Collection[str]) -> Study:
        """The study of these rows and the baseline: the units that they have, and those that tune for them.

        >>> [unit.name for unit in full_study(tune=False).only(["lea", "annealed"]).units]
        ['baseline', 'lea_1', 'annealed']
        """
        for name in names:
            check_choice("--row", name, [row.name for row in self.rows])
        rows = [row for row in self.rows if row.name in {BASELINE, *names}]
        wanted = {name for row in rows for name in row.units}
        owners = {unit.rates for unit in self.units if unit.name in wanted}
        tuned = tuple(name for name in self.tuned if name in {BASELINE, *owners})
        units = [unit for unit in self.units if unit.name in {*wanted, *tuned}]
        grids = [grid for grid in self.grids if wanted.issuperset(grid.names)]
        return replace(self, units=units, rows=rows, grids=grids, tuned=tuned)


def quick_study() -> Study:
    """The four resolvers of the paper, with its β."""
    units = [Unit(name, name) for name in ("baseline", "entity_ce", "b3", "lea")]
    titles = ("Baseline (heuristic loss)", "L_ec", "L_β,B³, β² = 1.4", "L_β,LEA, β² = 1.8")
    names = ("baseline", "entity_ce", "b3_beta", "lea_beta")  # as the full study calls such rows
    rows = [
        Row(name, title, PAPER, (unit.name,))
        for name, title, unit in zip(names, titles, units, strict=True)
    ]
    return Study(units, rows)


def full_study(
    *, like_original: bool = True, ours: bool = True, tune: bool = True, vectors: bool = False
) -> Study:
    """The paper's experiments, the ones it is compared with, and ours.

    Args:
        like_original: Whether the paper's metric losses use the authors' hard filter of entities, which
            drops singletons.
        ours: Whether to include experiments that go beyond the paper.
        tune: Whether to tune learning rates on dev.
        vectors: Whether there are word vectors, for the systems that need them.

    >>> [row.name for row in full_study(ours=False).rows][:4]
    ['baseline', 'entity_ce', 'b3', 'b3_beta']
    """
    soft: dict[str, Any] = {"like_original": False}
    as_paper: dict[str, Any] = {} if like_original else soft
    b3 = Grid("b3", "b3", "beta_squared", BETA_SQUARED, "b3_1", as_paper)
    lea = Grid("lea", "lea", "beta_squared", BETA_SQUARED, "lea_1", as_paper)
    first = [Unit("baseline", "baseline", {}, "baseline")]
    first += [Unit("entity_ce", "entity_ce", {}, "entity_ce")]
    first += [grid.units()[grid.values.index(1.0)] for grid in (b3, lea)]
    others = [s for s in chosen_systems(vectors=vectors) if ours or s.group != OUR_NETWORKS]
    first += [system.unit(as_paper) for system in others]
    rows = [
        Row("baseline", "Baseline (heuristic loss)", PAPER, ("baseline",)),
        Row("entity_ce", "L_ec", PAPER, ("entity_ce",)),
        Row("b3", "L_B³, β = 1", PAPER, (b3.unit_name(1),)),
        Row("b3_beta", "L_β,B³, β on dev", PAPER, b3.names, symbol=BETA),
        Row("lea", "L_LEA, β = 1", PAPER, (lea.unit_name(1),)),
        Row("lea_beta", "L_β,LEA, β on dev", PAPER, lea.names, symbol=BETA),
        *(Row(system.name, system.title, system.group, (system.name,)) for system in others),
    ]
    grids = [b3, lea]
    if ours:
        plain = {**soft, "beta_squared": 1}
        # Without the authors' filter these losses are soft: they need no second run.
        same = {} if like_original else {"lea": lea.unit_name(1), "b_cubed": b3.unit_name(1)}
        no_filter = " (no hard filter)" if like_original else ""
        pair_b3 = Grid("pair_b3", "pairwise_b3", "beta_squared", FEWER_BETA_SQUARED, "b3_1", {})
        pair_lea = Grid("pair_lea", "pairwise_lea", "beta_squared", FEWER_BETA_SQUARED, "lea_1", {})
        cold = Grid("cold", "lea", "temperature", TEMPERATURE_GRID, "lea_1", plain)
        cold_links = Grid(
            "cold_links", "lea", "temperature", TEMPERATURE_GRID[1:], "lea_1",
            {**plain, "temperature_on": "link"},
        )  # fmt: skip
        annealed = {**plain, "temperature_end": 0.1}
        first += [
            cold.units()[0],
            Unit("annealed", "lea", annealed, "annealed"),  # small T wants rates of its own
            Unit("annealed_links", "lea", {**annealed, "temperature_on": "link"}, "annealed"),
            pair_b3.units()[0],
            pair_lea.units()[0],
            *(Unit(f"soft_{m}", "conll", {"metric": m}, "b3_1") for m in SOFT if m not in same),
        ]
        rows += [
            Row(
                "soft_lea",
                f"Soft LEA{no_filter}, T = 1",
                OURS,
                (same.get("lea", cold.unit_name(1)),),
            ),
            Row("cold", "Soft LEA, T on dev", OURS, cold.names, symbol=T),
            Row(
                "cold_links", "Soft LEA, link temperature on dev", OURS, cold_links.names, symbol=T
            ),
            Row("annealed", "Soft LEA, T annealed 1 → 0.1", OURS, ("annealed",)),
            Row("annealed_links", "Soft LEA, link T annealed 1 → 0.1", OURS, ("annealed_links",)),
            Row("pairwise_b3", "Pairwise B³, β = 1", OURS, (pair_b3.unit_name(1),)),
            Row("pairwise_b3_beta", "Pairwise B³, β on dev", OURS, pair_b3.names, symbol=BETA),
            Row("pairwise_lea", "Pairwise LEA, β = 1", OURS, (pair_lea.unit_name(1),)),
            Row("pairwise_lea_beta", "Pairwise LEA, β on dev", OURS, pair_lea.names, symbol=BETA),
            *(
                Row(f"soft_{m}", title, OURS, (same.get(m, f"soft_{m}"),))
                for m, title in SOFT.items()
            ),
            Row("baseline_entities", "Baseline, entity decoding", OURS, ("baseline",), "entities"),
            Row("lea_entities", "L_LEA, β = 1, entity decoding", OURS, ("lea_1",), "entities"),
            Row(
                "annealed_entities", "T annealed, entity decoding", OURS, ("annealed",), "entities"
            ),
        ]
        grids += [pair_b3, pair_lea, cold, cold_links]
    units = [*first, *(unit for grid in grids for unit in grid.units())]
    unique = {unit.name: unit for unit in units}
    tuned = (
        ("baseline", "entity_ce", "b3_1", "lea_1", *(["annealed"] if ours else [])) if tune else ()
    )
    return Study(list(unique.values()), rows, grids, tuned)


# Settings that a study chooses for each of its units.
_OWN = (
    "stage start objective metric family beta_squared temperature temperature_end temperature_on "
    "like_original as_printed decoding seed"
).split()
RATES = ("learning_rate", "output_learning_rate")


def check_settings(study: Study, common: Mapping[str, Any]) -> None:
    """Raises an error if a setting for all units changes what the study compares, or applies to no unit.

    >>> check_settings(quick_study(), {"beta_squared": 2})
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: beta_squared: is what the study compares; ...use corelax sweep
    """
    presets = dict.fromkeys(unit.preset for unit in study.units)
    stages = {c.stage: c for preset in presets for c in stage_chain(preset, {})}
    for key in common:
        prefix, dot, name = key.rpartition(".")
        if prefix in PRESETS and prefix not in stages:
            raise CorelaxError(f"{key}: no run of this study has a stage {prefix}")
        if dot and (prefix not in PRESETS or stages[prefix].objective in PRETRAINING):
            continue  # a feature, or a setting of pretraining
        if name in _OWN:
            raise CorelaxError(
                f"{key}: is what the study compares; to try values use corelax sweep"
            )
        if name in RATES and study.tuned:
            raise CorelaxError(f"{key}: is tuned on dev; give --no-tune as well")
    for unit in study.units:
        unit_chain(unit, 1, common)
