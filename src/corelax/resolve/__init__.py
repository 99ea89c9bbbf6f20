"""Raw text or documents in, entities out.

Names are imported when they are first used, since most of them need torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corelax.resolve.files import resolve_files
    from corelax.resolve.models import model_folder
    from corelax.resolve.predict import predict_documents, resolve_documents
    from corelax.resolve.resolution import (
        Resolution,
        ResolvedEntity,
        ResolvedMention,
        resolution_of,
    )
    from corelax.resolve.resolver import Resolver

_HOME = {
    "Resolution": "resolution",
    "ResolvedEntity": "resolution",
    "ResolvedMention": "resolution",
    "Resolver": "resolver",
    "model_folder": "models",
    "predict_documents": "predict",
    "resolution_of": "resolution",
    "resolve_documents": "predict",
    "resolve_files": "files",
}

__all__ = [
    "Resolution",
    "ResolvedEntity",
    "ResolvedMention",
    "Resolver",
    "model_folder",
    "predict_documents",
    "resolution_of",
    "resolve_documents",
    "resolve_files",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"corelax.resolve.{_HOME[name]}"), name)
    raise AttributeError(f"module 'corelax.resolve' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
