"""The plan of a study as data: which resolvers are trained, and the rows that they make in the tables.

A unit is trained once for each seed. A row is one unit, or several of which the best on dev is taken (β, T).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.rankers.sparse.settings import PRETRAINING
from corelax.study.systems import OUR_NETWORKS, OURS, PAPER, chosen_systems
from corelax.train.sparse.config import Config, is_everywhere
from corelax.train.sparse.presets import PRESETS, stage_chain

PAPER_BETA_SQUARED = (0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.25, 4.0)
# The best of the paper's grid was its largest on LitBank.
BETA_SQUARED = (*PAPER_BETA_SQUARED, 8.0, 16.0)
FEWER_BETA_SQUARED = (1.0, 1.4, 1.8, 4.0, 8.0, 16.0)
TEMPERATURES = (1.0, 0.5, 0.2, 0.1)
LEARNING_RATES = tuple(
    (first, second) for first in (0.05, 0.01, 0.1, 0.2) for second in (0.002, 0.01)
)
RATES = ("learning_rate", "output_learning_rate")

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


@dataclass(frozen=True, slots=True)
class Unit:
    """One resolver to train: a preset with some settings and a name.

    Attributes:
        name: The name of its last stage, and of its files.
        preset: A name from `PRESETS`, or a TOML file.
        settings: Settings that differ from the preset.
        rates: In a study that tunes learning rates, the unit whose rates it takes (or itself).
        stages: New names for earlier stages that it must not share with other units.
    """

    name: str
    preset: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    rates: str = ""
    stages: Mapping[str, str] = field(default_factory=dict)

    @property
    def starts_from_baseline(self) -> bool:
        """Whether the baseline is one of the stages before it."""
        return BASELINE in PRESETS[self.preset].get("start", ())


class StudyRow(NamedTuple):
    """A row of the tables.

    Attributes:
        name: Short, for files and programs.
        title: For people.
        group: The heading that it stands under in a table.
        units: Names of its units; of several, the best on dev is taken.
        decoding: "links" or "entities".
        symbol: What its units differ in ("β²", "T"), where there are several.
        values: The value of each unit, where there are several.
    """

    name: str
    title: str
    group: str
    units: tuple[str, ...]
    decoding: str = "links"
    symbol: str = ""
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Study:
    """The units that are trained, and the rows that the report shows of them.

    Attributes:
        units: The units, the most important first.
        rows: The rows of the tables.
        tuned: Units whose learning rates are tuned on dev, the baseline first.
        learning_rates: (first layer, second layer) to choose from.
    """

    units: Sequence[Unit]
    rows: Sequence[StudyRow]
    tuned: tuple[str, ...] = ()
    learning_rates: Sequence[tuple[float, float]] = LEARNING_RATES

    def grid(self, name: str) -> StudyRow | None:
        """The row of this name, if the study has it and it chooses among several values."""
        return next((row for row in self.rows if row.name == name and row.values), None)

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
        return replace(self, units=units, rows=rows, tuned=tuned)


def quick_study() -> Study:
    """The four resolvers of the paper, with its β."""
    rows = [
        StudyRow("baseline", "Baseline (heuristic loss)", PAPER, ("baseline",)),
        StudyRow("entity_ce", "L_ec", PAPER, ("entity_ce",)),
        StudyRow("b3_beta", "L_β,B³, β² = 1.4", PAPER, ("b3",)),
        StudyRow("lea_beta", "L_β,LEA, β² = 1.8", PAPER, ("lea",)),
    ]
    return Study([Unit(row.units[0], row.units[0]) for row in rows], rows)


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
    as_paper: dict[str, Any] = {} if like_original else {"like_original": False}
    b3 = _grid("b3", "b3", BETA_SQUARED, "b3_1", as_paper)
    lea = _grid("lea", "lea", BETA_SQUARED, "lea_1", as_paper)
    others = [s for s in chosen_systems(vectors=vectors) if ours or s.group != OUR_NETWORKS]
    units = [
        Unit("baseline", "baseline", {}, "baseline"),
        Unit("entity_ce", "entity_ce", {}, "entity_ce"),
        b3[BETA_SQUARED.index(1)],
        lea[BETA_SQUARED.index(1)],
    ]
    for system in others:
        is_metric = PRESETS[system.name]["objective"] == "metric"
        units.append(Unit(system.name, system.name, as_paper if is_metric else {}, system.rates))
    rows = [
        StudyRow("baseline", "Baseline (heuristic loss)", PAPER, ("baseline",)),
        StudyRow("entity_ce", "L_ec", PAPER, ("entity_ce",)),
        StudyRow("b3", "L_B³, β = 1", PAPER, ("b3_1",)),
        _choosing("b3_beta", "L_β,B³, β on dev", PAPER, BETA, BETA_SQUARED, b3),
        StudyRow("lea", "L_LEA, β = 1", PAPER, ("lea_1",)),
        _choosing("lea_beta", "L_β,LEA, β on dev", PAPER, BETA, BETA_SQUARED, lea),
        *(StudyRow(system.name, system.title, system.group, (system.name,)) for system in others),
    ]
    tuned = ["baseline", "entity_ce", "b3_1", "lea_1"]
    points = [*b3, *lea]
    if ours:
        first, more, our_rows = _beyond(like_original=like_original)
        units, points, rows = units + first, points + more, rows + our_rows
        tuned.append("annealed")
    unique = {unit.name: unit for unit in [*units, *points]}
    return Study(list(unique.values()), rows, tuple(tuned) if tune else ())


def _beyond(*, like_original: bool) -> tuple[list[Unit], list[Unit], list[StudyRow]]:
    """Ours: the most important units, those of grids, and the rows."""
    plain = {"like_original": False, "beta_squared": 1}
    on_links, end = {"temperature_on": "link"}, {"temperature_end": 0.1}
    # Without the authors' filter these losses are soft: they need no second run.
    same = {} if like_original else {"lea": "lea_1", "b_cubed": "b3_1"}
    no_filter = " (no hard filter)" if like_original else ""
    pair_b3 = _grid("pair_b3", "pairwise_b3", FEWER_BETA_SQUARED, "b3_1", {})
    pair_lea = _grid("pair_lea", "pairwise_lea", FEWER_BETA_SQUARED, "lea_1", {})
    cold = _grid("cold", "lea", TEMPERATURES, "lea_1", plain, "temperature")
    cold_links = _grid(
        "cold_links", "lea", TEMPERATURES[1:], "lea_1", {**plain, **on_links}, "temperature"
    )
    units = [
        cold[0],
        Unit("annealed", "lea", {**plain, **end}, "annealed"),  # small T wants rates of its own
        Unit("annealed_links", "lea", {**plain, **end, **on_links}, "annealed"),
        pair_b3[0],
        pair_lea[0],
        *(Unit(f"soft_{m}", "conll", {"metric": m}, "b3_1") for m in SOFT if m not in same),
    ]
    soft, on_dev = "Soft LEA, T on dev", "Soft LEA, link temperature on dev"
    rows = [
        StudyRow("soft_lea", f"Soft LEA{no_filter}, T = 1", OURS, (same.get("lea", "cold_1"),)),
        _choosing("cold", soft, OURS, T, TEMPERATURES, cold),
        _choosing("cold_links", on_dev, OURS, T, TEMPERATURES[1:], cold_links),
        StudyRow("annealed", "Soft LEA, T annealed 1 → 0.1", OURS, ("annealed",)),
        StudyRow("annealed_links", "Soft LEA, link T annealed 1 → 0.1", OURS, ("annealed_links",)),
    ]
    for name, title, grid in (("b3", "B³", pair_b3), ("lea", "LEA", pair_lea)):
        name, title = f"pairwise_{name}", f"Pairwise {title}, β"
        rows += [
            StudyRow(name, f"{title} = 1", OURS, (grid[0].name,)),
            _choosing(f"{name}_beta", f"{title} on dev", OURS, BETA, FEWER_BETA_SQUARED, grid),
        ]
    for metric, title in SOFT.items():
        name = f"soft_{metric}"
        rows.append(StudyRow(name, title, OURS, (same.get(metric, name),)))
    for name, title, unit in (
        ("baseline_entities", "Baseline, entity decoding", "baseline"),
        ("lea_entities", "L_LEA, β = 1, entity decoding", "lea_1"),
        ("annealed_entities", "T annealed, entity decoding", "annealed"),
    ):
        rows.append(StudyRow(name, title, OURS, (unit,), "entities"))
    return units, [*pair_b3, *pair_lea, *cold, *cold_links], rows


def _grid(
    name: str,
    preset: str,
    values: Sequence[float],
    rates: str,
    settings: Mapping[str, Any],
    key: str = "beta_squared",
) -> list[Unit]:
    return [Unit(f"{name}_{value:g}", preset, {**settings, key: value}, rates) for value in values]


def _choosing(
    name: str,
    title: str,
    group: str,
    symbol: str,
    values: tuple[float, ...],
    units: Sequence[Unit],
) -> StudyRow:
    names = tuple(unit.name for unit in units)
    return StudyRow(name, title, group, names, symbol=symbol, values=values)


def unit_chain(unit: Unit, seed: int, common: Mapping[str, Any]) -> list[Config]:
    """The stages of a unit.

    Args:
        unit: The unit.
        seed: The seed of weights, order and dropout.
        common: Settings of all units. One that names no stage holds for every stage but pretraining;
            one that names a stage (`antecedent.epochs`), where there is such a stage.

    >>> chain = unit_chain(Unit("lea_1.4", "lea", {"beta_squared": 1.4}), 2, {"epochs": 3})
    >>> [(config.stage, config.epochs) for config in chain]
    [('anaphoricity', 10), ('antecedent', 20), ('baseline', 3), ('lea_1.4', 3)]
    """
    plain = stage_chain(unit.preset, {})
    stages = {config.stage: config for config in plain}
    last = plain[-1].stage
    settings: dict[str, Any] = {}
    for key, value in common.items():
        prefix, dot, rest = key.partition(".")
        if dot and prefix in PRESETS and not is_everywhere(key):
            if prefix in stages:
                settings[rest if prefix == last else key] = value
        elif is_everywhere(key):
            settings[key] = value
        else:
            for stage, config in stages.items():
                if config.objective not in PRETRAINING:
                    settings[key if stage == last else f"{stage}.{key}"] = value
    settings = {**settings, **unit.settings, "seed": str(seed)}
    chain = stage_chain(unit.preset, settings, name=unit.name)
    names = {config.stage: unit.stages.get(config.stage, config.stage) for config in chain}
    return [
        replace(config, stage=names[config.stage], start=tuple(names[s] for s in config.start))
        for config in chain
    ]


# Settings that a study chooses for each of its units.
_OWN = (
    "stage start objective metric family beta_squared temperature temperature_end temperature_on "
    "like_original as_printed decoding seed"
).split()


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
