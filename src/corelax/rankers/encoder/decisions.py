"""From scored antecedents to decisions: which spans are mentions, of which entities, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from corelax.core.errors import CorelaxError
from corelax.decode import (
    Antecedent,
    Claims,
    Decision,
    Pairs,
    best_antecedents,
    claims_of,
    edged_with_markup,
    entities_of_links,
    is_bare,
    without_overlaps,
)
from corelax.document import Document, Span
from corelax.document.clustering import Clustering
from corelax.rankers.adapt import from_pruned
from corelax.rankers.encoder.calibration import UNCALIBRATED, Calibration
from corelax.rankers.encoder.ranker import Scored
from corelax.relax.membership import candidate_probs, membership

IS_MENTION = 0.5  # a span that is alone is written if it is likelier a mention than not
LEAST_BARE = 0.2  # a less likely bare word is not written though it is linked: most are verbs
SHOWN = 3  # antecedents of a mention that are given with their probabilities
LEAST_SHOWN = 0.001
MOST_CONSTRAINED = 20_000  # a table of all pairs is needed: 1.6 GB


class Grouping(NamedTuple):
    """Which spans are written, and in which entities.

    Attributes:
        link: [span] the antecedent that each span takes; itself if it starts an entity.
        entity: [span] numbers of entities.
        written: The spans that are written, in the order of the text.
    """

    link: list[int]
    entity: list[int]
    written: list[int]


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
        scored: One document, on the CPU.
        singletons: "drop" spans that are alone, "keep" those that are likely mentions, or "all".
        reach: How far back antecedents lie at most, in spans.
        must_link: Pairs of spans that belong together.
        cannot_link: Pairs that do not.
        calibration: Changes the probabilities of the result, never what is decided.
        document: If it is given, its words keep people apart (`claims_of`). Unless "all" spans are wanted,
            those with markup at an edge, unlikely verbs and the like (`is_bare`), and the less likely of two
            that overlap in an entity are not written. A span that was linked to such a one goes to the
            mention of the entity before it, with the probability of its own link.
    """
    scores, antecedents = _candidates(scored, singletons, document)
    link, entity, written = group_spans(
        scored,
        singletons=singletons,
        must_link=must_link,
        cannot_link=cannot_link,
        document=document,
    )
    probs = candidate_probs(scores / calibration.link_temperature)
    belongs = calibration.entity.of_probs(
        _membership(probs, antecedents, entity, written, reach)
    ).tolist()
    mention = calibration.mention.of_logits(scored.spans.logit[0]).tolist()
    chosen = torch.tensor(link)
    link_probs = torch.where(
        chosen == torch.arange(len(link)),
        calibration.new.of_probs(probs[:, 0]),
        calibration.link.of_probs(
            probs[:, 1:].masked_fill(antecedents != chosen[:, None], 0).sum(-1)
        ),
    ).tolist()
    likely = _likely_antecedents(probs, antecedents, _bounds(scored), written, calibration)
    start, end = scored.spans.start[0].tolist(), scored.spans.end[0].tolist()
    place = {i: at for at, i in enumerate(written)}
    last: dict[int, int] = {}  # [entity] its latest mention that is written
    decisions = []
    for i in written:
        antecedent = link[i] if link[i] in place else last.get(entity[i], i)
        last[entity[i]] = i
        decisions.append(
            Decision(
                span=Span(start[i], end[i]),
                entity=entity[i],
                antecedent=None if antecedent == i else place[antecedent],
                probability=mention[i],
                link_probability=link_probs[i],
                entity_probability=belongs[i],
                antecedents=likely[i],
            )
        )
    return decisions


def predicted_entities(
    scored: Scored, *, singletons: str, document: Document | None = None
) -> Clustering[Span]:
    """The entities that `decide` decides on, without any probability; arguments as there."""
    _, entity, written = group_spans(scored, singletons=singletons, document=document)
    start, end = scored.spans.start[0].tolist(), scored.spans.end[0].tolist()
    members: dict[int, list[Span]] = {}
    for i in written:
        members.setdefault(entity[i], []).append(Span(start[i], end[i]))
    return Clustering(members.values())


