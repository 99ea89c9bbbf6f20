"""Links under claims: entities that clash are decoded again, the surest links first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heapreplace

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Ints
from corelax.decode.claims import Claims
from corelax.decode.membership import candidate_probs


def consistent_antecedents(
    scores: NDArray[np.floating], antecedents: Ints, links: Sequence[int], claims: Claims
) -> list[int]:
    """The antecedent of each mention, so that no entity clashes.

    Entities without a clash stay as they are. In the others links are made in the order of their
    probability; one that would make a clash gives way to the next candidate of its mention, at last to
    "new entity". So the weak link breaks, wherever it is, not the last. At the end the entity of a speaker's
    *I* is joined to that of the speaker's name.

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
    links = _without_clash(scores, antecedents, links, claims)
    if any(named and selves for named, selves in claims.speakers):
        _join_names(links, claims)
    return links


def _without_clash(
    scores: NDArray[np.floating], antecedents: Ints, links: Sequence[int], claims: Claims
) -> list[int]:
    """The links of entities that clash made anew."""
    group = _Groups(claims)
    of_links = _first_mentions(links)
    clashing = claims.clashing(of_links)
    if not clashing:
        return list(links)
    result = list(range(len(links)))
    again = []
    for mention, link in enumerate(links):
        if of_links[mention] in clashing:
            again.append(mention)
        else:
            group.join(mention, link)
            result[mention] = link
    choices = _choices(scores[again], antecedents[again], again)
    queue = [(-choices[mention][0][0], mention, 0) for mention in again]
    heapify(queue)
    while queue:
        _, mention, rank = queue[0]
        target = choices[mention][rank][1]
        if target == mention or group.join(mention, target):
            result[mention] = target
            heappop(queue)
        else:
            heapreplace(queue, (-choices[mention][rank + 1][0], mention, rank + 1))
    return result


def _join_names(links: list[int], claims: Claims) -> None:
    """Links the entities that have most of a speaker's names and most of the *I*, unless they clash."""
    first = _first_mentions(links)
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


def _first_mentions(links: Sequence[int]) -> list[int]:
    """The first mention of the entity of each mention."""
    first: list[int] = []
    for mention, link in enumerate(links):
        first.append(mention if link == mention else first[link])
    return first


def _choices(
    scores: NDArray[np.floating], antecedents: Ints, mentions: Sequence[int]
) -> dict[int, list[tuple[float, int]]]:
    """(probability, antecedent or itself) of each mention, best first; of equals the earliest first."""
    probs = candidate_probs(scores).tolist()
    targets = np.concatenate([np.array(mentions)[:, None], antecedents], -1).tolist()
    is_choice = scores > -np.inf
    is_choice[:, 0] = True  # a new entity can always be started
    finite = is_choice.tolist()
    return {
        mention: sorted(
            ((p, to) for p, to, is_real in zip(*rows, strict=True) if is_real),
            key=lambda choice: (-choice[0], choice[1]),
        )
        for mention, *rows in zip(mentions, probs, targets, finite, strict=True)
    }


class _Groups:
    """Mentions that were joined, with the claims of all of them."""

    def __init__(self, claims: Claims) -> None:
        self._parent = list(range(len(claims.made)))
        self._made, self._refused = list(claims.made), list(claims.refused)

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
