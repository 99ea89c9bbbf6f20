"""From candidates to pairs: who is matched with whom in a document. Entities play no part here.

Three steps, each with what the ones before have left: zeros by their dependencies, mentions that are
identical, and the best assignment of the rest. The rules are those of the CorefUD scorer 1.2.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from corelax.metrics.matching.assignment import assign
from corelax.metrics.matching.candidates import (
    Scores,
    head_scores,
    partial_scores,
    zero_scores,
)
from corelax.metrics.matching.mention import Mention

Pair = tuple[Mention, Mention]
_Scorer = Callable[[Sequence[Mention], Sequence[Mention]], Scores]


def identity(mention: Mention, match: str) -> Hashable:
    """What makes two mentions the same: their nodes; for head match their head as well.

    >>> identity(Mention(((0, 3),), head=2), "partial")
    ((0, 3),)
    """
    return (mention.stretches, mention.head) if match == "head" else mention.stretches


def matched_pairs(
    gold: Sequence[Mention], system: Sequence[Mention], *, match: str, zeros: str
) -> list[Pair]:
    """(gold, system) of all matched mentions, identical ones included. One to one.

    Args:
        gold: Mentions that differ from each other.
        system: The same of the other side.
        match: "exact", "partial" or "head".
        zeros: "dependent" matches zeros by their dependencies first, whatever `match` is.

    >>> the_dog, dog = Mention(((0, 2),), head=1), Mention(((1, 2),), head=1)
    >>> matched_pairs([the_dog], [dog], match="exact", zeros="linear")
    []
    >>> matched_pairs([the_dog], [dog], match="head", zeros="linear") == [(the_dog, dog)]
    True
    """
    ours, theirs = sorted(gold, key=_place), sorted(system, key=_place)
    pairs: list[Pair] = []
    if zeros == "dependent":
        zeros_only = [m for m in ours if m.is_zero], [m for m in theirs if m.is_zero]
        pairs += _assigned(*zeros_only, zero_scores)
        ours, theirs = _without(ours, theirs, pairs)
    same = {identity(mention, match): mention for mention in theirs}
    identical = [(m, same[key]) for m in ours if (key := identity(m, match)) in same]
    pairs += identical
    if match != "exact":
        ours, theirs = _without(ours, theirs, identical)
        pairs += _assigned(ours, theirs, head_scores if match == "head" else partial_scores)
    return pairs


def _place(mention: Mention) -> tuple[object, ...]:
    return mention.place


def _assigned(gold: Sequence[Mention], system: Sequence[Mention], scorer: _Scorer) -> list[Pair]:
    cells = assign(scorer(gold, system), len(gold), len(system))
    return [(gold[i], system[j]) for i, j in cells]


def _without(
    gold: list[Mention], system: list[Mention], pairs: list[Pair]
) -> tuple[list[Mention], list[Mention]]:
    """The mentions of both sides that no pair has."""
    ours, theirs = {gold for gold, _ in pairs}, {system for _, system in pairs}
    return [m for m in gold if m not in ours], [m for m in system if m not in theirs]
