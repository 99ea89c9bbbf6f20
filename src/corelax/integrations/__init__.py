"""corelax inside other libraries. Each file here imports the library that it serves."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["spacy", "torchmetrics"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"corelax.integrations.{name}")
    raise AttributeError(f"module 'corelax.integrations' has no attribute {name!r}")
