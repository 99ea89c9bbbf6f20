"""The paper's ranker: mentions, sparse features, and a network over them.

Names are imported when they are first used: mentions and features need no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corelax.rankers.sparse.features import (
        FEATURE_SETS,
        FeatureSettings,
        Vocabulary,
        feature_rows,
    )
    from corelax.rankers.sparse.network import SparseRanker
    from corelax.rankers.sparse.tensors import DocumentTensors

_HOME = {
    "DocumentTensors": "tensors",
    "FEATURE_SETS": "features",
    "FeatureSettings": "features",
    "SparseRanker": "network",
    "Vocabulary": "features",
    "feature_rows": "features",
}

__all__ = [
    "FEATURE_SETS",
    "DocumentTensors",
    "FeatureSettings",
    "SparseRanker",
    "Vocabulary",
    "feature_rows",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
