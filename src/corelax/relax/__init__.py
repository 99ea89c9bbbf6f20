"""Relaxations: from antecedent scores to soft entities, and to every metric of them."""

from corelax.relax.appearance import Appearance, appearance
from corelax.relax.entities import entity_probs
from corelax.relax.evaluate import evaluate
from corelax.relax.gold import Gold, gold_tensors
from corelax.relax.links import link_probs
from corelax.relax.pair_overlap import PairOverlap
from corelax.relax.pairs import coreference_probs
from corelax.relax.soft_overlap import SoftOverlap
from corelax.relax.temperature import sharpen

__all__ = [
    "Appearance",
    "Gold",
    "PairOverlap",
    "SoftOverlap",
    "appearance",
    "coreference_probs",
    "entity_probs",
    "evaluate",
    "gold_tensors",
    "link_probs",
    "sharpen",
]
