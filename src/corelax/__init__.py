"""corelax: coreference resolution trained on the metric you report.

Names are imported when they are first used, so that `import corelax` is free and scoring never
loads torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_imports
from corelax.core.version import VERSION as __version__

with lazy_imports(__name__):
    from corelax import decode, io, losses, metrics, rankers, relax, resolve
    from corelax.analysis import compare
    from corelax.core.errors import CorelaxError, FormatError
    from corelax.document import Clustering, Document, Span
    from corelax.io import read, stream, write
    from corelax.metrics import score
    from corelax.resolve import Resolution, Resolver, resolve_files
    from corelax.study import reproduce, sweep

    if TYPE_CHECKING:
        from corelax.train.api import train
    else:  # the package, which can be called
        from corelax import train

__all__ = [
    "Clustering",
    "CorelaxError",
    "Document",
    "FormatError",
    "Resolution",
    "Resolver",
    "Span",
    "__version__",
    "compare",
    "decode",
    "io",
    "losses",
    "metrics",
    "rankers",
    "read",
    "relax",
    "reproduce",
    "resolve",
    "resolve_files",
    "score",
    "stream",
    "sweep",
    "train",
    "write",
]
