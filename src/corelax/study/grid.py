"""The grid of a sweep as units: every combination of the values of its keys.

A grid can change stages that the units start from. Such a stage has the values that it depends on in its
name, as the units have, so that units share exactly the stages that are the same for them:

    runs/seed1/antecedent
    runs/seed1/baseline_learning_rate=0.05
    runs/seed1/lea_baseline.learning_rate=0.05_beta_squared=1.4
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.study.plan import Unit
from corelax.train.sparse.config import FEATURES, Config, affects, is_everywhere
from corelax.train.sparse.presets import stage_chain

LONGEST = 120  # characters of a name; file systems allow 255, with what is put after it


def parse_grid(items: Sequence[str]) -> dict[str, list[str]]:
    """`key=value,value` as given on the command line; values that hold commas have `;` between them.

    >>> parse_grid(["beta_squared=1,1.4", "costs=0.1,3,1; 0.4,0.8,1"])
    {'beta_squared': ['1', '1.4'], 'costs': ['0.1,3,1', '0.4,0.8,1']}
    """
    grid: dict[str, list[str]] = {}
    for item in items:
        key, _, text = item.partition("=")
        values = [value.strip() for value in text.split(";" if ";" in text else ",")]
        if not key.strip() or not all(values):
            raise CorelaxError(f"--grid takes key=value,value,…, not {item!r}")
        if key.strip() in grid:
            raise CorelaxError(f"{key.strip()}: is in --grid twice; give all its values at once")
        grid[key.strip()] = values
    return grid


def sweep_units(
    config: str, grid: Mapping[str, Sequence[Any]], settings: Mapping[str, Any] | None = None
) -> list[Unit]:
    """A unit for every combination, the last key varying fastest. All settings are checked.

    >>> units = sweep_units("lea", {"beta_squared": ["1", "1.4"], "baseline.epochs": ["7"]})
    >>> [unit.name for unit in units]
    ['lea_beta_squared=1_baseline.epochs=7', 'lea_beta_squared=1.4_baseline.epochs=7']
    >>> units[0].stages
    {'baseline': 'baseline_epochs=7'}
    """
    settings = settings or {}
    _check_keys(config, grid, settings)
    units = []
    seen: dict[str, dict[Any, str]] = {key: {} for key in grid}
    for texts in itertools.product(*grid.values()):
        combination = dict(zip(grid, texts, strict=True))
        chain = stage_chain(config, {**settings, **combination})
        values = {key: _value(chain, key) for key in grid}
        _check_effect(chain, grid)
        for key, text in combination.items():
            same = seen[key].setdefault(values[key], text)
            if same != text:
                raise CorelaxError(f"{key}: {same} and {text} are the same value; give it once")
        name, stages = _name(chain[-1].stage, values), _stage_names(chain, values)
        units.append(Unit(name, config, {**settings, **values}, stages=stages))
    return units


def value_text(value: Any) -> str:
    """A value as it is given on the command line.

    >>> value_text(1.0), value_text(True), value_text((0.1, 3.0, 1.0))
    ('1', 'true', '0.1,3,1')
    """
    if isinstance(value, tuple):
        return ",".join(map(value_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _check_keys(
    config: str, grid: Mapping[str, Sequence[Any]], settings: Mapping[str, Any]
) -> None:
    """Raises errors that are known before any value is read."""
    if not grid or not all(grid.values()):
        raise CorelaxError("a sweep needs a grid: give --grid key=value,value at least once")
    for key, values in grid.items():
        for value in values:
            if list(values).count(value) > 1:
                raise CorelaxError(f"{key}: {value} is in its grid twice; give it once")
    before = [stage.stage for stage in stage_chain(config, {})[:-1]]
    places: dict[str, str] = {}
    for place, keys in (("--set", settings), ("--grid", grid)):
        for key in keys:
            prefix, dot, rest = key.partition(".")
            own = dot and prefix not in before and not is_everywhere(key)
            key = rest if own else key  # lea.epochs is epochs
            if key == "seed":
                raise CorelaxError(f"seed: not in {place} of a sweep; use --seeds")
            if key in places:
                raise CorelaxError(f"{key}: is in {places[key]} and in {place}; give it once")
            places[key] = place


def _check_effect(chain: Sequence[Config], keys: Iterable[str]) -> None:
    """Raises an error if a key makes no difference: the runs would be the same."""
    for key in keys:
        config, name = _place(chain, key)
        if not affects(name, config.objective):
            raise CorelaxError(f"{key}: makes no difference to {config.stage} ({config.objective})")


def _value(chain: Sequence[Config], key: str) -> Any:
    if key.startswith(FEATURES):
        return getattr(chain[-1].feature_settings, key.removeprefix(FEATURES))
    config, name = _place(chain, key)
    return getattr(config, name)


def _place(chain: Sequence[Config], key: str) -> tuple[Config, str]:
    """The stage that a key belongs to, and its name there."""
    prefix, dot, rest = key.partition(".")
    config = next((stage for stage in chain if dot and stage.stage == prefix), chain[-1])
    return config, rest if dot else key


def _stage_names(chain: Sequence[Config], values: Mapping[str, Any]) -> dict[str, str]:
    """New names for the stages before the last that depend on the grid, by themselves or by their start."""
    depends: dict[str, set[str]] = {}
    names = {}
    for config in chain[:-1]:
        depends[config.stage] = {config.stage}.union(*(depends[start] for start in config.start))
        own = {
            key.removeprefix(f"{config.stage}."): value
            for key, value in values.items()
            if is_everywhere(key) or key.partition(".")[0] in depends[config.stage]
        }
        if own:
            names[config.stage] = _name(config.stage, own)
    return names


def _name(stage: str, values: Mapping[str, Any]) -> str:
    """A name for a folder, different for different values on every file system."""
    name = "_".join([stage, *(f"{key}={value_text(value)}" for key, value in values.items())])
    safe = re.sub(r"[^A-Za-z0-9.,=_+-]", "-", name)
    if safe == name and len(name) <= LONGEST:
        return name
    return f"{safe[:LONGEST]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
