"""The paper's ranker: mentions, sparse features, and a network over them.

Names are imported when they are first used: mentions and features do not load the network.
"""

from __future__ import annotations

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
    from corelax.rankers.sparse.features import (
        FEATURE_SETS,
        FeatureSettings,
        Vocabulary,
        feature_rows,
    )
    from corelax.rankers.sparse.network import SparseRanker


__all__ = [
    "FEATURE_SETS",
    "FeatureSettings",
    "SparseRanker",
    "Vocabulary",
    "feature_rows",
]
