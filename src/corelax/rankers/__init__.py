"""Mention rankers: whatever gives `antecedent_scores`."""

from corelax.rankers.adapt import from_pruned, from_square, to_pruned

__all__ = ["from_pruned", "from_square", "to_pruned"]
