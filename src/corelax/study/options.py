"""The options of a study and of a sweep, for Python and for the commands."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from corelax.core.device import Device
from corelax.core.errors import CorelaxError
from corelax.core.options import MOST_WORKERS, Option, check_options

SEEDS, QUICK_SEEDS = 5, 2
MOST_SEEDS = 10_000


def path_list(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """One or several paths as a list.

    >>> path_list("a.conll"), path_list([Path("b")])
    (['a.conll'], ['b'])
    """
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    return [os.fspath(path) for path in paths]


Settings = Annotated[Mapping[str, Any], "Settings of all runs that differ from the presets."]
Workers = Annotated[
    int | None,
    Option(
        min=1,
        max=MOST_WORKERS,
        help="Runs at a time, each in a process of its own; else one for each core, or 4 on a GPU.",
    ),
]
FormatOption = Annotated[str | None, "The format of the files; else by suffix, else by content."]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions:
    """Options of a study."""

    train: Annotated[
        list[str] | None,
        Option(
            check=path_list,
            help="Training documents: a file or a folder of files; repeat it for more.",
        ),
    ] = None
    dev: Annotated[
        list[str] | None,
        Option(
            check=path_list,
            help="Dev documents, in the same way; everything is chosen on them.",
        ),
    ] = None
    test: Annotated[
        str | None,
        Option(check=os.fspath, help="Test documents, predicted once when everything is chosen."),
    ] = None
    hold_out: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            help="Instead of --dev: N training documents, evenly spread, are dev.",
        ),
    ] = None
    quick: Annotated[
        bool, Option(help="The paper's four resolvers on synthetic documents: minutes.")
    ] = False
    rows: Annotated[
        tuple[str, ...],
        Option(
            "--row",
            metavar="ROW",
            help="Only this row of the tables beside the baseline (lea_beta, global2016, ...); repeat it.",
        ),
    ] = ()
    tune: Annotated[bool, Option(help="Tune learning rates on dev.")] = True
    seeds: Annotated[
        int | None,
        Option(
            min=1, max=MOST_SEEDS, help="Runs of each: seeds 1 to N; else 5, or 2 with --quick."
        ),
    ] = None
    folds: Annotated[
        int | None,
        Option(
            metavar="K",
            min=2,
            help="Cross-validation: documents of --train and --dev in K folds, each document tested once.",
        ),
    ] = None
    settings: Settings = field(default_factory=dict)
    vectors: Annotated[
        Path | None,
        Option(
            metavar="FOLDER",
            check=Path,
            help="Word vectors, for the systems that need them; else these are left out.",
        ),
    ] = None
    workers: Workers = None
    device: Device = "auto"
    minutes: Annotated[
        float | None,
        Option(
            min=0,
            help="Train nothing after M minutes; models that are there still predict test documents. 0 only "
            "writes the report.",
        ),
    ] = None
    examples: Annotated[int, Option(min=0, max=1000, help="Passages that the report shows.")] = 6
    title: Annotated[str | None, Option(help="Title of the report.")] = None
    command: Annotated[str, "The command that the report names as its origin."] = ""
    format: FormatOption = None

    def __post_init__(self) -> None:
        check_options(self)
        if self.quick and (self.train or self.dev or self.test or self.hold_out):
            raise CorelaxError("--quick makes its own documents; leave out the files")
        if self.quick and (not self.tune or self.vectors is not None):
            raise CorelaxError(
                "--quick has the paper's four resolvers, with its learning rates; leave out --no-tune "
                "and --vectors"
            )
        if self.folds is not None and (self.test or self.hold_out):
            raise CorelaxError("--folds tests every document once; leave out --test and --hold-out")
        if self.folds is not None and not self.quick and not self.train:
            raise CorelaxError("name documents with --train (and --dev), or try --quick")
        if self.vectors is not None and not self.vectors.exists():
            raise CorelaxError(f"{self.vectors}: no such file or folder of word vectors")

    @property
    def seed_numbers(self) -> Sequence[int]:
        """The seeds of every resolver."""
        return range(1, (self.seeds or (QUICK_SEEDS if self.quick else SEEDS)) + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOptions:
    """Options of a sweep."""

    train: Annotated[
        list[str],
        Option(
            check=path_list,
            help="Training documents: a file or a folder of files; repeat it for more.",
        ),
    ]
    dev: Annotated[
        list[str],
        Option(
            check=path_list,
            help="Dev documents, in the same way; settings are compared on them.",
        ),
    ]
    grid: Annotated[
        Mapping[str, Sequence[Any]], 'The values of each setting: `{"beta_squared": [1, 1.4]}`.'
    ] = field(default_factory=dict)
    config: Annotated[str, Option(help="A preset or a TOML file, as for train.")] = "lea"
    seeds: Annotated[
        int, Option(min=1, max=MOST_SEEDS, help="Runs of each combination: seeds 1 to N.")
    ] = 1
    settings: Settings = field(default_factory=dict)
    workers: Workers = None
    device: Device = "auto"
    minutes: Annotated[
        float | None,
        Option(min=0, help="Start no run after M minutes; runs that have started are finished."),
    ] = None
    format: FormatOption = None

    def __post_init__(self) -> None:
        check_options(self)
