"""From scored antecedents to decisions: which spans are mentions, of which entities, and how surely."""

from __future__ import annotations

from collections import Counter

import torch

from corelax.core.errors import CorelaxError
from corelax.decode import Decision, Pairs, best_antecedents, entities_of_links
from corelax.document import Span
from corelax.rankers.adapt import from_pruned
from corelax.rankers.encoder.ranker import Scored
from corelax.relax.membership import candidate_probs, membership

IS_MENTION = 0.5  # a span that is alone is written if it is likelier a mention than not
MOST_CONSTRAINED = 20_000  # a table of all pairs is needed: 1.6 GB


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
        if len(scores) > MOST_CONSTRAINED:
            raise CorelaxError(
                f"constraints go with {MOST_CONSTRAINED} mentions at most, not {len(scores)}"
            )
        table = from_pruned(scores, antecedents)
        link = best_antecedents(table, must_link=must_link, cannot_link=cannot_link)
    else:
        link = best_antecedents(scores, antecedents)
    entity = entities_of_links(link)
    sizes = Counter(entity)
    mention = scored.spans.logit[0].sigmoid().tolist()
    alone = {"drop": 2.0, "keep": IS_MENTION, "all": -1.0}[singletons]
    written = [i for i, e in enumerate(entity) if sizes[e] > 1 or mention[i] > alone]
    place = {i: at for at, i in enumerate(written)}
    probs = candidate_probs(scores)
    given = torch.tensor([e if i in place else -1 for i, e in enumerate(entity)])
    belongs = membership(probs, antecedents, given, reach).tolist()
    chosen = torch.tensor(link)
    link_probs = torch.where(
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
            link_probability=link_probs[i],
            entity_probability=belongs[i],
        )
        for i in written
    ]
