"""Batches that are scored by turns: while a GPU computes on one, the caller prepares and decides on others.

GPU      encoder of batch k      links of batch k        encoder of batch k + 1
caller   decides on batch k − 1  prepares batch k + 1    decides on batch k
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from corelax.decode.scored import Scored
from corelax.rankers.encoder.items import Item
from corelax.rankers.encoder.model import ScoringModel, ScoringSteps

Batch = TypeVar("Batch")


def scored_by_turns(
    model: ScoringModel, batches: Iterable[tuple[Batch, Sequence[Item]]]
) -> Iterator[tuple[Batch, list[Scored]]]:
    """Each batch with the scores of its items; with a GPU one batch later, after which an error is raised.

    Args:
        model: Whose network computes.
        batches: Anything, and what the network reads of it; on a GPU gone through one batch ahead.
    """
    before: tuple[Batch, ScoringSteps] | None = None
    try:
        for batch, items in batches:
            steps = model.begin(items)
            if steps is None:
                yield batch, model.score(items)
                continue
            if before is not None:
                done, before = before, None
                yield done[0], done[1].results()
                del done  # its windows and scores
            steps.link()
            before = batch, steps
    except Exception:
        if before is not None:
            yield before[0], before[1].results()
        raise
    if before is not None:
        yield before[0], before[1].results()
