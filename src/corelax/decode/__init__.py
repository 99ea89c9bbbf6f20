"""From antecedent scores to entities."""

from corelax.decode.claims import Claims, claims_of
from corelax.decode.constraints import Pairs
from corelax.decode.decision import Antecedent, Decision
from corelax.decode.links import best_antecedents, best_entities, best_links, entities_of_links
from corelax.decode.selection import edged_with_markup, is_bare, without_overlaps

__all__ = [
    "Antecedent",
    "Claims",
    "Decision",
    "Pairs",
    "best_antecedents",
    "best_entities",
    "best_links",
    "claims_of",
    "edged_with_markup",
    "entities_of_links",
    "is_bare",
    "without_overlaps",
]
