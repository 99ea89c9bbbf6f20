"""From antecedent scores to entities."""

from corelax.decode.decision import Decision
from corelax.decode.links import Pairs, best_entities, best_links

__all__ = ["Decision", "Pairs", "best_entities", "best_links"]
