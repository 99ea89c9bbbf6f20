"""Counting documents by the rules of a run: which tally, and the scores that need the nodes of mentions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corelax.metrics.counts import Counts, EitherSideLinkCounts, LinkCounts
from corelax.metrics.metric import AnyCounts
from corelax.metrics.prepared import Prepared
from corelax.metrics.registry import SUPPLEMENTS
from corelax.metrics.rules import Rules
from corelax.metrics.tally import Tally

if TYPE_CHECKING:
    from corelax.metrics.last_entity import LastEntityTally


class Counting:
    """Counts documents by the rules of a run."""

    def __init__(self, metrics: Sequence[str], rules: Rules) -> None:
        self._metrics = metrics
        self._supplements = {name: Counts() for name in metrics if name in SUPPLEMENTS}
        of_entities = [name for name in metrics if name not in SUPPLEMENTS]
        self._tally: Tally | LastEntityTally
        if rules.profile == "corefud" or rules.like_coval:
            from corelax.metrics.last_entity import LastEntityTally

            links = EitherSideLinkCounts if rules.profile == "corefud" else LinkCounts
            self._tally = LastEntityTally(of_entities, links=links)
        else:
            self._tally = Tally(of_entities, like_reference=rules.profile == "reference")

    def add(self, document: Prepared) -> None:
        """Adds a document."""
        if isinstance(self._tally, Tally):
            self._tally.add(gold=document.gold, system=document.system)
        else:
            self._tally.add(gold=document.gold, system=document.system, images=document.images)
        for name, counts in document.supplements.items():
            self._supplements[name] += counts

    def counts(self) -> dict[str, AnyCounts]:
        """The counts of all documents added so far."""
        counts = {**self._tally.counts(), **self._supplements}
        return {name: counts[name] for name in self._metrics}

    @property
    def removed(self) -> int:
        """Repeated system mentions that the rules of the reference scorer took out."""
        return self._tally.removed if isinstance(self._tally, Tally) else 0
