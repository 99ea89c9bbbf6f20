"""corelax: coreference resolution trained on the metric you report.

Names are imported when they are first used, so that `import corelax` is free and scoring never
loads torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names
from corelax.core.version import VERSION as __version__

if TYPE_CHECKING:
    from corelax import decode, io, losses, metrics, rankers, relax, resolve
    from corelax.analysis import compare
    from corelax.core.errors import CorelaxError, FormatError
    from corelax.document import Clustering, Document, Span
    from corelax.io import read, stream, write
    from corelax.metrics import score
    from corelax.resolve import Resolution, Resolver, resolve_files
    from corelax.study import reproduce, sweep
    from corelax.train.api import train  # at run time the package, which can be called

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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "analysis": "compare",
        "core.errors": "CorelaxError FormatError",
        "document": "Clustering Document Span",
        "io": "read stream write",
        "metrics": "score",
        "resolve": "Resolution Resolver resolve_files",
        "study": "reproduce sweep",
        "decode": "",
        "losses": "",
        "rankers": "",
        "relax": "",
        "train": "",
    },
)
