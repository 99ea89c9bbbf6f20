"""From antecedent scores to entities.

`best_links` and `best_entities` take tensors and are imported when they are first used; the rest needs no
torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names
from corelax.decode.antecedents import best_antecedents, entities_of_links
from corelax.decode.constraints import Pairs
from corelax.decode.decided import Decided
from corelax.decode.decision import Antecedent, Decision
from corelax.decode.far_names import with_far_names
from corelax.decode.selection import are_bare, edged_with_markup, overlapping, without_overlaps
from corelax.english.claims import Claims, claims_of

if TYPE_CHECKING:
    from corelax.decode.links import best_entities, best_links

__all__ = [
    "Antecedent",
    "Claims",
    "Decided",
    "Decision",
    "Pairs",
    "are_bare",
    "best_antecedents",
    "best_entities",
    "best_links",
    "claims_of",
    "edged_with_markup",
    "entities_of_links",
    "overlapping",
    "with_far_names",
    "without_overlaps",
]

__getattr__, __dir__ = lazy_names(__name__, {"links": "best_entities best_links"})
