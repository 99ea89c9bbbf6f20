"""Packages whose names are imported when they are first used, so that importing is free."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from corelax.core.errors import MissingLibraryError

# What is not installed with corelax itself, and the extra that brings it.
EXTRAS = {
    "torch": "torch",
    "scipy": "torch",
    "transformers": "encoders",
    "onnxruntime": "resolve",
    "tokenizers": "resolve",
    "onnx": "export",
    "onnxscript": "export",
    "spacy": "spacy",
    "starlette": "serve",
    "uvicorn": "serve",
    "matplotlib": "plots",
    "torchmetrics": "torchmetrics",
    "ray": "ray",
    "fsspec": "ray",
    "pyarrow": "parquet",
    "huggingface_hub": "hub",
    "datasets": "datasets",
    "pandas": "pandas",
    "tensorboard": "tensorboard",
    "wandb": "wandb",
}


def missing_extra(error: ModuleNotFoundError) -> str | None:
    """What to install if a library of an extra is missing; None if it is something else.

    >>> missing_extra(ModuleNotFoundError(name="torch"))
    "torch is not installed; pip install 'corelax[torch]'"
    """
    library = (error.name or "").partition(".")[0]
    if library not in EXTRAS:
        return None
    return _advice(library, EXTRAS[library])


def require(extra: str, *libraries: str) -> None:
    """Raises an error that names the extra unless all of the libraries are installed.

    >>> require("resolve", "numpy")
    >>> require("resolve", "numpy", "no_such_library")
    Traceback (most recent call last):
        ...
    corelax.core.errors.MissingLibraryError: no_such_library is not installed; pip install 'corelax[resolve]'
    """
    for library in libraries:
        if find_spec(library) is None:
            raise MissingLibraryError(_advice(library, extra))


def _advice(library: str, extra: str) -> str:
    return f"{library} is not installed; pip install 'corelax[{extra}]'"


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

    def imported(module: str) -> Any:
        try:
            return import_module(absolute(module))
        except ModuleNotFoundError as error:
            if (advice := missing_extra(error)) is None:
                raise
            raise ImportError(f"{absolute(module)}: {advice}") from None

    def __getattr__(name: str) -> Any:
        if name in module_of:
            value = getattr(imported(module_of[name]), name)
            setattr(sys.modules[package], name, value)  # it is asked for once
            return value
        if name in modules:
            return imported(name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[package]), *module_of, *modules})

    return __getattr__, __dir__
