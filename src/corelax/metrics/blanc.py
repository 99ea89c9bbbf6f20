"""BLANC (Recasens and Hovy, 2011; Luo et al., 2014): links inside entities and links between them."""

from __future__ import annotations

from corelax.metrics.counts import Counts, LinkCounts
from corelax.metrics.metric import Metric, Repeats
from corelax.metrics.overlap import Overlap


def blanc(overlap: Overlap) -> LinkCounts:
    """Every pair of mentions of a document is a coreference link or a non-coreference link.

        inside:   recall |C_k ∩ C_r| / |C_k|     precision |C_k ∩ C_r| / |C_r|
        between:  recall |N_k ∩ N_r| / |N_k|     precision |N_k ∩ N_r| / |N_r|

    The score is the mean of the two kinds (`LinkCounts`). A link with a mention that one side lacks
    belongs to the other side alone. A lone mention has no link: even when found it scores 0.

    >>> from corelax.metrics import evaluate
    >>> evaluate(gold=[[1, 2], [3]], system=[[1, 2], [3]])["blanc"].f1
    1.0
    """
    shared = overlap.total(overlap.links)
    gold_links, system_links = (
        overlap.total(overlap.gold.links),
        overlap.total(overlap.system.links),
    )
    gold, system = overlap.gold, overlap.system
    return LinkCounts(
        inside=Counts(shared, gold_links, shared, system_links),
        between=Counts(overlap.between, gold.between, overlap.between, system.between),
    )


BLANC = Metric(
    "blanc",
    "BLANC",
    blanc,
    counts=LinkCounts,
    pairwise=True,
    repeats=(Repeats.SETS_OF_LINKS, Repeats.SETS_OF_LINKS),
)
