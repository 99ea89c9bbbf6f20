"""Where two annotations of a document differ: as mentions and entities, and in words."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from corelax.core.printable import on_one_line
from corelax.document.clustering import Clustering, entity_of_mentions
from corelax.document.document import Document
from corelax.document.span import Span

M = TypeVar("M", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Comparison(Generic[M]):
    """Where two clusterings of a document differ.

    Attributes:
        missed: Mentions that only gold has.
        spurious: Mentions that only the system has.
        correct: Entities with the same mentions in gold and system.
        split: Gold entities whose mentions lie in two or more system entities.
        merged: System entities with mentions of two or more gold entities.
    """

    missed: tuple[M, ...]
    spurious: tuple[M, ...]
    correct: tuple[tuple[M, ...], ...]
    split: tuple[tuple[M, ...], ...]
    merged: tuple[tuple[M, ...], ...]

    @classmethod
    def of(cls, *, gold: Clustering[M], system: Clustering[M]) -> Comparison[M]:
        gold_entity, system_entity = entity_of_mentions(gold), entity_of_mentions(system)
        system_sets = {frozenset(cluster) for cluster in system}
        return cls(
            missed=tuple(m for m in gold_entity if m not in system_entity),
            spurious=tuple(m for m in system_entity if m not in gold_entity),
            correct=tuple(c for c in gold if frozenset(c) in system_sets),
            split=tuple(c for c in gold if _spread(c, system_entity) > 1),
            merged=tuple(c for c in system if _spread(c, gold_entity) > 1),
        )


def _spread(cluster: tuple[M, ...], entity_of: dict[M, int]) -> int:
    return len({entity_of[m] for m in cluster if m in entity_of})


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
    is_short = mention.end - mention.start <= 1
    return str(mention.start) if is_short else f"{mention.start}–{mention.end - 1}"
