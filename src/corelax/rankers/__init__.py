"""Mention rankers: whatever gives `antecedent_scores`.

The adapters take the scores of any model. They, the paper's ranker (`sparse`) and the pretrained encoders
(`encoder`) are loaded when they are first asked for: detecting mentions needs no torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names

if TYPE_CHECKING:
    from corelax.rankers.adapt import from_pruned, from_square, to_pruned
    from corelax.rankers.sparse.network import SparseRanker

__all__ = ["SparseRanker", "from_pruned", "from_square", "to_pruned"]


__getattr__, __dir__ = lazy_names(
    __name__, {"adapt": "from_pruned from_square to_pruned", "sparse.network": "SparseRanker"}
)
