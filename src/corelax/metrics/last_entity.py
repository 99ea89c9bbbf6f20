"""Counting where a mention may be in several entities, as coval and the CorefUD scorer count it.

A mention counts in the size of each of its entities; it is found in the *last* entity of the other side
that has it. (The reference scorer takes the first one and has rules of its own: `repeated_mentions.py`.)
Recall goes over the gold mentions, precision over the system's, so that each has an overlap of its own.
The formulas are those of the metrics.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from corelax.metrics.counted import OverlapCounter
from corelax.metrics.counts import LinkCounts
from corelax.metrics.metric import AnyCounts, Repeats
from corelax.metrics.tally import BATCH_MENTIONS, Tally

if TYPE_CHECKING:
    from corelax.metrics.convention import Prepared

M = TypeVar("M", bound=Hashable)

NO_IMAGES: Mapping[Hashable, Hashable] = MappingProxyType({})


class LastEntityTally(Tally):
    """Adds up documents in which mentions may be repeated.

    >>> tally = LastEntityTally(["b_cubed"])
    >>> tally.add(gold=["ab", "bc"], system=["ab", "c"])  # b is found in "bc" alone
    >>> tally.counts()["b_cubed"].precision_num  # 1/2 of a, 1/2 of b, c
    2.0
    """

    def __init__(
        self,
        metrics: Iterable[str],
        *,
        links: type[LinkCounts] = LinkCounts,
        supplements: bool = False,
    ) -> None:
        super().__init__(metrics, supplements=supplements)
        self._kinds = {m.name: links if m.counts is LinkCounts else m.counts for m in self._metrics}
        self._counts |= {name: kind() for name, kind in self._kinds.items()}
        self._new_batch()

    def _new_batch(self) -> None:
        self._recall, self._precision = OverlapCounter(), OverlapCounter()
        self._members = OverlapCounter()  # gold mentions in every system entity that has them
        self._distinct = OverlapCounter(), OverlapCounter()  # each mention once

    def add_prepared(self, document: Prepared) -> None:
        self.add(gold=document.gold, system=document.system, images=document.images)
        self.add_counts(document.supplements)

    def add(
        self,
        *,
        gold: Iterable[Sequence[M]],
        system: Iterable[Sequence[M]],
        images: Mapping[M, M] = NO_IMAGES,  # type: ignore[assignment]
    ) -> None:
        gold, system = [c for c in gold if c], [c for c in system if c]
        sizes = [len(c) for c in gold], [len(c) for c in system]
        gold_of = {m: k for k, cluster in enumerate(gold) for m in cluster}
        system_of = {m: r for r, cluster in enumerate(system) for m in cluster}
        entities_of: defaultdict[M, list[int]] = defaultdict(list)
        for entity, cluster in enumerate(system):
            for mention in dict.fromkeys(cluster):
                entities_of[mention].append(entity)
        seen = [
            (k, image)
            for k, cluster in enumerate(gold)
            for m in cluster
            if (image := images.get(m, m)) in system_of
        ]
        self._recall.add_matched(*sizes, [(k, system_of[image]) for k, image in seen])
        self._members.add_matched(*sizes, [(k, r) for k, image in seen for r in entities_of[image]])
        found = [
            (gold_of[image], r)
            for r, cluster in enumerate(system)
            for m in cluster
            if (image := images.get(m, m)) in gold_of
        ]
        self._precision.add_matched(*sizes, found)
        self._add_distinct(gold_of, system_of, images)
        if self._recall.mentions >= BATCH_MENTIONS:
            self._count()

    def _add_distinct(
        self, gold: Mapping[M, int], system: Mapping[M, int], images: Mapping[M, M]
    ) -> None:
        sides = zip(self._distinct, (gold, system), (system, gold), strict=True)
        for counter, ours, theirs in sides:
            matched = sum(images.get(m, m) in theirs for m in ours)
            counter.add_matched([len(gold)], [len(system)], [(0, 0)] * matched)

    def counts(self) -> dict[str, AnyCounts]:
        if self._recall.mentions:
            self._count()
        return dict(self._counts)

    def _count(self) -> None:
        both, members = (self._recall, self._precision), (self._members, self._members)
        counters = {
            Repeats.KEY_MENTIONS: members,
            Repeats.SETS_OF_LINKS: (self._recall, self._recall),
            Repeats.SETS_OF_SPANS: self._distinct,
        }
        overlaps = {id(c): c.overlap() for c in (*both, self._members, *self._distinct)}
        for metric in self._metrics:
            alike = metric.repeats[0] is metric.repeats[1]
            sides = counters.get(metric.repeats[0], both) if alike else both
            recall, precision = (metric(overlaps[id(counter)]) for counter in sides)
            counts = precision.with_recall_of(recall)  # type: ignore[arg-type]
            self.add_counts({metric.name: self._kinds[metric.name].from_tuple(counts.as_tuple())})
        self._new_batch()
