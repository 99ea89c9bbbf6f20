"""The anaphor-level score of zeros: whether a zero was linked to something that it refers back to."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from corelax.metrics.counts import Counts
from corelax.metrics.matching.mention import Mention

Cluster = Sequence[tuple[Hashable, Mention]]  # mentions with their identities


def zero_anaphors(
    gold: Sequence[Cluster], system: Sequence[Cluster], images: Mapping[Hashable, Hashable]
) -> Counts:
    """A zero that is not the first mention of its entity is right if it is linked to an earlier one.

        recall = correct / zero anaphors of gold        precision = correct / (those found + spurious ones)

    The counterpart of a gold mention is the identical system mention, or else the one that it was matched
    with. A zero without counterpart, or with one that begins an entity of the system, is missed. It is
    correct if the counterpart of an earlier mention of its entity is in the entity of its own counterpart.

    Args:
        gold: The gold entities.
        system: The system's entities; of a mention in two of them the last one counts.
        images: What mentions are called on the other side, where that is not their own name.
    """
    gold, system = [_sorted(c) for c in gold], [_sorted(c) for c in system]
    entity_of = {name: entity for entity, cluster in enumerate(system) for name, _ in cluster}
    beginnings = {cluster[0][0] for cluster in system}
    covered: set[Hashable] = set()
    correct = anaphors = missed = 0
    for cluster in gold:
        earlier: set[int] = set()
        for place, (name, mention) in enumerate(cluster):
            counterpart = name if name in entity_of else images.get(name)
            entity = entity_of.get(counterpart)
            if mention.is_zero and place:
                anaphors += 1
                covered.add(counterpart)
                if counterpart is None or counterpart in beginnings:
                    missed += 1
                elif entity in earlier:
                    correct += 1
            if entity is not None:
                earlier.add(entity)
    spurious = sum(
        mention.is_zero and name not in beginnings and name not in covered
        for cluster in system
        for name, mention in cluster
    )
    return Counts(correct, anaphors, correct, anaphors - missed + spurious)


def _sorted(cluster: Cluster) -> Cluster:
    return sorted(cluster, key=lambda named: named[1].place)
