"""Packages whose names are imported when they are first used, so that importing is free."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
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


_one_at_a_time = Lock()  # packages may be imported in several threads


@contextmanager
def lazy_imports(package: str) -> Iterator[None]:
    """Names that a package imports inside the block are imported when they are first used.

    `from module import name` only notes where the name is. The modules of the package can be asked for, too.
    """
    names = vars(sys.modules[package])
    home: dict[str, str] = {}  # of each name

    def note(
        module: str, frame: Any = None, local: Any = None, wanted: Any = (), *rest: Any
    ) -> Any:
        if frame is not names:  # of another thread
            return before(module, frame, local, wanted, *rest)
        home.update(dict.fromkeys(wanted, module))
        return _Anything()

    with _one_at_a_time:
        before, builtins.__import__ = builtins.__import__, note  # type: ignore[assignment]
        try:
            yield
        finally:
            builtins.__import__ = before
    for name in home:
        del names[name]

    def __getattr__(name: str) -> Any:
        module = home.get(name, package)
        is_module = module == package
        if is_module and (name.startswith("_") or not find_spec(f"{package}.{name}")):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            if is_module:
                return import_module(f"{package}.{name}")
            names[name] = getattr(import_module(module), name)
        except ModuleNotFoundError as error:
            if (advice := missing_extra(error)) is None:
                raise
            raise ImportError(f"{module}: {advice}") from None
        return names[name]

    names["__getattr__"] = __getattr__
    names["__dir__"] = lambda: sorted({*names, *home})


class _Anything:
    """A module of which every name can be imported."""

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)
