"""Decoding under constraints: which mentions there are, which belong together, which do not."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from corelax.core.errors import CorelaxError
from corelax.english.claims import Claims

Pairs = Iterable[tuple[int, int]]
Preference = Callable[[NDArray[np.floating]], NDArray[np.floating]]


def constrained_entities(
    scores: NDArray[np.floating],
    preference: Preference,
    must_link: Pairs,
    cannot_link: Pairs,
    mentions: Sequence[int] | None,
    claims: Claims | None = None,
) -> list[list[int]]:
    """Mention i joins the entity of the j that it prefers among those that no constraint forbids.

    Mentions that must be linked form groups. The first of a group decides for all: it keeps away from
    whatever any of them cannot be with. Claims that clash inside a group count for nothing.

    Args:
        scores: [mention, antecedent] masked scores; they are changed.
        preference: From scores to what is maximised, [mention, antecedent].
        must_link: Pairs of mentions that belong to one entity.
        cannot_link: Pairs that do not, also not through others.
        mentions: The mentions there are, if not all.
        claims: What mentions say about their entities, which do not clash then.

    Returns:
        Entities as lists of mention numbers, by their first mention; singletons among them.

    >>> scores = np.array([[0.0, -np.inf], [2.0, 0.0]])
    >>> constrained_entities(scores, lambda s: s, [], [(0, 1)], None)
    [[0], [1]]
    """
    n = len(scores)
    given = np.full(n, mentions is None)
    for mention in () if mentions is None else mentions:
        given[_in_range(mention, "mentions", n)] = True
    first = _first_of_group(_checked(must_link, "must_link", n), n)
    for i, start in enumerate(first):
        if start < i and not (given[i] and given[start]):
            raise CorelaxError(f"must_link: {i} and {start} are not both in mentions")
    enemies: list[set[int]] = [set() for _ in range(n)]  # by the first mentions of groups
    for a, b in _checked(cannot_link, "cannot_link", n):
        if a == b:
            raise CorelaxError(f"cannot_link: {a} is the same mention twice")
        if first[a] == first[b]:
            raise CorelaxError(f"cannot_link: mentions {a} and {b} must be linked as well")
        enemies[first[a]].add(first[b])
        enemies[first[b]].add(first[a])

    made, refused, _ = _claims_of_groups(claims, first)
    wanted = preference(_conditioned(scores, given, first, enemies))
    entity_of = np.arange(n)
    groups: dict[int, set[int]] = {}  # of each entity, by the first mentions of groups
    for i in np.flatnonzero(given).tolist():
        row = wanted[i, : i + 1]
        if first[i] < i:
            row[:] = -np.inf
            row[first[i]] = 0.0
        while True:
            j = int(row.argmax())
            home = i if row[j] == -np.inf else int(entity_of[j])
            if home == i or first[i] < i:
                break
            clash = made[i] & refused[home] or refused[i] & made[home]
            if not clash and enemies[i].isdisjoint(groups[home]):
                break
            row[:i][entity_of[:i] == home] = -np.inf
        entity_of[i] = home
        if first[i] == i != home:
            made[home] |= made[i]
            refused[home] |= refused[i]
        groups.setdefault(home, set()).add(first[i])
    clusters: dict[int, list[int]] = {home: [] for home in groups}
    for i in np.flatnonzero(given).tolist():
        clusters[int(entity_of[i])].append(i)
    return list(clusters.values())


def _claims_of_groups(claims: Claims | None, first: list[int]) -> Claims:
    """[mention] for the first mentions of groups, what the groups claim and refuse."""
    groups = Claims([0] * len(first), [0] * len(first))
    if claims is not None:
        for start, made, refused in zip(first, claims.made, claims.refused, strict=True):
            groups.made[start] |= made
            groups.refused[start] |= refused
        for start in {*first}:
            both = groups.made[start] & groups.refused[start]
            groups.made[start] &= ~both
            groups.refused[start] &= ~both
    return groups


def _conditioned(
    scores: NDArray[np.floating],
    given: NDArray[np.bool_],
    first: list[int],
    enemies: list[set[int]],
) -> NDArray[np.floating]:
    """The scores, given the constraints: links that cannot be have −inf, those that must be are certain."""
    if not given.all():
        scores = np.where(given | np.eye(len(scores), dtype=bool), scores, -np.inf)
    for i, start in enumerate(first):
        for j in enemies[i]:
            scores[max(i, j), min(i, j)] = -np.inf
        if start < i:
            scores[i] = -np.inf
            scores[i, start] = 0.0
    nothing_left = np.flatnonzero((scores == -np.inf).all(-1))
    scores[nothing_left, nothing_left] = 0.0  # but to start an entity
    return scores


def _checked(pairs: Pairs, name: str, n: int) -> list[tuple[int, int]]:
    """Pairs of mention numbers, or an error that names the argument."""
    try:
        return [(_in_range(a, name, n), _in_range(b, name, n)) for a, b in pairs]
    except (TypeError, ValueError):
        raise CorelaxError(f"{name} must be pairs of mention numbers, as [(0, 3)]") from None


def _in_range(mention: int, name: str, n: int) -> int:
    try:
        number = operator.index(mention)
    except TypeError:
        number = -1
    is_flag = isinstance(mention, bool | np.bool_) or "bool" in str(getattr(mention, "dtype", ""))
    if number < 0 or is_flag:
        raise CorelaxError(f"{name}: {mention} is not the number of a mention")
    if number >= n:
        raise CorelaxError(f"{name}: there is no mention {number}; there are {n}, from 0 on")
    return number


def _first_of_group(pairs: list[tuple[int, int]], n: int) -> list[int]:
    """[mention] the first mention of those that are linked to it, directly or through others."""
    group = {i: {i} for pair in pairs for i in pair}
    for a, b in pairs:
        merged = group[a] | group[b]
        group.update(dict.fromkeys(merged, merged))
    return [min(group.get(i, {i})) for i in range(n)]
