"""The published settings, and ours: one preset a resolver. Each names only what differs from `Config`."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.train.sparse.config import Config, is_everywhere

_PRETRAINED = ("anaphoricity", "antecedent")
_PRETRAINED_2015 = ("anaphoricity2015", "antecedent2015")
_FROM_BASELINE = ("baseline",)

_PRETRAINING: dict[str, Any] = {"learning_rate": 0.1, "output_learning_rate": 0.1, "clip": 100.0}
_WISEMAN: dict[str, Any] = {
    "learning_rate": 0.1,
    "output_learning_rate": 0.1,
    "accumulator": 0.0,
    "initialisation": "sparse",
    "max_mentions": 0,
    "keep": "last",
}
_METRIC: dict[str, Any] = {"start": _FROM_BASELINE, "objective": "metric"}

PRESETS: dict[str, dict[str, Any]] = {
    # Le & Titov 2017
    "anaphoricity": {
        **_PRETRAINING, "objective": "anaphoricity", "max_mentions": 1000, "epochs": 10,
    },
    "antecedent": {**_PRETRAINING, "objective": "antecedent", "dropout": 0.4, "epochs": 20},
    "baseline": {"start": _PRETRAINED, "objective": "ranking"},
    "continued": {"start": _FROM_BASELINE, "objective": "ranking"},  # what more epochs alone bring
    "entity_ce": {"start": _FROM_BASELINE, "objective": "entity"},
    "b3": {**_METRIC, "metric": "b_cubed", "beta_squared": 1.4, "like_original": True},
    "lea": {**_METRIC, "metric": "lea", "beta_squared": 1.8, "like_original": True},
    # ours
    "annealed": {**_METRIC, "metric": "lea", "beta_squared": 1.8, "temperature_end": 0.1},
    "conll": {**_METRIC, "metric": "conll"},
    "pairwise_b3": {**_METRIC, "metric": "b_cubed", "family": "pairwise"},
    "pairwise_lea": {**_METRIC, "metric": "lea", "family": "pairwise"},
    # Wiseman et al. 2015, in the version of 2016
    "anaphoricity2015": {**_WISEMAN, "objective": "anaphoricity", "epochs": 9},
    "antecedent2015": {
        **_WISEMAN, "objective": "antecedent_margin", "dropout": 0.5, "epochs": 20,
    },
    "margin2015": {
        **_WISEMAN,
        "start": _PRETRAINED_2015,
        "objective": "margin",
        "costs": (0.5, 1.2, 1.0),
        "output_learning_rate": 0.002,
        "dropout": 0.4,
        "epochs": 5,
        "keep": "best",
    },
    # Clark & Manning 2016, on this ranker
    "cm_heuristic": {
        "start": _PRETRAINED, "objective": "margin", "costs": (0.4, 0.8, 1.0), "margin": 3.0,
    },
    "cm_reinforce": {"start": _FROM_BASELINE, "objective": "reinforce"},
    "cm_rescale": {"start": _FROM_BASELINE, "objective": "rescale", "margin": 3.0},
}  # fmt: skip


def stage_chain(
    preset_or_file: str, settings: Mapping[str, Any], *, name: str | None = None
) -> list[Config]:
    """The stages to train for a preset or a TOML file, in order; the last is the one asked for.

    A file names the preset it changes (`preset = "lea"`) and any settings; tables name the stages before
    (`[baseline]`) or the switches of features (`[features]`).

    Args:
        preset_or_file: A name from `PRESETS`, or a TOML file.
        settings: What differs from it.
        name: Of the last stage; else the preset's or the file's.

    >>> [config.stage for config in stage_chain("lea", {"seed": "2", "baseline.epochs": "3"})]
    ['anaphoricity', 'antecedent', 'baseline', 'lea']
    """
    preset, stage, from_file = _open(preset_or_file)
    stage = name or stage
    settings = {**from_file, **settings}
    order = _order(preset)
    of_stage: dict[str, dict[str, Any]] = {stage_name: {} for stage_name in order}
    for key, value in settings.items():
        prefix, dot, rest = key.partition(".")
        if dot and prefix in of_stage:
            if is_everywhere(rest):
                raise CorelaxError(f"{key}: {rest} holds for all stages; set it without {prefix}.")
            of_stage[prefix][rest] = value
        elif dot and not is_everywhere(key):
            raise CorelaxError(
                f"{key}: {prefix} is no stage of {preset}, which has {', '.join(order)}"
            )
        elif is_everywhere(key):
            for changes in of_stage.values():
                changes.setdefault(key, value)
        else:
            of_stage[preset][key] = value
    chain = [Config(stage=one, **PRESETS[one]).changed(of_stage[one]) for one in order]
    for config in chain:
        for start in config.start:
            if start not in order[: order.index(config.stage)]:
                raise CorelaxError(f"{config.stage}.start: {start!r} is no stage before it")
    if stage != preset:
        chain[-1] = replace(chain[-1], stage=stage)
    return chain


def _open(preset_or_file: str) -> tuple[str, str, dict[str, Any]]:
    """(preset, name of the stage, settings)."""
    if preset_or_file in PRESETS:
        return preset_or_file, preset_or_file, {}
    path = Path(preset_or_file)
    if path.suffix != ".toml":
        near = difflib.get_close_matches(preset_or_file, PRESETS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(PRESETS)}"
        raise CorelaxError(f"unknown preset {preset_or_file!r}; {hint} (or give a .toml file)")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CorelaxError(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CorelaxError(f"{path}: {error}") from None
    preset = content.pop("preset", None)
    if not isinstance(preset, str) or preset not in PRESETS:
        raise CorelaxError(f'{path}: needs a line preset = "NAME", one of {", ".join(PRESETS)}')
    if path.stem in PRESETS and path.stem != preset:
        raise CorelaxError(f"{path}: {path.stem} is another stage; give the file another name")
    settings = {}
    for key, value in content.items():
        if isinstance(value, dict):
            settings.update({f"{key}.{name}": one for name, one in value.items()})
        else:
            settings[key] = value
    return preset, path.stem, settings


def _order(name: str) -> list[str]:
    """A preset with all it starts from, those first."""
    before = [stage for start in PRESETS[name].get("start", ()) for stage in _order(start)]
    return [*dict.fromkeys(before), name]
