"""From scored antecedents to decisions: which spans are mentions, of which entities, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from corelax.core.errors import CorelaxError
from corelax.decode import (
    Antecedent,
    Decision,
    Pairs,
    best_antecedents,
    claims_of,
    edged_with_markup,
    entities_of_links,
    is_bare,
    with_far_names,
    without_overlaps,
)
from corelax.decode.arrays import Floats, Ints
from corelax.decode.membership import candidate_probs, membership
from corelax.document import Document, Span
from corelax.document.clustering import Clustering
from corelax.rankers.encoder.calibration import UNCALIBRATED, Calibration, sigmoid
from corelax.rankers.encoder.scored import ScoredDocument, Scores

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

    link: list[int]
    near: list[int]
    entity: list[int]
    written: list[int]


def decide(
    scored: ScoredDocument,
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
            those with markup at an edge, unlikely verbs and the like (`is_bare`), and the less likely of two
            that overlap in an entity are not written. A span that was linked to such a one goes to the
            mention of the entity before it, with the probability of its own link. A full name that is
            known from beyond reach is linked to its last mention, with the probability that it refers to
            nothing nearer; the entity probabilities that follow are those of the name.
    """
    scores, antecedents = _candidates(scored, singletons, document)
    link, near, entity, written = group_spans(
        scored,
        singletons=singletons,
        reach=reach,
        must_link=must_link,
        cannot_link=cannot_link,
        document=document,
    )
    probs = candidate_probs(scores / calibration.link_temperature)
    belongs = calibration.entity.of_probs(
        _membership(probs, antecedents, entities_of_links(near), written, reach)
    ).tolist()
    mention = calibration.mention.of_logits(scored.logit).tolist()
    chosen = np.array(near, np.int64)
    link_probs = np.where(
        chosen == np.arange(len(link)),
        calibration.new.of_probs(probs[:, 0]),
        calibration.link.of_probs(
            np.where(antecedents == chosen[:, None], probs[:, 1:], 0).sum(-1)
        ),
    ).tolist()
    bounds = scored.bounds
    likely = _likely_antecedents(probs, antecedents, bounds, written, calibration)
    place = {i: at for at, i in enumerate(written)}
    last: dict[int, int] = {}  # [entity] its latest mention that is written
    decisions = []
    for i in written:
        antecedent = link[i] if link[i] in place else last.get(entity[i], i)
        last[entity[i]] = i
        decisions.append(
            Decision(
                span=Span(*bounds[i]),
                entity=entity[i],
                antecedent=None if antecedent == i else place[antecedent],
                probability=mention[i],
                link_probability=link_probs[i],
                entity_probability=belongs[i],
                antecedents=likely[i],
                head=int(scored.head[i]),
            )
        )
    return decisions


def predicted_entities(
    scored: ScoredDocument, *, singletons: str, document: Document | None = None
) -> Clustering[Span]:
    """The entities that `decide` decides on within reach, without any probability; arguments as there."""
    *_, entity, written = group_spans(
        scored, singletons=singletons, reach=len(scored.bounds), document=document
    )
    bounds = scored.bounds
    members: dict[int, list[Span]] = {}
    for i in written:
        members.setdefault(entity[i], []).append(Span(*bounds[i]))
    return Clustering(members.values())


def group_spans(
    scored: ScoredDocument,
    *,
    singletons: str,
    reach: int,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
    document: Document | None = None,
) -> Grouping:
    """Which spans are written, and in which entities; arguments as for `decide`."""
    scores, antecedents = _candidates(scored, singletons, document)
    bounds = scored.bounds
    must_link, cannot_link = list(must_link), list(cannot_link)
    if (must_link or cannot_link) and len(bounds) > MOST_CONSTRAINED:
        raise CorelaxError(
            f"constraints go with {MOST_CONSTRAINED} mentions at most, not {len(bounds)}"
        )
    claims = None if document is None else claims_of(document, bounds)
    near = link = best_antecedents(
        scores, antecedents, must_link=must_link, cannot_link=cannot_link, claims=claims
    )
    if document is not None and claims is not None and not cannot_link:
        link = with_far_names(document, bounds, near, reach, claims)
    entity = entities_of_links(link)
    mention = sigmoid(scored.logit).tolist()
    groups: dict[int, list[int]] = {}
    for i, e in enumerate(entity):
        groups.setdefault(e, []).append(i)
    if document is not None and singletons != "all":
        forced = {i for pair in must_link for i in pair}  # these stay
        for i in forced:
            mention[i] = 1.0
        for i in edged_with_markup(document, bounds):
            if i not in forced:
                groups[entity[i]].remove(i)
        for e, group in groups.items():
            if len(group) > 1:
                likely = [
                    i for i in group if mention[i] >= LEAST_BARE or not is_bare(document, bounds[i])
                ]
                groups[e] = without_overlaps(document, bounds, likely, mention)
    alone = {"drop": 2.0, "keep": IS_MENTION, "all": -1.0}[singletons]
    written = sorted(
        i for group in groups.values() for i in group if len(group) > 1 or mention[i] > alone
    )
    return Grouping(link, near, entity, written)


def _candidates(
    scored: ScoredDocument, singletons: str, document: Document | None
) -> tuple[Scores, Ints]:
    """Scores and antecedents, without links from or to spans that markup begins or ends."""
    scores, antecedents = scored.scores, scored.antecedents
    if document is not None and singletons != "all":
        scores = _unlinked(edged_with_markup(document, scored.bounds), scores, antecedents)
    return scores, antecedents


def _unlinked(barred: Sequence[int], scores: Scores, antecedents: Ints) -> Scores:
    """[span, 1 + candidate] scores without links from or to some spans."""
    if not barred:
        return scores
    is_barred = np.zeros(len(scores), bool)
    is_barred[list(barred)] = True
    scores = scores.copy()
    scores[:, 1:][is_barred[:, None] | is_barred[antecedents]] = -np.inf
    return scores


def _likely_antecedents(
    probs: Floats,
    antecedents: Ints,
    bounds: Sequence[tuple[int, int]],
    written: Sequence[int],
    calibration: Calibration,
) -> dict[int, tuple[Antecedent, ...]]:
    """[span] the best antecedents of those that are written, best first; column 0 is a new entity."""
    order = np.argsort(-probs[written], -1, kind="stable")[:, :SHOWN]
    new, links = calibration.new.of_probs(probs[:, :1]), calibration.link.of_probs(probs[:, 1:])
    shown = np.concatenate([new, links], -1)
    return {
        i: tuple(
            Antecedent(Span(*bounds[antecedents[i, at - 1]]) if at else None, float(shown[i, at]))
            for at in order[row].tolist()
            if probs[i, at] >= LEAST_SHOWN
        )
        for row, i in enumerate(written)
    }


def _membership(
    probs: Floats, antecedents: Ints, entity: Sequence[int], written: Sequence[int], reach: int
) -> Floats:
    """[span] the probability that it belongs to its entity; of the entities that are written."""
    wanted = {entity[i] for i in written}
    given = np.array([e if e in wanted else -1 for e in entity], np.int64)
    return membership(probs, antecedents, given, reach)
