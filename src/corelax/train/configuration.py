"""What is trained on what, as a TOML file: one schema for both rankers.

    extends = "lea"              # optional: a shipped configuration; this file holds what differs

    [ranker]
    kind = "sparse"              # or "encoder"
    hidden_pair = 100            # sizes and limits, which hold for all stages

    [corpora.NAME]
    train = ["train.conll"]      # below the folder of --data; or give --train and --dev
    dev = ["dev.conll"]

    [stages.NAME]
    like = "lea"                 # optional: a stage whose settings are taken, before those below
    start = ["baseline"]
    epochs = 5

The package has `own`, `tune`, `small` and `base` (encoder rankers), and every stage of
`presets/sparse.toml` by its name. A file that extends another one trains the stages that it names, and those
that they need; any other file trains all of its stages.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from corelax.core.checks import check_below, check_choice
from corelax.core.errors import CorelaxError
from corelax.core.files import TOO_DEEP, read_bytes
from corelax.core.settings import check_key, suggestion

PRESETS_FOLDER = Path(__file__).parent / "presets"
SPARSE, ENCODER = "sparse", "encoder"
OWN, TUNE, SMALL, BASE = "own", "tune", "small", "base"
TABLES = ("ranker", "corpora", "stages")
FILES = ("train", "dev", "markables", "documents")  # settings of a corpus that name files
Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The tables of a file, those of the file that it extends included; values are not checked yet.

    Attributes:
        source: Its name or its file, for messages.
        kind: "sparse" or "encoder".
        ranker: Settings of the ranker, without `kind`.
        corpora: Settings of each corpus.
        stages: Settings of each stage.
        wanted: The stages to train, beside those that they need; all if empty.
    """

    source: str
    kind: str
    ranker: Table = field(default_factory=dict)
    corpora: Mapping[str, Table] = field(default_factory=dict)
    stages: Mapping[str, Table] = field(default_factory=dict)
    wanted: tuple[str, ...] = ()


def read_configuration(name_or_file: str | os.PathLike[str]) -> Configuration:
    """A configuration of the package by its name, or one from a TOML file.

    >>> read_configuration("lea").wanted, read_configuration("small").kind
    (('lea',), 'encoder')
    """
    name = os.fspath(name_or_file)
    if name in (OWN, TUNE, SMALL, BASE, SPARSE):
        return _shipped(name)
    path = Path(name)
    if path.suffix == ".toml":
        content = _tables(path)
        try:
            return _from_tables(str(path), content)
        except CorelaxError as error:
            raise CorelaxError(f"{path}: {error}") from None
    shipped = read_configuration(SPARSE)
    if name not in shipped.stages:
        hint = suggestion(name, [*shipped.stages, OWN, TUNE, SMALL, BASE])
        raise CorelaxError(f"{name}: no such configuration; {hint} (or name a .toml file)")
    return replace(shipped, source=name, wanted=(name,))


@cache  # a study asks for the same file hundreds of times
def _shipped(name: str) -> Configuration:
    return _from_tables(name, _tables(PRESETS_FOLDER / f"{name}.toml"))


def order_stages(wanted: Iterable[str], needs: Callable[[str], Sequence[str]]) -> list[str]:
    """Stages in an order in which each comes after those that it needs.

    >>> order_stages(["lea", "b3"], {"lea": ["baseline"], "b3": ["baseline"], "baseline": []}.__getitem__)
    ['baseline', 'lea', 'b3']
    """
    order: list[str] = []

    def add(name: str, waiting: tuple[str, ...]) -> None:
        if name in waiting:
            circle = " needs ".join([*waiting[waiting.index(name) :], name])
            raise CorelaxError(f"stages need each other: {circle}")
        if name not in order:
            for other in needs(name):
                add(other, (*waiting, name))
            order.append(name)

    for name in wanted:
        add(name, ())
    return order


def check_name(name: str, names: Iterable[str], place: str) -> str:
    """A name that exists, or an error with a hint.

    >>> check_name("frist", ["first", "second"], "--stage")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: --stage: there is no 'frist'; did you mean 'first'?
    """
    names = list(names)
    if name not in names:
        raise CorelaxError(f"{place}: there is no {name!r}; {suggestion(name, names)}")
    return name


def _from_tables(source: str, content: Table) -> Configuration:
    for key in content:
        check_key(key, ["extends", *TABLES])
    ranker = dict(_table("ranker", content))
    corpora, stages = (
        {name: _table(name, _table(key, content)) for name in _table(key, content)}
        for key in ("corpora", "stages")
    )
    for name, corpus in corpora.items():
        _check_files(f"corpus {name}", corpus)
    if "extends" not in content:
        kind = check_choice("ranker: kind", ranker.pop("kind", ENCODER), (SPARSE, ENCODER))
        return Configuration(
            source=source, kind=kind, ranker=ranker, corpora=corpora, stages=_alike(stages, {})
        )
    if not isinstance(content["extends"], str):
        raise CorelaxError(f"extends must be a name, not {content['extends']!r}")
    base = read_configuration(content["extends"])
    if ranker.pop("kind", base.kind) != base.kind:
        raise CorelaxError(f"ranker: kind must be {base.kind!r} as in {base.source}")
    features = {**_table("features", base.ranker), **_table("features", ranker)}
    return replace(
        base,
        source=source,
        ranker={**base.ranker, **ranker, **({"features": features} if features else {})},
        corpora=_merged(base.corpora, corpora),
        stages=_alike(stages, base.stages),
        wanted=tuple(stages) or base.wanted,
    )


def _check_files(corpus: str, settings: Table) -> None:
    """An error if a file of a corpus is not below the folder of --data."""
    for key in FILES:
        given = settings.get(key, ())
        for file in (
            (given,) if isinstance(given, str) else given if isinstance(given, list) else ()
        ):
            check_below(f"{corpus}: {key}", str(file), "--data")


def _alike(stages: Mapping[str, Table], base: Mapping[str, Table]) -> dict[str, Table]:
    """Stages with the settings of the stages that they are `like`, or of the same name in the base."""
    made: dict[str, Table] = dict(base)
    for name, settings in stages.items():
        own = dict(settings)
        like = own.pop("like", None)
        if like is not None:
            check_name(str(like), made, f"stage {name}: like")
        made[name] = {**made.get(str(like) if like is not None else name, {}), **own}
    return made


def _merged(base: Mapping[str, Table], new: Mapping[str, Table]) -> dict[str, Table]:
    return {**base, **{name: {**base.get(name, {}), **table} for name, table in new.items()}}


def _tables(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_bytes(path).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CorelaxError(f"{path}: {error}") from None
    except RecursionError:
        raise CorelaxError(f"{path}: {TOO_DEEP}") from None


def _table(name: str, content: Table) -> Mapping[str, Any]:
    table = content.get(name, {})
    if not isinstance(table, Mapping):
        raise CorelaxError(f"{name} must be a table, not {table!r}")
    return table
