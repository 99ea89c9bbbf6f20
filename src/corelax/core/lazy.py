"""Packages whose names are imported when they are first used, so that importing is free."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, home: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package.

    Args:
        package: Its `__name__`.
        home: For each module, the names that come from there, with blanks between. Modules below the package
            have their names relative to it, and can be asked for themselves.

    >>> getattr_, dir_ = lazy_names("corelax", {"core.errors": "CorelaxError", "io": ""})
    >>> getattr_("CorelaxError").__name__, getattr_("io").__name__
    ('CorelaxError', 'corelax.io')
    """
    module_of = {name: module for module, names in home.items() for name in names.split()}
    modules = [module for module in home if "." not in module]

    def absolute(module: str) -> str:
        return module if module.startswith("corelax.") else f"{package}.{module}"

    def __getattr__(name: str) -> Any:
        if name in module_of:
            return getattr(import_module(absolute(module_of[name])), name)
        if name in modules:
            return import_module(absolute(name))
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[package]), *module_of, *modules})

    return __getattr__, __dir__
