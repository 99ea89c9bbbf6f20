"""Chains of stages of the sparse ranker: a preset, or a stage of a file, with all that it starts from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.core.settings import check_key, read_value
from corelax.rankers.sparse.settings import DEEP, PRETRAINING
from corelax.train.configuration import (
    SPARSE,
    Configuration,
    check_name,
    order_stages,
    read_configuration,
)
from corelax.train.sparse.config import ABOVE, FEATURES, Config, is_everywhere

# The stages of presets/sparse.toml: each names only what differs from `Config`.
PRESETS: dict[str, dict[str, Any]] = {
    stage: {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    for stage, table in read_configuration(SPARSE).stages.items()
}


def stage_chain(
    config: str | os.PathLike[str] | Configuration,
    settings: Mapping[str, Any],
    *,
    name: str | None = None,
    stages: Sequence[str] = (),
) -> list[Config]:
    """The stages to train for a preset or a TOML file, in order; the last is the one asked for.

    Args:
        config: A name from `PRESETS`, a TOML file (see `corelax.train.configuration`), or what was read from
            it.
        settings: What differs from it. A key with a stage and a dot (`baseline.epochs`) is for that stage,
            one that all stages share for all, any other for the last.
        name: The name of the last stage; else that of the configuration.
        stages: The stages of a file to train, beside those that they need; else what the file says.

    >>> [config.stage for config in stage_chain("lea", {"seed": "2", "baseline.epochs": "3"})]
    ['anaphoricity', 'antecedent', 'baseline', 'lea']
    """
    if not isinstance(config, Configuration):
        config = read_configuration(config)
    if config.kind != SPARSE:
        raise CorelaxError(f"{config.source}: is for an {config.kind} ranker")
    with _naming_file(config):
        order, shared = _order(config, stages), _shared(config)
    given = _by_stage(order, settings)
    with _naming_file(config, when=not settings):  # else it may be a setting that is wrong
        chain = [
            _of_first_layers(
                Config(stage=stage).changed({**config.stages[stage], **shared, **given[stage]})
            )
            for stage in order
        ]
        _check_agreement(chain)
    for position, stage in enumerate(chain):
        for start in stage.start:
            if start not in order[:position]:
                raise CorelaxError(f"{stage.stage}.start: {start!r} is no stage before it")
    if name is not None:
        chain[-1] = replace(chain[-1], stage=name)
    return chain


@contextmanager
def _naming_file(config: Configuration, *, when: bool = True) -> Iterator[None]:
    """Errors name the file that a configuration comes from, if it comes from one."""
    try:
        yield
    except CorelaxError as error:
        if not (when and config.source.endswith(".toml")):
            raise
        raise CorelaxError(f"{config.source}: {error}") from None


def _order(config: Configuration, stages: Sequence[str]) -> list[str]:
    for stage in stages:
        check_name(stage, config.stages, "--stage")
    if not config.stages:
        raise CorelaxError("there are no stages")

    def needs(stage: str) -> list[str]:
        starts = read_value("start", config.stages[stage].get("start", ()), tuple[str, ...])
        return [check_name(start, config.stages, f"stage {stage}: start") for start in starts]

    return order_stages(stages or config.wanted or config.stages, needs)


def _by_stage(order: Sequence[str], settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    by_stage: dict[str, dict[str, Any]] = {stage: {} for stage in order}
    last = order[-1]
    for key, value in settings.items():
        prefix, dot, rest = key.partition(".")
        if dot and prefix in by_stage:
            if is_everywhere(rest):
                raise CorelaxError(f"{key}: {rest} holds for all stages; set it without {prefix}.")
            by_stage[prefix][rest] = value
        elif is_everywhere(key):
            for changes in by_stage.values():
                changes[key] = value
        elif dot:
            raise CorelaxError(
                f"{key}: {prefix} is no stage of {last}, which has {', '.join(order)}"
            )
        else:
            by_stage[last][key] = value
    return by_stage


def _shared(config: Configuration) -> dict[str, Any]:
    """The settings in `[ranker]`, and whether singletons count in the corpus: for all stages."""
    shared: dict[str, Any] = {}
    known = [setting.name for setting in fields(Config) if is_everywhere(setting.name)]
    for key, value in config.ranker.items():
        check_key(key, known)
        if key == "features" and isinstance(value, Mapping):
            shared.update({f"{FEATURES}{name}": switch for name, switch in value.items()})
        else:
            shared[key] = value
    for corpus in config.corpora.values():
        if "singletons" in corpus:
            shared.setdefault("singletons", corpus["singletons"])
    return shared


def _of_first_layers(config: Config) -> Config:
    """A stage that pretrains first layers does so for the local ranker: other networks take them as well."""
    if config.objective not in PRETRAINING:
        return config
    plain = Config(stage=config.stage)
    return replace(config, **{name: getattr(plain, name) for name in ABOVE})


def _check_agreement(chain: Sequence[Config]) -> None:
    """An error if stages differ in a setting that all of them share."""
    objectives = {stage.stage: stage.objective for stage in chain}
    for stage in chain:
        for start in stage.start:
            if stage.network == DEEP and objectives.get(start) in PRETRAINING:
                raise CorelaxError(
                    f"{stage.stage}: a deep ranker cannot start from {start}; try deep_top_pairs"
                )
    for setting in fields(Config):
        if is_everywhere(setting.name):
            for stage in chain:
                if setting.name in ABOVE and stage.objective in PRETRAINING:
                    continue
                if getattr(stage, setting.name) != getattr(chain[-1], setting.name):
                    raise CorelaxError(
                        f"{stage.stage}: {setting.name} holds for all stages; set it in [ranker]"
                    )
