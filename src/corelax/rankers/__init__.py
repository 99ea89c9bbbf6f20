"""Mention rankers: whatever gives `antecedent_scores`."""

from corelax.rankers.adapt import from_pruned, from_square, to_pruned
from corelax.rankers.sparse.network import SparseRanker

__all__ = ["SparseRanker", "from_pruned", "from_square", "to_pruned"]
