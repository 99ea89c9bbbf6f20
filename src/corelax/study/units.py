"""Units: a unit is trained once for each seed; a study or a sweep is a list of units.

A unit is a preset with some settings and a name. Its chain of stages lies under `runs/seedN`, each stage in
the folder of its name, so that units share the stages they start from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from corelax.train.sparse.config import PRETRAINING, Config, is_everywhere
from corelax.train.sparse.presets import PRESETS, stage_chain


@dataclass(frozen=True, slots=True)
class Unit:
    """One resolver to train.

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
    chain = stage_chain(
        unit.preset, {**settings, **unit.settings, "seed": str(seed)}, name=unit.name
    )
    names = {config.stage: unit.stages.get(config.stage, config.stage) for config in chain}
    return [
        replace(config, stage=names[config.stage], start=tuple(names[s] for s in config.start))
        for config in chain
    ]
