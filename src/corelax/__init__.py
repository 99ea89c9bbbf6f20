"""corelax: coreference resolution trained on the metric you report.

Names are imported when they are first used, so that `import corelax` is free and scoring never
loads torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corelax import decode, io, losses, metrics, rankers, relax, train
    from corelax.clustering import Clustering
    from corelax.document import Document, Span
    from corelax.errors import CorelaxError, FormatError
    from corelax.io import read, stream, write
    from corelax.resolution import Resolution
    from corelax.resolver import Resolver
    from corelax.scoring import score

__version__ = "0.1.0.dev0"

_HOME = {
    "Clustering": "corelax.clustering",
    "CorelaxError": "corelax.errors",
    "Document": "corelax.document",
    "FormatError": "corelax.errors",
    "Resolution": "corelax.resolution",
    "Resolver": "corelax.resolver",
    "Span": "corelax.document",
    "read": "corelax.io",
    "score": "corelax.scoring",
    "stream": "corelax.io",
    "write": "corelax.io",
}

__all__ = [
    "Clustering",
    "CorelaxError",
    "Document",
    "FormatError",
    "Resolution",
    "Resolver",
    "Span",
    "decode",
    "io",
    "losses",
    "metrics",
    "rankers",
    "read",
    "relax",
    "score",
    "stream",
    "train",
    "write",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in __all__:
        return import_module(f"corelax.{name}")
    raise AttributeError(f"module 'corelax' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
