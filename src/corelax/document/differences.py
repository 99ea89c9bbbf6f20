"""Where two annotations of a document differ, in words."""

from __future__ import annotations

from collections.abc import Iterator

from corelax.document import Document, Span
from corelax.document.clustering import Clustering


def describe_differences(
    doc: Document, *, gold: Clustering[Span], system: Clustering[Span]
) -> Iterator[str]:
    """A line for each mention missed or added and each entity split or merged.

    Mentions are shown with their first and last token; `|` stands where the system splits an entity,
    `+` where it merges several.

    >>> doc = Document.from_sentences("d", [["Ann", "saw", "Bo", "and", "waved", "to", "him"]])
    >>> gold, system = Clustering([[Span(2, 3), Span(6, 7)]]), Clustering([[Span(0, 1), Span(6, 7)]])
    >>> print(*describe_differences(doc, gold=gold, system=system), sep="\\n")
    missed    Bo [2]
    spurious  Ann [0]
    """
    found = gold.compare(system=system)
    yield from (f"missed    {_quote(doc, [m])}" for m in sorted(found.missed))
    yield from (f"spurious  {_quote(doc, [m])}" for m in sorted(found.spurious))
    for cluster in found.split:
        yield "split     " + " | ".join(_quote(doc, piece) for piece in _pieces(cluster, system))
    for cluster in found.merged:
        yield "merged    " + " + ".join(_quote(doc, piece) for piece in _pieces(cluster, gold))


def _pieces(cluster: tuple[Span, ...], other: Clustering[Span]) -> list[list[Span]]:
    """A cluster cut up as the other side has it; mentions that it lacks stand alone."""
    entity_of = {m: i for i, entity in enumerate(other) for m in entity}
    pieces: dict[object, list[Span]] = {}
    for mention in sorted(cluster):
        pieces.setdefault(entity_of.get(mention, mention), []).append(mention)
    return list(pieces.values())


def _quote(doc: Document, mentions: list[Span]) -> str:
    return ", ".join(f"{_shortened(doc.text(m))} [{_place(m)}]" for m in mentions)


def _shortened(text: str) -> str:
    """The beginning and the end of a long mention."""
    return text if len(text) <= 40 else f"{text[:25]} … {text[-12:]}"


def _place(mention: Span) -> str:
    """The tokens of a mention, first and last included."""
    one = mention.end - mention.start <= 1
    return str(mention.start) if one else f"{mention.start}–{mention.end - 1}"
