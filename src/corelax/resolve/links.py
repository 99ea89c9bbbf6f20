"""Link probabilities of a text: every span that the ranker looks at, and where each may link to."""

from __future__ import annotations

from typing import Any

import numpy as np

from corelax.decode.membership import candidate_probs
from corelax.resolve.resolution import Resolution
from corelax.resolve.resolver import Resolver

MOST_SPANS = 400  # of a text whose links are asked for: about a thousand words
SMALLEST = 1e-6  # less likely links are left out
DIGITS = 7


def candidate_links(
    resolver: Resolver, found: Resolution, *, scheme: str | None = None, most: int = MOST_SPANS
) -> dict[str, Any]:
    """p(a_i = j) of all likely mentions of a text, as JSON takes it.

    Args:
        resolver: With an encoder ranker.
        found: The text with its entities.
        scheme: As in `Resolver.resolve`.
        most: If there are more spans than that, none are given.

    Returns:
        "count", the number of spans, or a lower bound of it if none are given. "spans", each [first word, one
        past the last]. "links", for each span [position of the antecedent, probability]; the span itself
        stands for a new entity. The links of a span sum to 1.

    >>> resolver = Resolver.from_pretrained()
    >>> links = candidate_links(resolver, resolver.resolve("Ann said she left."))
    >>> links["spans"], [max(row, key=lambda link: link[1])[0] for row in links["links"]]
    ([[0, 1], [2, 3]], [0, 0])
    """
    if len(found.mentions) > most:  # the likely ones are no fewer: the network need not run again
        return {"count": len(found.mentions), "spans": [], "links": []}
    [scored] = resolver.model.scored([found.source], scheme=scheme)
    count = len(scored.bounds)
    if count > most:
        return {"count": count, "spans": [], "links": []}
    probs = candidate_probs(scored.scores / scored.calibration.link_temperature)
    rows = []
    for i in range(count):
        choices = np.concatenate([[i], scored.antecedents[i]])
        likely = [
            (int(j), float(p)) for j, p in zip(choices, probs[i], strict=True) if p > SMALLEST
        ]
        total = sum(p for _, p in likely)
        rows.append([[j, round(p / total, DIGITS)] for j, p in sorted(likely)])
    return {"count": count, "spans": [list(bounds) for bounds in scored.bounds], "links": rows}
