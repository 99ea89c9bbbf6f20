"""From scores to entities: the room where answers are decided.

Names are imported when they are first used: `best_links` and `best_entities` take tensors and need torch, the
rest does not.
"""

from __future__ import annotations

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
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
