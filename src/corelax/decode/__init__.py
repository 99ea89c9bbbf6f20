"""From antecedent scores to entities."""

from corelax.decode.constraints import Pairs
from corelax.decode.decision import Decision
from corelax.decode.links import best_antecedents, best_entities, best_links, entities_of_links

__all__ = [
    "Decision",
    "Pairs",
    "best_antecedents",
    "best_entities",
    "best_links",
    "entities_of_links",
]
