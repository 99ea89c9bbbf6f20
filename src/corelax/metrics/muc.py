"""MUC (Vilain et al., 1995): how many links must be added to rebuild one side from the other."""

from __future__ import annotations

from corelax.metrics.counts import Counts
from corelax.metrics.metric import Metric
from corelax.metrics.overlap import Overlap


def muc(overlap: Overlap) -> Counts:
    """A gold entity of g mentions that the system breaks into p parts keeps g − p of its g − 1 links.

        c = Σ_cells (|K ∩ R| − 1)        recall = c / Σ_K (|K| − 1)        precision = c / Σ_R (|R| − 1)

    Singletons have no links: MUC does not see them, and is 0 where nothing else exists.

    >>> from corelax.metrics import evaluate
    >>> evaluate(gold=[[1, 2, 3]], system=[[1, 2], [3]])["muc"].recall
    0.5
    """
    links = overlap.total(overlap.shared - overlap.nonempty)
    gold, system = overlap.gold, overlap.system
    return Counts(links, gold.mentions - gold.entities, links, system.mentions - system.entities)


MUC = Metric("muc", "MUC", muc)
