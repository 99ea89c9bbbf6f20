"""The options of `corelax.train(...)` and of the command, each with its default and what it means."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from corelax.core.device import Device
from corelax.core.errors import CorelaxError
from corelax.core.options import Option, check_options
from corelax.core.settings import parse_settings
from corelax.train.configuration import SPARSE, Configuration
from corelax.train.files import path_names

DEFAULT, FINE_TUNING = "lea", "tune"


class ArgumentError(CorelaxError):
    """An argument of `train` that a configuration needs, or cannot use.

    Attributes:
        config: The configuration.
        argument: The name of the argument.
        needed: Whether it is missing; else it is useless.
    """

    def __init__(self, config: str, argument: str, *, needed: bool) -> None:
        self.config, self.argument, self.needed = config, argument, needed
        problem = f"needs {argument}" if needed else f"cannot use {argument}"
        super().__init__(f"config {config!r} {problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """The options of a training run; keyword arguments of `corelax.train` have the same names.

    From Python `train` and `dev` may be one path, and `settings` a mapping such as {"epochs": 3}.

    >>> TrainOptions(out="runs").config, TrainOptions(out="runs", start="small").config
    ('lea', 'tune')
    """

    out: Annotated[Path, Option(help="Folder; each stage becomes a model folder in it.")]
    train: Annotated[
        tuple[str, ...] | None,
        Option(
            help="Training documents: a file or a folder of files; repeat it for more.",
            check=path_names,
        ),
    ] = None
    dev: Annotated[
        tuple[str, ...] | None,
        Option(
            help="Dev documents, in the same way: the best epoch on them is kept.", check=path_names
        ),
    ] = None
    config: Annotated[
        str | None,
        Option(
            help="A preset of the paper's ranker (baseline, entity_ce, b3, lea, annealed, conll, "
            "pairwise_b3, pairwise_lea, margin2015, cm_heuristic, cm_reinforce, cm_rescale; anaphoricity, "
            "antecedent; margin2015_g2, global2016, deep_lea and more with other networks); own, an encoder "
            "ranker on your documents; tune, a trained one that goes on with them; small, base, "
            "models of ours; or a TOML file. Else lea, or tune with --start.",
            check=os.fspath,
        ),
    ] = None
    data: Annotated[Path | None, Option(help="Folder of the files that a configuration names.")] = (
        None
    )
    encoder: Annotated[
        str | None,
        Option(help="Pretrained encoder of an encoder ranker: folder or name.", check=os.fspath),
    ] = None
    start: Annotated[
        str | None,
        Option(
            help="Trained encoder ranker to go on with: folder, or installed model (small).",
            check=os.fspath,
        ),
    ] = None
    vectors: Annotated[
        str | None,
        Option(
            help="Word vectors that a deep ranker starts from: folder, or text file.",
            check=os.fspath,
        ),
    ] = None
    stages: Annotated[
        tuple[str, ...],
        Option("--stage", help="Only this stage, and what it needs; repeat it for more."),
    ] = ()
    settings: Annotated[
        tuple[str, ...],
        Option("--set", metavar="KEY=VALUE", help="Change a setting; repeat it for more."),
    ] = ()
    seed: Annotated[int | None, Option(help="Short for --set seed=N.")] = None
    device: Device = "auto"
    format: Annotated[str | None, "Format of the files; else by suffix, else by content."] = None
    resume: Annotated[bool, Option(help="Continue a run that was interrupted.")] = False
    int8: Annotated[
        bool, Option(help="Also write an encoder ranker in one byte a weight, to OUT/STAGE.int8.")
    ] = False
    log: Annotated[
        tuple[Literal["csv"], ...], Option(help="Also log epochs to OUT/STAGE/log.csv.")
    ] = ()

    def __post_init__(self) -> None:
        check_options(self)
        object.__setattr__(self, "out", Path(self.out))
        if self.config is None:
            object.__setattr__(self, "config", FINE_TUNING if self.start else DEFAULT)
        if self.out.exists() and not self.out.is_dir():
            raise CorelaxError(f"{self.out}: is a file; name a folder")

    @property
    def changes(self) -> dict[str, Any]:
        given: Any = self.settings or {}
        changes = dict(given if isinstance(given, Mapping) else parse_settings(given))
        return changes if self.seed is None else {**changes, "seed": self.seed}

    def check_for(self, config: Configuration) -> None:
        """An error if an argument is missing, or goes with another configuration only."""
        needed, useless = [], []
        names_files = any("train" in corpus for corpus in config.corpora.values())
        from_files = self.train is None and self.dev is None and names_files
        if from_files or (names_files and len(config.corpora) > 1):
            needed += ["data"]
            useless += ["train", "dev", "format"]
        else:
            needed += ["train", "dev"]
            useless += ["data"]
        if config.kind == SPARSE:
            useless += ["encoder", "start", "int8"]
            if not config.source.endswith(".toml"):
                useless += ["stage"]  # a preset is a stage itself
        elif self.start is not None:
            useless += ["encoder", "vectors"]
        else:
            needed += ["encoder"]
            useless += ["vectors"]
        for name in needed:
            if getattr(self, name) is None:
                raise ArgumentError(config.source, name, needed=True)
        for name in useless:
            if self.stages if name == "stage" else getattr(self, name):
                raise ArgumentError(config.source, name, needed=False)
