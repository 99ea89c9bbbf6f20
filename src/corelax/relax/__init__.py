"""Relaxations: from antecedent scores to soft entities, and to every metric of them.

Names are imported when they are first used: link probabilities need no metrics.
"""

from __future__ import annotations

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
    from corelax.relax.advice import ConventionWarning
    from corelax.relax.entities import entity_probs, sharpen
    from corelax.relax.evaluation import evaluate
    from corelax.relax.gold import Gold, GoldBatch, gold_tensors, padded_gold_tensors
    from corelax.relax.links import link_probs
    from corelax.relax.pair_overlap import PairOverlap
    from corelax.relax.pairs import coreference_probs
    from corelax.relax.relaxation import Relaxation
    from corelax.relax.soft_overlap import SoftOverlap
    from corelax.relax.written import Appearance, appearance


__all__ = [
    "Appearance",
    "ConventionWarning",
    "Gold",
    "GoldBatch",
    "PairOverlap",
    "Relaxation",
    "SoftOverlap",
    "appearance",
    "coreference_probs",
    "entity_probs",
    "evaluate",
    "gold_tensors",
    "link_probs",
    "padded_gold_tensors",
    "sharpen",
]
