"""Where two annotations of a document differ, in words."""

from __future__ import annotations

from collections.abc import Iterator

from corelax.document import Document, Span


def describe_differences(*, gold: Document, system: Document) -> Iterator[str]:
    """A line for each mention missed or added and each entity split or merged.

    >>> text = [["Ann", "saw", "Bo", "and", "waved", "to", "him"]]
    >>> gold = Document.from_sentences("d", text, clusters=[[(2, 3), (6, 7)]])
    >>> system = Document.from_sentences("d", text, clusters=[[(0, 1), (6, 7)]])
    >>> print(*describe_differences(gold=gold, system=system), sep="\\n")
    missed    Bo [2]
    spurious  Ann [0]
    """
    found = gold.clusters.compare(system=system.clusters)
    yield from (f"missed    {_quote(gold, [m])}" for m in sorted(found.missed))
    yield from (f"spurious  {_quote(gold, [m])}" for m in sorted(found.spurious))
    for cluster in found.split:
        pieces = _pieces(cluster, system)
        yield "split     " + " | ".join(_quote(gold, piece) for piece in pieces)
    for cluster in found.merged:
        pieces = _pieces(cluster, gold)
        yield "merged    " + " + ".join(_quote(gold, piece) for piece in pieces)


def _pieces(cluster: tuple[Span, ...], other: Document) -> list[list[Span]]:
    """A cluster cut up as the other side has it; mentions that it lacks stand alone."""
    entity_of = {m: i for i, entity in enumerate(other.clusters) for m in entity}
    pieces: dict[object, list[Span]] = {}
    for mention in sorted(cluster):
        pieces.setdefault(entity_of.get(mention, mention), []).append(mention)
    return list(pieces.values())


def _quote(doc: Document, mentions: list[Span]) -> str:
    return ", ".join(f"{doc.text(m)} [{_place(m)}]" for m in mentions)


def _place(mention: Span) -> str:
    """The tokens of a mention, first and last included."""
    one = mention.end - mention.start <= 1
    return str(mention.start) if one else f"{mention.start}–{mention.end - 1}"
