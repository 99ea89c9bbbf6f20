"""Units: what is trained once for each seed. A study or a sweep is a list of them.

A unit is a preset with some settings and a name. Its chain of stages lies under `runs/seedN`, each stage in
the folder of its name, so that units share the stages they start from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from corelax.train.sparse.config import PRETRAINING, Config, is_everywhere
from corelax.train.sparse.presets import PRESETS, stage_chain


@dataclass(frozen=True, slots=True)
class Unit:
    """One resolver to train.

    Attributes:
        name: Of its last stage, and of its files.
        preset: What it is made from: a name from `PRESETS`, or a TOML file.
        settings: What differs from the preset.
        rates: Whose learning rates it takes, in a study that tunes them: a unit, or itself.
        stages: Other names for some of the stages before it, which it must not share under their own.
    """

    name: str
    preset: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    rates: str = ""
    stages: Mapping[str, str] = field(default_factory=dict)


def unit_chain(unit: Unit, seed: int, common: Mapping[str, Any]) -> list[Config]:
    """The stages of a unit.

    Args:
        unit: What to train.
        seed: Of weights, order and dropout.
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


def seed_folder(out: Path, seed: int) -> Path:
    """Where the stages of a seed lie."""
    return out / "runs" / f"seed{seed}"
