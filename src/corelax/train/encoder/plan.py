"""A recipe in a TOML file: corpora, sizes of the ranker, stages."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.core.settings import check_key, read_value
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.train.encoder.config import EncoderConfig, corpus_and_times
from corelax.train.encoder.corpora import TrainingCorpus

RECIPES = Path(__file__).parent / "recipes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What is trained on what, in which order.

    Attributes:
        ranker: Sizes and limits.
        corpora: By name.
        stages: By name, each after those that it starts from.
    """

    ranker: EncoderSettings = field(default_factory=EncoderSettings)
    corpora: Mapping[str, TrainingCorpus] = field(default_factory=dict)
    stages: Mapping[str, EncoderConfig] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.stages:
            raise CorelaxError("there are no stages")
        for corpus in self.corpora.values():
            check_choice(f"corpus {corpus.name}: scheme", corpus.scheme, self.ranker.schemes)
        self.order()

    def order(self, stages: Sequence[str] = ()) -> list[str]:
        """The stages to train, those that others need before them.

        Args:
            stages: What is wanted; all if none is named.

        >>> read_recipe("small").order(["taught"])
        ['silver', 'teacher', 'taught']
        """
        done: list[str] = []
        for name in stages or self.stages:
            self._add(_known(name, self.stages, "--stage"), done, ())
        return done

    def _add(self, name: str, done: list[str], waiting: tuple[str, ...]) -> None:
        """Adds a stage after those that it needs."""
        if name in waiting:
            circle = " needs ".join([*waiting[waiting.index(name) :], name])
            raise CorelaxError(f"stages need each other: {circle}")
        if name in done:
            return
        config = self.stages[name]
        before = [_known(start, self.stages, f"stage {name}: start") for start in config.start]
        for corpus in self.corpora_of(name):
            if corpus.teacher:
                what = f"corpus {corpus.name}: teacher"
                before.append(_known(corpus.teacher, self.stages, what))
        for other in before:
            self._add(other, done, (*waiting, name))
        done.append(name)

    def corpora_of(self, stage: str) -> list[TrainingCorpus]:
        """What a stage learns from."""
        names = [corpus_and_times(name)[0] for name in self.stages[stage].corpora]
        if not names:
            raise CorelaxError(f"stage {stage}: corpora must name at least one corpus")
        return [self.corpora[_known(n, self.corpora, f"stage {stage}: corpora")] for n in names]


def read_recipe(name_or_file: str | os.PathLike[str]) -> Recipe:
    """A recipe of the package by its name, or one from a TOML file.

    >>> list(read_recipe("small").stages)[-1]
    'metric'
    """
    path = Path(name_or_file)
    if path.suffix != ".toml":
        path = RECIPES / f"{name_or_file}.toml"
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CorelaxError(
            f"{name_or_file}: no such recipe; there is small, or name a .toml file"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise CorelaxError(f"{path}: {error}") from None
    try:
        for key in content:
            check_key(key, ["ranker", "corpora", "stages"])
        return Recipe(
            ranker=EncoderSettings(**read_settings("ranker", content, EncoderSettings)),
            corpora={
                name: TrainingCorpus(
                    name=name, **read_settings(name, _table("corpora", content), TrainingCorpus)
                )
                for name in _table("corpora", content)
            },
            stages={
                name: EncoderConfig(
                    stage=name, **read_settings(name, _table("stages", content), EncoderConfig)
                )
                for name in _table("stages", content)
            },
        )
    except CorelaxError as error:
        raise CorelaxError(f"{path}: {error}") from None


def read_settings(name: str, content: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """The settings in a table of TOML, or given as text, as fields take them; unknown names are errors.

    >>> read_settings("ranker", {"ranker": {"window": "128"}}, EncoderSettings)
    {'window': 128}
    """
    types = get_type_hints(kind)
    known = [f.name for f in fields(kind) if f.name not in ("stage", "name")]
    found = {}
    try:
        for key, value in _table(name, content).items():
            check_key(key, known)
            found[key] = read_value(key, value, types[key])
    except CorelaxError as error:
        raise CorelaxError(f"{name}: {error}") from None
    return found


def _table(name: str, content: Mapping[str, Any]) -> Mapping[str, Any]:
    table = content.get(name, {})
    if not isinstance(table, Mapping):
        raise CorelaxError(f"{name} must be a table, not {table!r}")
    return table


def _known(name: str, there: Mapping[str, Any], what: str) -> str:
    """A name that is there, or an error with a hint."""
    if name not in there:
        near = difflib.get_close_matches(name, there, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(there)}"
        raise CorelaxError(f"{what}: there is no {name!r}; {hint}")
    return name
