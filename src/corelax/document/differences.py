"""Where two annotations of a document differ, in words."""

from __future__ import annotations

from collections.abc import Iterator

from corelax.core.printable import on_one_line
from corelax.document.clustering import Clustering
from corelax.document.document import Document
from corelax.document.span import Span


def describe_differences(
    doc: Document, *, gold: Clustering[Span], system: Clustering[Span]
) -> Iterator[str]:
    """Yields a line for each missed or spurious mention and each split or merged entity.

    Mentions are shown with their first and last token; `|` separates the pieces of a split entity, `+` the
    entities that were merged.

    >>> doc = Document.from_sentences("d", [["Ann", "saw", "Bo", "and", "waved", "to", "him"]])
    >>> gold, system = Clustering([[Span(2, 3), Span(6, 7)]]), Clustering([[Span(0, 1), Span(6, 7)]])
    >>> print(*describe_differences(doc, gold=gold, system=system), sep="\\n")
    missed    Bo [2]
    spurious  Ann [0]
    """
    comparison = gold.compare(system=system)
    yield from (f"missed    {_quote(doc, [m])}" for m in sorted(comparison.missed))
    yield from (f"spurious  {_quote(doc, [m])}" for m in sorted(comparison.spurious))
    for cluster in comparison.split:
        yield "split     " + " | ".join(_quote(doc, piece) for piece in _pieces(cluster, system))
    for cluster in comparison.merged:
        yield "merged    " + " + ".join(_quote(doc, piece) for piece in _pieces(cluster, gold))


def _pieces(cluster: tuple[Span, ...], other: Clustering[Span]) -> list[list[Span]]:
    """A cluster cut up as the other side has it; mentions that it lacks stand alone."""
    entity_of = {m: i for i, entity in enumerate(other) for m in entity}
    pieces: dict[object, list[Span]] = {}
    for mention in sorted(cluster):
        pieces.setdefault(entity_of.get(mention, mention), []).append(mention)
    return list(pieces.values())


def _quote(doc: Document, mentions: list[Span]) -> str:
    return ", ".join(f"{_shortened(on_one_line(doc.text(m)))} [{_place(m)}]" for m in mentions)


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:25]} … {text[-12:]}"


def _place(mention: Span) -> str:
    """The tokens of a mention, first and last included."""
    is_short = mention.end - mention.start <= 1
    return str(mention.start) if is_short else f"{mention.start}–{mention.end - 1}"
