"""From scored antecedents to decisions: which spans are mentions, of which entities, and how surely."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.core.errors import CorelaxError
from corelax.decode import (
    Decided,
    Decision,
    Pairs,
    are_bare,
    best_antecedents,
    claims_of,
    edged_with_markup,
    overlapping,
    with_far_names,
    without_overlaps,
)
from corelax.decode.arrays import Floats, Ints
from corelax.decode.calibration import UNCALIBRATED, Calibration, sigmoid
from corelax.decode.chains import entity_numbers
from corelax.decode.membership import candidate_probs
from corelax.decode.scored import Scored, Scores
from corelax.document import Document, Span
from corelax.document.clustering import Clustering
from corelax.rankers.encoder.belonging import entity_probabilities

IS_MENTION = 0.5  # a span that is alone is written if it is likelier a mention than not
LEAST_BARE = 0.2  # a less likely bare word is not written though it is linked: most are verbs
SHOWN = 3  # antecedents of a mention that are given with their probabilities
LEAST_SHOWN = 0.001
MOST_CONSTRAINED = 20_000  # a table of all pairs is needed: 1.6 GB


class Grouping(NamedTuple):
    """Which spans are written, and in which entities.

    Attributes:
        link: [span] the antecedent that each span takes; itself if it starts an entity.
        near: [span] the same, without links of names beyond reach.
        entity: [span] numbers of entities.
        written: The spans that are written, in the order of the text.
    """

    link: Ints
    near: Ints
    entity: Ints
    written: Ints


def decide(
    scored: Scored,
    *,
    singletons: str,
    reach: int,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
    calibration: Calibration = UNCALIBRATED,
    document: Document | None = None,
) -> list[Decision]:
    """Each span takes its best antecedent or starts an entity.

    Args:
        scored: One document.
        singletons: "drop" spans that are alone, "keep" those that are likely mentions, or "all".
        reach: How far back antecedents lie at most, in spans.
        must_link: Pairs of spans that belong together.
        cannot_link: Pairs that do not.
        calibration: Changes the probabilities of the result, never what is decided.
        document: If it is given, its words keep people apart (`claims_of`). Unless "all" spans are wanted,
            those with markup at an edge, unlikely verbs and the like (`are_bare`), and the less likely of two
            that overlap in an entity are not written. A span that was linked to such a one goes to the
            mention of the entity before it, with the probability of its own link. A full name that is
            known from beyond reach is linked to its last mention, with the probability that it refers to
            nothing nearer; the entity probabilities that follow are those of the name.
    """
    return decided(
        scored,
        singletons=singletons,
        reach=reach,
        must_link=must_link,
        cannot_link=cannot_link,
        calibration=calibration,
        document=document,
    ).decisions()


def decided(
    scored: Scored,
    *,
    singletons: str,
    reach: int,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
    calibration: Calibration = UNCALIBRATED,
    document: Document | None = None,
) -> Decided:
    """What `decide` decides, as arrays; arguments as there."""
    candidates = _candidates(scored, singletons, document)
    link, near, entity, written = _grouped(
        scored,
        candidates,
        singletons=singletons,
        reach=reach,
        must_link=must_link,
        cannot_link=cannot_link,
        document=document,
    )
    scores, antecedents, _ = candidates
    of_near = entity if np.array_equal(link, near) else entity_numbers(near)
    belongs = entity_probabilities(scores, antecedents, of_near, written, reach, calibration)
    # Of the spans that are written:
    probs = candidate_probs(scores[written] / calibration.link_temperature)
    antecedents, chosen = antecedents[written], near[written]
    link_prob = np.where(antecedents == chosen[:, None], probs[:, 1:], 0).sum(-1)
    likely, likely_probability = _likely_antecedents(scored, probs, antecedents, calibration)
    return Decided(
        start=scored.start[written],
        end=scored.end[written],
        entity=entity[written],
        antecedent=_antecedents(link, entity, written),
        probability=calibration.mention.of_logits(scored.logit[written]),
        link_probability=np.where(
            chosen == written,
            calibration.new.of_probs(probs[:, 0]),
            calibration.link.of_probs(link_prob),
        ),
        entity_probability=belongs,
        head=scored.head[written],
        likely=likely,
        likely_probability=likely_probability,
    )


def predicted_entities(
    scored: Scored, *, singletons: str, document: Document | None = None
) -> Clustering[Span]:
    """The entities that `decide` decides on within reach, without any probability; arguments as there."""
    candidates = _candidates(scored, singletons, document)
    *_, entity, written = _grouped(
        scored, candidates, singletons=singletons, reach=len(scored.start), document=document
    )
    bounds = scored.bounds
    members: dict[int, list[Span]] = {}
    for i in written.tolist():
        members.setdefault(int(entity[i]), []).append(Span(*bounds[i]))
    return Clustering(members.values())


def _grouped(
    scored: Scored,
    candidates: _Candidates,
    *,
    singletons: str,
    reach: int,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
    document: Document | None = None,
) -> Grouping:
    """Which spans are written, and in which entities; other arguments as for `decide`."""
    places = np.stack([scored.start, scored.end], -1)
    must_link, cannot_link = list(must_link), list(cannot_link)
    if (must_link or cannot_link) and len(places) > MOST_CONSTRAINED:
        raise CorelaxError(
            f"constraints go with {MOST_CONSTRAINED} mentions at most, not {len(places)}"
        )
    claims = None if document is None else claims_of(document, places)
    near = link = best_antecedents(
        candidates.scores,
        candidates.antecedents,
        must_link=must_link,
        cannot_link=cannot_link,
        claims=claims,
    )
    if document is not None and claims is not None and not cannot_link:
        link = with_far_names(document, places, near, reach, claims)
    entity = entity_numbers(link)
    mention = sigmoid(scored.logit)
    stays = np.ones(len(places), bool)
    if document is not None and singletons != "all":
        forced = list({i for pair in must_link for i in pair})  # these stay
        mention[forced] = 1.0
        stays[candidates.barred] = False
        stays[forced] = True
        stays &= _chosen(document, places, entity, stays, mention)
    alone = {"drop": 2.0, "keep": IS_MENTION, "all": -1.0}[singletons]
    is_larger = _sizes(entity, stays)[entity] > 1
    written = np.flatnonzero(stays & (is_larger | (mention > alone)))
    return Grouping(np.array(link, np.int64), np.array(near, np.int64), entity, written)


def _sizes(entity: Ints, chosen: NDArray[np.bool_]) -> Ints:
    """[entity] how many of some spans it has."""
    return np.bincount(entity[chosen], minlength=len(entity))


def _chosen(
    document: Document,
    places: Ints,
    entity: Ints,
    stays: NDArray[np.bool_],
    mention: Floats,
) -> NDArray[np.bool_]:
    """[span] of those that stay, which are no unlikely bare words and do not overlap a likelier one.

    Spans that are alone are not looked at.
    """
    is_larger = stays & (_sizes(entity, stays)[entity] > 1)
    unlikely = is_larger & (mention < LEAST_BARE)
    chosen = stays & ~(unlikely & are_bare(document, places)) if unlikely.any() else stays.copy()
    looked_at = np.flatnonzero(is_larger & chosen)
    clashing = overlapping(places[looked_at], entity[looked_at])
    if len(clashing):
        looked_at = looked_at[np.isin(entity[looked_at], clashing)]
        bounds = {at: (start, end) for at, (start, end) in _by_number(looked_at, places)}
        groups: dict[int, list[int]] = {}
        for at, number in _by_number(looked_at, entity):
            groups.setdefault(number, []).append(at)
        probability = dict(_by_number(looked_at, mention))
        chosen[looked_at] = False
        for group in groups.values():
            chosen[without_overlaps(document, bounds, group, probability)] = True
    return chosen


def _by_number(spans: Ints, values: NDArray[Any]) -> Iterator[tuple[int, Any]]:
    """(span, value) of some spans."""
    return zip(spans.tolist(), values[spans].tolist(), strict=True)


class _Candidates(NamedTuple):
    """Scores and antecedents without links from or to the spans that are `barred`: markup is at an edge."""

    scores: Scores
    antecedents: Ints
    barred: list[int]


def _candidates(scored: Scored, singletons: str, document: Document | None) -> _Candidates:
    scores, antecedents = scored.scores, scored.antecedents
    barred: list[int] = []
    if document is not None and singletons != "all":
        barred = edged_with_markup(document, np.stack([scored.start, scored.end], -1))
        scores = _unlinked(barred, scores, antecedents)
    return _Candidates(scores, antecedents, barred)


def _unlinked(barred: Sequence[int], scores: Scores, antecedents: Ints) -> Scores:
    """[span, 1 + candidate] scores without links from or to some spans."""
    if not barred:
        return scores
    is_barred = np.zeros(len(scores), bool)
    is_barred[list(barred)] = True
    scores = scores.copy()
    scores[:, 1:][is_barred[:, None] | is_barred[antecedents]] = -np.inf
    return scores


def _antecedents(link: Ints, entity: Ints, written: Ints) -> Ints:
    """[mention] the position of its antecedent among those that are written, or −1 for a new entity.

    Where the antecedent is not written, it is the mention of the entity before it.

    >>> _antecedents(np.array([0, 0, 1, 2]), np.array([0, 0, 0, 0]), np.array([0, 2, 3])).tolist()
    [-1, 0, 1]
    """
    place = np.full(len(link), -1, np.int64)
    place[written] = np.arange(len(written))
    order = np.argsort(entity[written], kind="stable")
    of_one = np.diff(entity[written][order], prepend=-1) == 0
    before = np.full(len(written), -1, np.int64)
    before[order[of_one]] = order[np.flatnonzero(of_one) - 1]
    target = place[link[written]]
    target = np.where(target < 0, before, target)
    return np.where(link[written] == written, -1, target)


def _likely_antecedents(
    scored: Scored, probs: Floats, antecedents: Ints, calibration: Calibration
) -> tuple[Ints, Floats]:
    """[mention, place, 2] words of the best antecedents, and [mention, place] their probabilities.

    Args:
        scored: All spans.
        probs: [mention, 1 + candidate] of the mentions that are written, "new entity" first.
        antecedents: [mention, candidate].
        calibration: Of the probabilities that are shown.
    """
    rows, count = np.arange(len(probs)), min(SHOWN, probs.shape[1])
    words = np.full((len(probs), count, 2), -1, np.int64)
    shown = np.full((len(probs), count), -1.0)
    left = probs.copy()
    for place in range(count if len(probs) else 0):
        best = left.argmax(-1)  # the first of equals
        left[rows, best] = -1.0
        probability = probs[rows, best]
        span = antecedents[rows, np.maximum(best - 1, 0)] if antecedents.shape[1] else rows
        is_link = best > 0
        words[is_link, place, 0] = scored.start[span[is_link]]
        words[is_link, place, 1] = scored.end[span[is_link]]
        new, links = calibration.new.of_probs(probability), calibration.link.of_probs(probability)
        is_shown = probability >= LEAST_SHOWN
        shown[is_shown, place] = np.where(is_link, links, new)[is_shown]
    return words, shown
