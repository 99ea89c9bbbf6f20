"""Links under claims: entities that clash are decoded again, the surest links first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heapreplace

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Ints, first_mentions
from corelax.decode.membership import candidate_probs
from corelax.english.claims import Claims


def consistent_antecedents(
    scores: NDArray[np.floating], antecedents: Ints, links: Sequence[int], claims: Claims
) -> list[int]:
    """The antecedent of each mention, so that no entity clashes.

    Entities without a clash stay as they are. In the others links are made in the order of their
    probability; one that would make a clash gives way to the next candidate of its mention, at last to
    "new entity". So the weak link breaks, wherever it is, not the last. Mentions that more mentions of the
    entity contradict than agree with come after all others: one *he* among many *she* gives way. At the end
    the entity of a speaker's *I* is joined to that of the speaker's name.

    Args:
        scores: [mention, 1 + candidate], "new entity" first.
        antecedents: [mention, candidate] earlier mentions.
        links: The antecedent that each mention would take, or itself (`best_antecedents`).
        claims: Of each mention.

    >>> scores = np.array([[0.0, -np.inf, -np.inf], [0, 1, -np.inf], [0, 2, 4]])
    >>> he_ann_she = Claims([1, 0, 2], [2, 0, 1])
    >>> consistent_antecedents(scores, np.array([[0, 0], [0, 0], [0, 1]]), [0, 0, 1], he_ann_she)
    [0, 1, 1]
    """
    result = list(links)
    first = first_mentions(links)
    if clashing := claims.clashing(first.tolist()):
        _link_again(scores, antecedents, result, first, clashing, claims)
    if any(named and selves for named, selves in claims.speakers):
        _join_names(result, claims)
    return result


def _link_again(
    scores: NDArray[np.floating],
    antecedents: Ints,
    result: list[int],
    first: Ints,
    clashing: set[int],
    claims: Claims,
) -> None:
    clashes = np.zeros(len(first), bool)
    clashes[list(clashing)] = True
    again = clashes[first].nonzero()[0].tolist()
    groups: list[int] = first.tolist()
    outnumbered = _outnumbered(again, groups, claims)
    for mention in again:
        result[mention] = groups[mention] = mention
    group = _Groups(claims, groups)
    choices = _choices(scores[again], antecedents[again], again)
    queue = [(mention in outnumbered, -choices[mention][0][0], mention, 0) for mention in again]
    heapify(queue)
    while queue:
        is_late, _, mention, rank = queue[0]
        _, target = choices[mention][rank]
        if target == mention or group.join(mention, target):
            result[mention] = target
            heappop(queue)
        else:
            less = -choices[mention][rank + 1][0]
            heapreplace(queue, (is_late, less, mention, rank + 1))


def _outnumbered(mentions: Sequence[int], entities: Sequence[int], claims: Claims) -> set[int]:
    said: dict[int, Counter[tuple[int, int]]] = {}  # by entity: (claimed, refused), how often
    for mention in mentions:
        what = claims.made[mention], claims.refused[mention]
        said.setdefault(entities[mention], Counter())[what] += 1

    def is_outnumbered(mention: int) -> bool:
        made, refused = claims.made[mention], claims.refused[mention]
        every = said[entities[mention]].items()
        against = sum(n for (m, r), n in every if m & refused or r & made)
        return against > sum(n for (m, _), n in every if m & made)

    return {mention for mention in mentions if is_outnumbered(mention)}


def _join_names(links: list[int], claims: Claims) -> None:
    """Links the entities that have most of a speaker's names and most of the *I*, unless they clash."""
    first: list[int] = first_mentions(links).tolist()
    members: dict[int, list[int]] = {}
    for mention, entity in enumerate(first):
        members.setdefault(entity, []).append(mention)
    for named, selves in claims.speakers:
        if named and selves:
            a, b = (_most_common(first[mention] for mention in group) for group in (named, selves))
            earlier, later = min(a, b), max(a, b)
            together = members[a] + members[b]
            if a != b and not claims.clash(together):
                links[later] = max(mention for mention in members[earlier] if mention < later)
                for mention in members[later]:
                    first[mention] = earlier
                members[earlier] += members.pop(later)


def _most_common(entities: Iterable[int]) -> int:
    [(entity, _)] = Counter(entities).most_common(1)
    return entity


def _choices(
    scores: NDArray[np.floating], antecedents: Ints, mentions: Sequence[int]
) -> dict[int, list[tuple[float, int]]]:
    """(probability, antecedent or itself) of mentions, best first; of equals the earliest first.

    Args:
        scores: [mention, 1 + candidate], "new entity" first.
        antecedents: [mention, candidate].
        mentions: Which mentions they are.
    """
    probs = candidate_probs(scores)
    choices = {}
    for row, mention in enumerate(mentions):
        scored = np.flatnonzero(scores[row, 1:] > -np.inf)
        targets = antecedents[row, scored].tolist()
        linked = zip(probs[row, 1 + scored].tolist(), targets, strict=True)
        every = [(float(probs[row, 0]), mention), *linked]  # a new entity can always be started
        choices[mention] = sorted(every, key=lambda choice: (-choice[0], choice[1]))
    return choices


class _Groups:
    """Mentions that were joined, with the claims of all of them.

    Args:
        claims: Of each mention.
        first: The first mention of the group that each mention is in.
    """

    def __init__(self, claims: Claims, first: Sequence[int]) -> None:
        self._parent = list(first)
        self._made, self._refused = list(claims.made), list(claims.refused)
        for mention in claims.claiming():
            root = first[mention]
            if root != mention:
                self._made[root] |= claims.made[mention]
                self._refused[root] |= claims.refused[mention]

    def join(self, a: int, b: int) -> bool:
        """Joins the groups of two mentions, unless they clash; whether they are together now."""
        a, b = self._root(a), self._root(b)
        if a == b:
            return True
        if self._made[a] & self._refused[b] or self._refused[a] & self._made[b]:
            return False
        self._parent[a] = b
        self._made[b] |= self._made[a]
        self._refused[b] |= self._refused[a]
        return True

    def _root(self, mention: int) -> int:
        while self._parent[mention] != mention:
            self._parent[mention] = self._parent[self._parent[mention]]
            mention = self._parent[mention]
        return mention
