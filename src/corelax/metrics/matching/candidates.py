"""Which mentions may be matched, and how well they fit: the scores that the assignment maximizes.

Each function takes the gold and the system mentions that are not matched yet and returns the pairs that
score more than 0: mentions around one head, so their number grows with the document, not with its square.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from corelax.core.errors import CorelaxError
from corelax.metrics.matching.assignment import Cell
from corelax.metrics.matching.mention import Mention

Scores = dict[Cell, float]
MAX_PAIRS = 4_000_000  # in one document; no annotation of a text comes near


def check_pairs(number: int) -> None:
    """An error if so many mentions overlap that comparing them would not end.

    >>> check_pairs(10_000_000)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: more than 4000000 pairs of mentions of one document overlap
    """
    if number > MAX_PAIRS:
        raise CorelaxError(f"more than {MAX_PAIRS} pairs of mentions of one document overlap")


def partial_scores(gold: Sequence[Mention], system: Sequence[Mention]) -> Scores:
    """|S| / |K| where the system's mention lies inside the gold one and has the gold head.

    >>> gold = [Mention(((0, 3),), head=2)]
    >>> partial_scores(gold, [Mention(((1, 3),)), Mention(((0, 2),)), Mention(((2, 5),))])
    {(0, 0): 0.6666666666666666}
    """
    scores: Scores = {}
    starting = sorted(range(len(system)), key=lambda j: system[j].start, reverse=True)
    around: list[int] = []  # system mentions that begin before the head and may go beyond it
    heads = [(head, i) for i, mention in enumerate(gold) if (head := mention.head) is not None]
    for head, i in sorted(heads):
        while starting and system[starting[-1]].start <= head:
            around.append(starting.pop())
        around = [j for j in around if system[j].end > head]
        check_pairs(len(scores) + len(around))
        start, end, size = gold[i].start, gold[i].end, gold[i].size
        for j in around:
            mention = system[j]
            is_near = start <= mention.start and mention.end <= end and mention.contains(head)
            if is_near and mention.common(gold[i]) == mention.size:
                scores[i, j] = mention.size / size
    return scores


def head_scores(gold: Sequence[Mention], system: Sequence[Mention]) -> Scores:
    """|K ∩ S| / |K| where the heads are the same node.

    >>> gold = [Mention(((0, 3),), head=2)]
    >>> head_scores(gold, [Mention(((1, 3),), head=2), Mention(((1, 3),), head=1)])
    {(0, 0): 0.6666666666666666}
    """
    of_head: defaultdict[int, list[int]] = defaultdict(list)
    for j, mention in enumerate(system):
        if mention.head is not None:
            of_head[mention.head].append(j)
    check_pairs(sum(len(of_head.get(m.head, ())) for m in gold if m.head is not None))
    return {
        (i, j): mention.common(system[j]) / mention.size
        for i, mention in enumerate(gold)
        if mention.head is not None
        for j in of_head.get(mention.head, ())
    }


def zero_scores(gold: Sequence[Mention], system: Sequence[Mention]) -> Scores:
    """10 · F of the pairs (parent, relation) + F of the parents alone, of zeros that share a parent.

    >>> subject, object = frozenset({(4, "nsubj")}), frozenset({(4, "obj")})
    >>> gold = [Mention(((2, 3),), 2, subject)]
    >>> zero_scores(gold, [Mention(((5, 6),), 5, subject), Mention(((2, 3),), 2, object)])
    {(0, 0): 11.0, (0, 1): 1.0}
    """
    parents = [frozenset(parent for parent, _ in m.parents or ()) for m in system]
    of_parent: defaultdict[object, list[int]] = defaultdict(list)
    for j, nodes in enumerate(parents):
        for node in nodes:
            of_parent[node].append(j)
    scores: Scores = {}
    for i, mention in enumerate(gold):
        check_pairs(len(scores))
        links = mention.parents or frozenset()
        nodes = frozenset(parent for parent, _ in links)
        for j in sorted({j for node in nodes for j in of_parent.get(node, ())}):
            theirs = system[j].parents or frozenset()
            scores[i, j] = 10 * _f(links, theirs) + _f(nodes, parents[j])
    return scores


def _f(ours: frozenset[object], theirs: frozenset[object]) -> float:
    """The harmonic mean of the shares of two sets that are common."""
    common = len(ours & theirs)
    if not common:
        return 0.0
    recall, precision = common / len(ours), common / len(theirs)
    return 2 * recall * precision / (recall + precision)
