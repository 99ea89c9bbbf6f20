"""From scores to entities: which spans are mentions, of which entities, and how surely."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.core.errors import CorelaxError
from corelax.decode.antecedents import best_antecedents
from corelax.decode.arrays import Floats, Ints, dense_scores, entity_numbers
from corelax.decode.calibration import sigmoid
from corelax.decode.constraints import Pairs
from corelax.decode.decisions import Decided
from corelax.decode.far_names import with_far_names
from corelax.decode.membership import EntityProbabilities, candidate_probs
from corelax.decode.options import ResolveOptions
from corelax.decode.scored import Scored, Scores
from corelax.decode.selection import edged_with_markup, without_unlikely
from corelax.document import Document
from corelax.english.claims import claims_of

IS_MENTION = 0.5  # a span that is alone is written if it is likelier a mention than not
SHOWN = 3  # antecedents of a mention that are given with their probabilities
LEAST_SHOWN = 0.001
MOST_CONSTRAINED = 20_000  # a table of all pairs is needed: 1.6 GB


def decide(
    scored: Scored,
    document: Document,
    options: ResolveOptions,
    *,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
    every_span: bool = False,
) -> Decided:
    """Each span takes its best antecedent or starts an entity; the one way from scores to entities.

    If the options ask for consistency, people are kept apart (`claims_of`), and spans with markup at an edge,
    unlikely verbs and the like, and the less likely of two that overlap in an entity are not written. A span
    that was linked to such a one goes to the mention of the entity before it, with the probability of its own
    link. A full name that is known from beyond reach is linked to its last mention, with the probability that
    it refers to nothing nearer; the entity probabilities that follow are those of the name.

    Args:
        scored: What a ranker says of the document. Its calibration changes probabilities, never decisions.
        document: The words and, if they are known, speakers.
        options: How to decide.
        must_link: Pairs of spans that belong together; this goes before consistency.
        cannot_link: Pairs that do not.
        every_span: Whether all spans are written, as where mentions are given.
    """
    grouping = _grouping(scored, document, options, list(must_link), list(cannot_link), every_span)
    link, near, entity, written = grouping.link, grouping.near, grouping.entity, grouping.written
    scores = grouping.scores
    belongs = EntityProbabilities(
        # Copies, so that a kept result does not keep the scores of a whole batch.
        scored._replace(
            scores=scores if scores.base is None else scores.copy(),
            antecedents=scored.antecedents.astype(np.int32),
        ),
        entity if np.array_equal(link, near) else entity_numbers(near),
        written,
    )
    # Of the spans that are written:
    calibration = scored.calibration
    probs = candidate_probs(scores[written] / calibration.link_temperature)
    antecedents, chosen = scored.antecedents[written], near[written]
    link_prob = np.where(antecedents == chosen[:, None], probs[:, 1:], 0).sum(-1)
    likely, likely_probability = _likely_antecedents(scored, probs, antecedents)
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


class _Grouping(NamedTuple):
    """Which spans are written, and in which entities.

    Attributes:
        scores: [span, 1 + candidate] without links from or to spans that cannot be mentions.
        link: [span] the antecedent that each span takes; itself if it starts an entity.
        near: [span] the same, without links of names beyond reach.
        entity: [span] numbers of entities.
        written: The spans that are written, in the order of the text.
    """

    scores: Scores
    link: Ints
    near: Ints
    entity: Ints
    written: Ints


def _grouping(
    scored: Scored,
    document: Document,
    options: ResolveOptions,
    must_link: list[tuple[int, int]],
    cannot_link: list[tuple[int, int]],
    every_span: bool,
) -> _Grouping:
    bounds, scores = np.stack([scored.start, scored.end], -1), scored.scores
    if (must_link or cannot_link) and len(bounds) > MOST_CONSTRAINED:
        raise CorelaxError(
            f"constraints go with {MOST_CONSTRAINED} mentions at most, not {len(bounds)}"
        )
    selects = options.consistent and not every_span
    barred = edged_with_markup(document, bounds) if selects else []
    if barred:
        is_barred = np.zeros(len(scores), bool)
        is_barred[barred] = True
        scores = scores.copy()
        scores[:, 1:][is_barred[:, None] | is_barred[scored.antecedents]] = -np.inf
    claims = claims_of(document, bounds) if options.consistent else None
    if options.decoding == "entities":
        from corelax.decode.links import best_entity_links  # needs torch

        links = best_entity_links(dense_scores(scores, scored.antecedents))
    else:
        links = best_antecedents(
            scores,
            scored.antecedents,
            must_link=must_link,
            cannot_link=cannot_link,
            claims=claims,
        )
    near = link = np.array(links, np.int64)
    if claims is not None and not cannot_link and len(bounds) > scored.reach:
        far = with_far_names(document, bounds, links, scored.reach, claims)
        link = np.array(far, np.int64)
    entity = entity_numbers(link)
    mention = sigmoid(scored.logit)
    stays = np.ones(len(bounds), bool)
    if selects:
        forced = list({i for pair in must_link for i in pair})  # these stay
        mention[forced] = 1.0
        stays[barred] = False
        stays[forced] = True
        stays = without_unlikely(document, bounds, entity, stays, mention)
    alone = -1.0 if every_span else IS_MENTION if options.singletons == "keep" else 2.0
    is_larger = np.bincount(entity[stays], minlength=len(entity))[entity] > 1
    written = np.flatnonzero(stays & (is_larger | (mention > alone)))
    return _Grouping(scores, link, near, entity, written)


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
    scored: Scored, probs: Floats, antecedents: NDArray[np.integer]
) -> tuple[Ints, Floats]:
    """[mention, place, 2] words of the best antecedents, and [mention, place] their probabilities.

    Args:
        scored: All spans.
        probs: [mention, 1 + candidate] of the mentions that are written, "new entity" first.
        antecedents: [mention, candidate].
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
        new = scored.calibration.new.of_probs(probability)
        links = scored.calibration.link.of_probs(probability)
        is_shown = probability >= LEAST_SHOWN
        shown[is_shown, place] = np.where(is_link, links, new)[is_shown]
    return words, shown
