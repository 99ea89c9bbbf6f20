"""Mention rankers: whatever gives `antecedent_scores`.

The adapters take the scores of any model. They, the paper's ranker (`sparse`) and the pretrained encoders
(`encoder`) are loaded when they are first asked for: detecting mentions needs no torch.
"""

from __future__ import annotations

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
    from corelax.rankers.adapt import from_pruned, from_square, to_pruned
    from corelax.rankers.sparse.network import SparseRanker

__all__ = ["SparseRanker", "from_pruned", "from_square", "to_pruned"]
