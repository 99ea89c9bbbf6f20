"""A text resolved again under corrections: what the model finds, what was added, less what was removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.document import Span
from corelax.resolve.constraints import Constraints, in_words
from corelax.resolve.parts import without_alone
from corelax.resolve.resolution import Resolution, resolution_of

if TYPE_CHECKING:
    from corelax.resolve.resolver import Resolver


def constrained(
    resolver: Resolver,
    found: Resolution,
    constraints: Constraints,
    *,
    singletons: str,
    scheme: str | None = None,
) -> Resolution:
    """A resolution whose entities respect constraints.

    The mentions are those that were found and those of the constraints. Links that are not constrained are
    the model's. Mentions of the constraints stay also where they are alone; those with gaps or without words,
    which only files with annotated mentions have, are left out.

    Args:
        resolver: What has found the entities.
        found: The text with its entities.
        constraints: In characters of the text.
        singletons: "drop" or "keep" other mentions that are alone.
        scheme: As in `Resolver.resolve`.
    """
    document = found.document
    where = f"document {document.key}: constraints"
    offsets = document.layer("offsets")
    given = in_words(constraints.mentions, found.text, offsets, where)
    removed = in_words(constraints.removed, found.text, offsets, where)
    plain = [
        m.span.bounds for m in found.mentions if m.span.is_continuous and m.span.end > m.span.start
    ]
    every = set(plain) - set(removed)
    mentions = sorted(every | set(given))
    position = {span: at for at, span in enumerate(mentions)}
    must_link, cannot_link = (
        [(position[given[a]], position[given[b]]) for a, b in pairs]
        for pairs in (constraints.must_link, constraints.cannot_link)
    )
    again = resolver.resolve(
        document, mentions=mentions, must_link=must_link, cannot_link=cannot_link, scheme=scheme
    )
    if singletons == "keep":
        return again
    stay = {Span(*span) for span in given}
    return resolution_of(document, without_alone(again.mentions, stay))
