"""Modules that have moved: their old names work for one minor version, with a `DeprecationWarning`.

`docs/api.md` says how names are retired.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

# The longest beginning of a name counts, so that a package and one of its modules can go to different places.
# Importing `a.b` sets `b` on `a`: an old name must not be that of a function in the new package.
MOVED = {
    "corelax.checks": "corelax.core.checks",
    "corelax.clustering": "corelax.document.clustering",
    "corelax.errors": "corelax.core.errors",
    "corelax.experiments": "corelax.study",
    "corelax.experiments.significance": "corelax.analysis.significance",
    "corelax.features": "corelax.rankers.sparse.features",
    "corelax.io.files": "corelax.core.files",
    "corelax.mentions": "corelax.rankers.sparse.mentions",
    "corelax.mentions.names": "corelax.rankers.sparse.mentions.layers",
    "corelax.mentions.pronouns": "corelax.english.pronouns",
    "corelax.models": "corelax.resolve.models",
    "corelax.resolution": "corelax.resolve.resolution",
    "corelax.resolver": "corelax.resolve.resolver",
    "corelax.scoring": "corelax.metrics.scoring",
    "corelax.statistics": "corelax.document.statistics",
    "corelax.text_table": "corelax.core.text_table",
    "corelax.train.config": "corelax.train.sparse.config",
    "corelax.train.folder": "corelax.rankers.sparse.folder",
    "corelax.train.presets": "corelax.train.sparse.presets",
    "corelax.weights": "corelax.core.folders",
}


def new_name(name: str) -> str | None:
    """Where a module is now; None if it has not moved.

    >>> new_name("corelax.experiments.significance"), new_name("corelax.features.settings")
    ('corelax.analysis.significance', 'corelax.rankers.sparse.features.settings')
    >>> new_name("corelax.metrics") is None
    True
    """
    old = name
    while old and old not in MOVED:
        old = old.rpartition(".")[0]
    return MOVED[old] + name.removeprefix(old) if old else None


# The import system asks for methods, not for the classes of importlib.abc, which would load twenty modules.
class _Alias:
    """Gives the module under its new name to those who import the old one."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002
        module = import_module(self._name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import system has put that of the old name there


class _Finder:
    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        name = new_name(fullname)
        if name is None or find_spec(name) is None:
            return None
        warnings.warn(
            f"{fullname} is now {name}; the old name goes with the next minor version",
            DeprecationWarning,
            stacklevel=2,
        )
        return ModuleSpec(fullname, _Alias(name))  # type: ignore[arg-type]  # by its methods it is one


def install() -> None:
    """Makes the old names importable."""
    sys.meta_path.insert(0, _Finder())
