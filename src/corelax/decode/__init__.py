"""From scores to entities: the room where answers are decided.

Names are imported when they are first used: `best_links` and `best_entities` take tensors and need torch, the
rest does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names

if TYPE_CHECKING:
    from corelax.decode.antecedents import best_antecedents
    from corelax.decode.calibration import Calibration
    from corelax.decode.deciding import decide
    from corelax.decode.decisions import Antecedent, Decided, Decision
    from corelax.decode.links import best_entities, best_links
    from corelax.decode.options import ResolveOptions
    from corelax.decode.scored import Scored

__all__ = [
    "Antecedent",
    "Calibration",
    "Decided",
    "Decision",
    "ResolveOptions",
    "Scored",
    "best_antecedents",
    "best_entities",
    "best_links",
    "decide",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "antecedents": "best_antecedents",
        "calibration": "Calibration",
        "deciding": "decide",
        "decisions": "Antecedent Decided Decision",
        "links": "best_entities best_links",
        "options": "ResolveOptions",
        "scored": "Scored",
    },
)
