"""The plan of a study as data: which resolvers are trained, and the rows that they make in the tables.

A unit is trained once for each seed. A row is one unit, or several of which the best on dev is taken (β).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.rankers.sparse.settings import PRETRAINING
from corelax.study.systems import PAPER, chosen_systems
from corelax.train.sparse.config import Config, is_everywhere
from corelax.train.sparse.presets import PRESETS, stage_chain

PAPER_BETA_SQUARED = (0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.25, 4.0)
# The best of the paper's grid was its largest on LitBank.
BETA_SQUARED = (*PAPER_BETA_SQUARED, 8.0, 16.0)
LEARNING_RATES = tuple(
    (first, second) for first in (0.05, 0.01, 0.1, 0.2) for second in (0.002, 0.01)
)
RATES = ("learning_rate", "output_learning_rate")

BASELINE = "baseline"  # what others are compared with, and most start from
BEST_OF_PAPER = ("b3_beta", "lea_beta")  # rows: the metric losses with their best β
BETA = "β²"


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
        units: Names of its units; of several, which differ in β², the best on dev is taken.
        values: β² of each unit, where there are several.
    """

    name: str
    title: str
    group: str
    units: tuple[str, ...]
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

        >>> [unit.name for unit in full_study(tune=False).only(["lea", "continued"]).units]
        ['baseline', 'lea_1', 'continued']
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


def full_study(*, like_original: bool = True, tune: bool = True, vectors: bool = False) -> Study:
    """The paper's experiments, and the ones it is compared with.

    >>> [row.name for row in full_study().rows][:4]
    ['baseline', 'entity_ce', 'b3', 'b3_beta']
    """
    as_paper: dict[str, Any] = {} if like_original else {"like_original": False}
    systems = chosen_systems(vectors=vectors)
    units = {name: Unit(name, name, {}, name) for name in (BASELINE, "entity_ce")}
    for loss in ("b3", "lea"):  # β = 1 is more important than the others
        units[f"{loss}_1"] = Unit(f"{loss}_1", loss, {**as_paper, "beta_squared": 1.0}, f"{loss}_1")
    tuned = tuple(units) if tune else ()
    for system in systems:
        is_metric = PRESETS[system.name]["objective"] == "metric"
        settings = as_paper if is_metric else {}
        units[system.name] = Unit(system.name, system.name, settings, system.rates)
    rows = [
        StudyRow(BASELINE, "Baseline (heuristic loss)", PAPER, (BASELINE,)),
        StudyRow("entity_ce", "L_ec", PAPER, ("entity_ce",)),
    ]
    for loss, title in (("b3", "B³"), ("lea", "LEA")):
        names = tuple(f"{loss}_{value:g}" for value in BETA_SQUARED)
        for name, value in zip(names, BETA_SQUARED, strict=True):
            settings = {**as_paper, "beta_squared": value}
            units.setdefault(name, Unit(name, loss, settings, f"{loss}_1"))
        rows += [
            StudyRow(loss, f"L_{title}, β = 1", PAPER, (f"{loss}_1",)),
            StudyRow(f"{loss}_beta", f"L_β,{title}, β on dev", PAPER, names, BETA_SQUARED),
        ]
    rows += [StudyRow(s.name, s.title, s.group, (s.name,)) for s in systems]
    return Study(list(units.values()), rows, tuned)


def unit_chain(unit: Unit, seed: int, common: Mapping[str, Any]) -> list[Config]:
    """The stages of a unit.

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
