"""LEA (Moosavi and Strube, 2016): entities weighted by size, resolved by their links."""

from __future__ import annotations

from corelax.metrics.counts import Counts
from corelax.metrics.metric import Metric, Repeats
from corelax.metrics.overlap import Overlap


def lea(overlap: Overlap) -> Counts:
    """An entity counts as much as it has mentions and is resolved to the share of its links found.

        recall = Σ_K |K| · (Σ_R link(K ∩ R) / link(K))  /  Σ_K |K|,       link(x) = x (x − 1) / 2

    and precision the same with the sides exchanged. A singleton has one link, to itself: it is
    resolved by a singleton of the same mention and by nothing else (the LEA branch of the reference
    scorer and coval agree; some training programs skip singletons, which is another number).

    >>> from corelax.metrics import evaluate
    >>> evaluate(gold=[[1, 2, 3]], system=[[1, 2], [3]])["lea"].recall  # one link of three
    0.3333333333333333
    """
    gold, system = overlap.gold, overlap.system
    resolved_gold = overlap.share(overlap.by_gold(overlap.links), gold.links)
    resolved_system = overlap.share(overlap.by_system(overlap.links), system.links)
    return Counts(
        overlap.total(gold.linked_size * resolved_gold) + overlap.alone_on_both,
        gold.mentions,
        overlap.total(system.linked_size * resolved_system) + overlap.alone_on_both,
        system.mentions,
    )


LEA = Metric("lea", "LEA", lea, pairwise=True, repeats=(Repeats.KEY_MENTIONS, Repeats.LAST_ENTITY))
