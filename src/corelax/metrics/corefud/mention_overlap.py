"""MOR, mention overlap ratio: how many nodes of mentions are covered, whatever their entities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from corelax.metrics.alignment import best_pairing
from corelax.metrics.counts import Counts
from corelax.metrics.matching.candidates import check_pairs
from corelax.metrics.matching.mention import Mention


def mention_overlap(gold: Sequence[Mention], system: Sequence[Mention]) -> Counts:
    """Mentions are paired one to one so that they share as many nodes as possible.

        recall = shared nodes / nodes of gold mentions    precision = shared nodes / nodes of system mentions

    A mention of two entities is there twice. Heads play no part.

    >>> gold = [Mention(((0, 3),)), Mention(((5, 6),))]
    >>> mention_overlap(gold, [Mention(((1, 3),)), Mention(((2, 6),))]).scores()
    Score(recall=0.75, precision=0.5, f1=0.6)
    """
    cells: list[tuple[int, int, int]] = []
    for cell in _overlapping(gold, system):
        cells.append(cell)
        check_pairs(len(cells))
    shared = 0
    if cells:
        rows, columns, weights = map(np.array, zip(*cells, strict=True))
        shared = int(weights[best_pairing(rows, columns, weights)].sum())
    sizes = (sum(mention.size for mention in side) for side in (gold, system))
    gold_size, system_size = sizes
    return Counts(shared, gold_size, shared, system_size)


def _overlapping(
    gold: Sequence[Mention], system: Sequence[Mention]
) -> Iterator[tuple[int, int, int]]:
    """(gold mention, system mention, nodes in common) of all that overlap, from left to right."""
    sides = (gold, system)
    starts = [(m.start, side, i) for side in (0, 1) for i, m in enumerate(sides[side])]
    around: tuple[list[int], list[int]] = ([], [])  # mentions that began before and may go on
    for start, side, i in sorted(starts):
        other = 1 - side
        around[other][:] = [j for j in around[other] if sides[other][j].end > start]
        around[side].append(i)
        mention = sides[side][i]
        for j in around[other]:
            if shared := mention.common(sides[other][j]):
                yield (i, j, shared) if side == 0 else (j, i, shared)
