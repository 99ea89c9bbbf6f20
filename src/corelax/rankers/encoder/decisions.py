"""From scored antecedents to decisions: which spans are mentions, of which entities, and how surely."""

from __future__ import annotations

import torch
from torch import Tensor

from corelax.core.errors import CorelaxError
from corelax.decode import Decision, Pairs, best_links
from corelax.document import Span
from corelax.rankers.adapt import from_pruned
from corelax.rankers.encoder.ranker import Scored
from corelax.relax.membership import candidate_probs, membership

IS_MENTION = 0.5  # a span that is alone is written if it is likelier a mention than not
MOST_CONSTRAINED = 20_000  # a table of all pairs is needed: 1.6 GB for so many


def decide(
    scored: Scored,
    *,
    singletons: str,
    reach: int,
    must_link: Pairs = (),
    cannot_link: Pairs = (),
) -> list[Decision]:
    """Each span takes its best antecedent or starts an entity.

    Args:
        scored: One document, on the CPU.
        singletons: "drop" spans that are alone, "keep" those that are likely mentions, or "all".
        reach: How far back antecedents lie at most, in spans.
        must_link: Pairs of spans that belong together.
        cannot_link: Pairs that do not.
    """
    scores, antecedents = (tensor[0] for tensor in scored.candidates)
    must_link, cannot_link = list(must_link), list(cannot_link)
    if must_link or cannot_link:
        link = _constrained(scores, antecedents, must_link, cannot_link)
    else:
        link = _best(scores, antecedents)
    entity, sizes = _entities(link)
    mention = scored.spans.logit[0].sigmoid().tolist()
    alone = {"drop": 2.0, "keep": IS_MENTION, "all": -1.0}[singletons]
    kept = [i for i, e in enumerate(entity) if sizes[e] > 1 or mention[i] > alone]
    place = {i: at for at, i in enumerate(kept)}
    probs = candidate_probs(scores)
    written = torch.tensor([e if i in place else -1 for i, e in enumerate(entity)])
    belongs = membership(probs, antecedents, written, reach).tolist()
    chosen = torch.tensor(link)
    sure = torch.where(
        chosen == torch.arange(len(link)),
        probs[:, 0],
        probs[:, 1:].masked_fill(antecedents != chosen[:, None], 0).sum(-1),
    ).tolist()
    start, end = scored.spans.start[0].tolist(), scored.spans.end[0].tolist()
    return [
        Decision(
            span=Span(start[i], end[i]),
            entity=entity[i],
            antecedent=None if link[i] == i else place[link[i]],
            probability=mention[i],
            link_probability=sure[i],
            entity_probability=belongs[i],
        )
        for i in kept
    ]


def _best(scores: Tensor, antecedents: Tensor) -> list[int]:
    """The antecedent of each span; the span itself if it starts an entity."""
    itself = torch.arange(len(scores))
    if not antecedents.shape[1]:
        return itself.tolist()
    best, where = scores[:, 1:].max(-1)
    linked = antecedents.gather(1, where[:, None]).squeeze(1)
    found: list[int] = torch.where(best >= scores[:, 0], linked, itself).tolist()
    return found


def _constrained(
    scores: Tensor, antecedents: Tensor, must_link: Pairs, cannot_link: Pairs
) -> list[int]:
    """The same under constraints: of its entity, a span takes the antecedent with the best score."""
    if len(scores) > MOST_CONSTRAINED:
        raise CorelaxError(
            f"constraints go with {MOST_CONSTRAINED} mentions at most, not {len(scores)}"
        )
    table = from_pruned(scores, antecedents)
    entities = best_links(table, must_link=must_link, cannot_link=cannot_link, singletons="keep")
    link = list(range(len(scores)))
    for entity in entities:
        for at, i in enumerate(entity[1:], 1):
            link[i] = entity[int(table[i, entity[:at]].argmax())]
    return link


def _entities(link: list[int]) -> tuple[list[int], list[int]]:
    """The number of each span's entity, and how many spans each entity has."""
    entity: list[int] = []
    sizes: list[int] = []
    for i, j in enumerate(link):
        if i == j:
            entity.append(len(sizes))
            sizes.append(0)
        else:
            entity.append(entity[j])
        sizes[entity[-1]] += 1
    return entity, sizes
