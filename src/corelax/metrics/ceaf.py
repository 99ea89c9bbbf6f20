"""CEAF (Luo, 2005): entities are paired one to one, as well as possible, and compared."""

from __future__ import annotations

from corelax.metrics.counts import Counts
from corelax.metrics.metric import Metric, Repeats
from corelax.metrics.overlap import Overlap


def ceaf_m(overlap: Overlap) -> Counts:
    """Mention-based CEAF: the similarity of two entities is the number of mentions they share.

        Φ = max over one-to-one pairings of Σ |K ∩ R|       recall = Φ / Σ_K |K|      precision = Φ / Σ_R |R|

    >>> from corelax.metrics import evaluate
    >>> evaluate(gold=[[1, 2, 3]], system=[[1, 2], [3]])["ceaf_m"].recall
    0.6666666666666666
    """
    best = overlap.best_alignment(overlap.written)
    return Counts(best, overlap.gold.mentions, best, overlap.system.mentions)


def ceaf_e(overlap: Overlap) -> Counts:
    """Entity-based CEAF: the similarity is 2 |K ∩ R| / (|K| + |R|), and entities are what is counted.

        Φ = max over one-to-one pairings of Σ 2 |K ∩ R| / (|K| + |R|)
        recall = Φ / number of K            precision = Φ / number of R

    A singleton weighs as much as the largest entity.

    >>> from corelax.metrics import evaluate
    >>> evaluate(gold=[[1, 2, 3]], system=[[1, 2], [3]])["ceaf_e"].precision  # 2·2 / (3 + 2) / 2
    0.4
    """
    similarity = overlap.share(2 * overlap.written, overlap.gold_size + overlap.system_size)
    best = overlap.best_alignment(similarity)
    return Counts(best, overlap.gold.entities, best, overlap.system.entities)


_REPEATS = (Repeats.KEY_MENTIONS, Repeats.KEY_MENTIONS)

CEAF_M = Metric("ceaf_m", "CEAF-m", ceaf_m, linear=True, aligns=True, repeats=_REPEATS)
CEAF_E = Metric("ceaf_e", "CEAF-e", ceaf_e, linear=True, aligns=True, repeats=_REPEATS)
