"""corelax: coreference resolution trained on the metric you report.

Names are imported when they are first used, so that `import corelax` is free and scoring never
loads torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from corelax import _retired
from corelax.core.version import VERSION as __version__

if TYPE_CHECKING:
    from corelax import decode, io, losses, metrics, rankers, relax, train
    from corelax.core.errors import CorelaxError, FormatError
    from corelax.document import Clustering, Document, Span
    from corelax.io import read, stream, write
    from corelax.metrics.scoring import score
    from corelax.resolve.resolution import Resolution
    from corelax.resolve.resolver import Resolver


_HOME = {
    "Clustering": "corelax.document",
    "CorelaxError": "corelax.core.errors",
    "Document": "corelax.document",
    "FormatError": "corelax.core.errors",
    "Resolution": "corelax.resolve.resolution",
    "Resolver": "corelax.resolve.resolver",
    "Span": "corelax.document",
    "read": "corelax.io",
    "score": "corelax.metrics.scoring",
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
    "__version__",
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


_retired.install()