def group_spans(
    scored: Scored,
    *,
    singletons: str,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
    document: Document | None = None,
) -> Grouping:
    """Which spans are written, and in which entities; arguments as for `decide`."""
    scores, antecedents = _candidates(scored, singletons, document)
    bounds = _bounds(scored)
    claims = None if document is None else claims_of(document, bounds)
    must_link = list(must_link)
    link = _links(scores, antecedents, must_link, list(cannot_link), claims)
    entity = entities_of_links(link)
    mention = scored.spans.logit[0].sigmoid().tolist()
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
    return Grouping(link, entity, written)


def _bounds(scored: Scored) -> list[tuple[int, int]]:
    """[span] first word and one past the last."""
    return list(zip(scored.spans.start[0].tolist(), scored.spans.end[0].tolist(), strict=True))


def _candidates(
    scored: Scored, singletons: str, document: Document | None
) -> tuple[Tensor, Tensor]:
    """Scores and antecedents, without links from or to spans that markup begins or ends."""
    scores, antecedents = (tensor[0] for tensor in scored.candidates)
    if document is not None and singletons != "all":
        scores = _unlinked(edged_with_markup(document, _bounds(scored)), scores, antecedents)
    return scores, antecedents


def _links(
    scores: Tensor,
    antecedents: Tensor,
    must_link: Sequence[tuple[int, int]],
    cannot_link: Sequence[tuple[int, int]],
    claims: Claims | None,
) -> list[int]:
    """The antecedent of each span, or itself."""
    if not must_link and not cannot_link:
        return best_antecedents(scores, antecedents, claims=claims)
    if len(scores) > MOST_CONSTRAINED:
        raise CorelaxError(
            f"constraints go with {MOST_CONSTRAINED} mentions at most, not {len(scores)}"
        )
    table = from_pruned(scores, antecedents)
    return best_antecedents(table, must_link=must_link, cannot_link=cannot_link, claims=claims)


def _unlinked(barred: Sequence[int], scores: Tensor, antecedents: Tensor) -> Tensor:
    """[span, 1 + candidate] scores without links from or to some spans."""
    if not barred:
        return scores
    is_barred = torch.zeros(len(scores), dtype=torch.bool)
    is_barred[list(barred)] = True
    links = scores[:, 1:].masked_fill(is_barred[:, None] | is_barred[antecedents], -torch.inf)
    return torch.cat([scores[:, :1], links], -1)


def _likely_antecedents(
    probs: Tensor,
    antecedents: Tensor,
    bounds: Sequence[tuple[int, int]],
    written: Sequence[int],
    calibration: Calibration,
) -> dict[int, tuple[Antecedent, ...]]:
    """[span] the best antecedents of those that are written, best first; column 0 is a new entity."""
    if not written:
        return {}
    rows = torch.tensor(written)
    order = probs[rows].topk(min(SHOWN, probs.shape[1]), -1).indices
    new, links = calibration.new.of_probs(probs[:, :1]), calibration.link.of_probs(probs[:, 1:])
    shown = torch.cat([new, links], -1)[rows].gather(-1, order).tolist()
    raw = probs[rows].gather(-1, order).tolist()
    likely: dict[int, tuple[Antecedent, ...]] = {}
    for row, i in enumerate(written):
        likely[i] = tuple(
            Antecedent(Span(*bounds[int(antecedents[i, at - 1])]) if at else None, probability)
            for at, probability, p in zip(order[row].tolist(), shown[row], raw[row], strict=True)
            if p >= LEAST_SHOWN
        )
    return likely


def _membership(
    probs: Tensor, antecedents: Tensor, entity: Sequence[int], written: Sequence[int], reach: int
) -> Tensor:
    """[span] the probability that it belongs to its entity; of the entities that are written."""
    wanted = {entity[i] for i in written}
    given = torch.tensor([e if e in wanted else -1 for e in entity], dtype=torch.long)
    return membership(probs, antecedents, given, reach)
