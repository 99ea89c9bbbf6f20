"""B³ (Bagga and Baldwin, 1998): for each mention, the share of its entity that is right."""

from __future__ import annotations

from corelax.metrics.counts import Counts
from corelax.metrics.metric import Metric, Repeats
from corelax.metrics.overlap import Overlap


def b_cubed(overlap: Overlap) -> Counts:
    """Each of the |K ∩ R| mentions of a cell finds |K ∩ R| right company, itself included.

        recall    = Σ_cells |K ∩ R|² / |K|  /  Σ_K |K|
        precision = Σ_cells |K ∩ R|² / |R|  /  Σ_R |R|

    Mentions that one side lacks count in that side's sizes and denominators, never in a cell.
    Singletons count like any entity.

    >>> from corelax.metrics import evaluate
    >>> evaluate(gold=[[1, 2, 3]], system=[[1, 2], [3]])["b_cubed"].recall  # (2/3 + 2/3 + 1/3) / 3
    0.5555555555555555
    """
    right_company = overlap.written * overlap.shared
    return Counts(
        overlap.total(overlap.share(right_company, overlap.gold_size)),
        overlap.gold.mentions,
        overlap.total(overlap.share(right_company, overlap.system_size)),
        overlap.system.mentions,
    )


B_CUBED = Metric(
    "b_cubed",
    "B³",
    b_cubed,
    linear=True,
    pairwise=True,
    repeats=(Repeats.RESPONSE_MENTIONS, Repeats.RESPONSE_MENTIONS),
)
