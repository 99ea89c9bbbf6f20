"""Matched mentions under one name, so that metrics can count them as if they were the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from corelax.core.errors import CorelaxError
from corelax.metrics.matching.mention import Mention
from corelax.metrics.matching.pairing import identity, matched_pairs

Clusters = Sequence[Sequence[Mention]]


def distinct(clusters: Iterable[Iterable[Mention]], match: str) -> dict[Hashable, Mention]:
    """Each mention once, by its identity. Of copies with different heads the first one counts."""
    mentions: dict[Hashable, Mention] = {}
    for cluster in clusters:
        for mention in cluster:
            mentions.setdefault(identity(mention, match), mention)
    return mentions


def renamed(
    gold: Clusters, system: Clusters, *, match: str, zeros: str
) -> tuple[list[list[int]], list[list[int]]]:
    """Both clusterings with numbers for mentions. Matched mentions have the same number.

    >>> the_dog, dog, it = Mention(((0, 2),), 1), Mention(((1, 2),), 1), Mention(((4, 5),), 4)
    >>> renamed([[the_dog, it]], [[dog], [it]], match="head", zeros="linear")
    ([[0, 1]], [[0], [1]])
    """
    ours, theirs = distinct(gold, match), distinct(system, match)
    pairs = matched_pairs([*ours.values()], [*theirs.values()], match=match, zeros=zeros)
    gold_number = {name: number for number, name in enumerate(ours)}
    numbers = {identity(s, match): gold_number[identity(g, match)] for g, s in pairs}
    for name in theirs:
        numbers.setdefault(name, len(gold_number) + len(numbers))  # a mention of its own
    return (
        [[gold_number[identity(m, match)] for m in cluster] for cluster in gold],
        [[numbers[identity(m, match)] for m in cluster] for cluster in system],
    )


def check_mentions(clusters: Iterable[Iterable[Hashable]], side: str) -> list[list[Mention]]:
    """The clusters, or an error if a mention does not know its nodes."""
    result: list[list[Mention]] = []
    for cluster in clusters:
        result.append([])
        for mention in cluster:
            if not isinstance(mention, Mention):
                raise CorelaxError(
                    f"{side}: mention {mention!r} does not know its head; use corelax.metrics.Mention"
                )
            result[-1].append(mention)
    return result
