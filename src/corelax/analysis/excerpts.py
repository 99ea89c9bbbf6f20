"""Excerpts of documents with what each system gets wrong in them, and passages made of them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from corelax.analysis.decisions import ERRORS, JudgedMention, judged_mentions
from corelax.document import Document, Span
from corelax.document.clustering import Clustering
from corelax.document.pairing import same_documents
from corelax.render.marked_text import MISSED, ShownMention
from corelax.render.passages import Passage, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Words `start` up to `end` of a document, and what each system gets wrong in them."""

    gold: Document
    systems: Mapping[str, Document]
    start: int
    end: int
    errors: Mapping[str, list[JudgedMention]]

    def holds(self, span: Span) -> bool:
        """Whether a mention is inside. One of no word is where its next word is, or at the very end."""
        is_before_end = span.start < self.end or self.end == len(self.gold.words)
        return self.start <= span.start and span.end <= self.end and is_before_end

    def overlaps(self, other: Excerpt) -> bool:
        same = self.gold.name == other.gold.name
        return same and self.start < other.end and other.start < self.end

    def in_sight(self, errors: Iterable[JudgedMention]) -> list[Span]:
        """The antecedents of mentions that are inside."""
        antecedents = (span for error in errors for span in (error.gold, error.system))
        return [span for span in antecedents if span is not None and self.holds(span)]

    def passage(
        self,
        sides: Sequence[tuple[str, Document, Mapping[Span, str] | None]],
        note: str,
        summary: Callable[[Counter[str]], str],
    ) -> Passage:
        """What is shown of each side: its name, its answers, its kinds of error (None: it is right)."""
        first, *others = (doc.clusters for _, doc, _ in sides)
        dense: dict[int, int] = {MISSED: MISSED}
        versions = []
        for (name, doc, kinds), numbers in zip(sides, entity_numbers(first, others), strict=True):
            shown = self._mentions(doc, numbers, kinds or {}, dense)
            summed_up = "" if kinds is None else summary(Counter(kinds.values()))
            versions.append(Version(name, shown, summed_up))
        words = self.gold.words[self.start : self.end]
        return Passage(self.gold.name, note, words, versions, self.start)

    def _mentions(
        self,
        doc: Document,
        numbers: Sequence[int],
        errors: Mapping[Span, str],
        dense: dict[int, int],
    ) -> list[ShownMention]:
        """The mentions inside. `dense` gets the numbers that are used, in the order of the text.

        Mentions with gaps are shown from their first word to their last. Where bad input has a mention
        twice, the first place counts, as for `decisions`.
        """
        left = dict(errors)
        listed = [
            (span, number, left.pop(span, ""))
            for number, cluster in zip(numbers, doc.clusters, strict=True)
            for span in dict.fromkeys(cluster)
            if self.holds(span)
        ]
        listed += [(span, MISSED, kind) for span, kind in left.items()]
        listed.sort(key=lambda entry: (entry[0].start, -entry[0].end, entry))
        return [
            ShownMention(
                start=span.start - self.start,
                end=span.end - self.start,
                entity=dense.setdefault(number, len(dense) - 1),
                error=error,
            )
            for span, number, error in listed
        ]


def paired_cases(
    gold: Sequence[Document], systems: Mapping[str, Sequence[Document]]
) -> Iterator[tuple[Document, dict[str, Document]]]:
    """Each gold document with those of the systems, in the order of gold."""
    by_name = {
        name: {
            ours.name: theirs for ours, theirs in same_documents(gold=gold, system=docs, where=name)
        }
        for name, docs in systems.items()
    }
    for doc in gold:
        yield doc, {name: docs[doc.name] for name, docs in by_name.items()}


def wrong_mentions(gold: Document, system: Document) -> list[JudgedMention]:
    """The mentions that a system gets wrong, in the order of the text, without their types."""
    judged = judged_mentions(gold, system, types=lambda _: "")
    return [decision for decision in judged if decision.kind in ERRORS]


def excerpts(
    gold: Document,
    systems: Mapping[str, Document],
    errors: Mapping[str, list[JudgedMention]],
    *,
    sentences: int,
    max_words: int,
) -> Iterator[Excerpt]:
    """All excerpts of up to `sentences` whole sentences where some system has an error."""
    bounds = gold.sentence_bounds
    for first, (start, _) in enumerate(bounds):
        for _, end in bounds[first : first + sentences]:
            if start < end <= start + max_words:
                empty = Excerpt(gold=gold, systems=systems, start=start, end=end, errors={})
                inside = {name: _inside(empty, listed) for name, listed in errors.items()}
                if any(inside.values()):
                    yield replace(empty, errors=inside)


def _inside(excerpt: Excerpt, listed: list[JudgedMention]) -> list[JudgedMention]:
    first, after = (
        bisect_left(listed, place, key=lambda decision: decision.span.start)
        for place in (excerpt.start, excerpt.end + 1)
    )
    return [error for error in listed[first:after] if excerpt.holds(error.span)]


def entity_numbers(gold: Clustering[Span], systems: Sequence[Clustering[Span]]) -> list[list[int]]:
    """The numbers of the entities of gold and of each system.

    Gold entities are numbered first. A system's entity gets the number of the gold entity with which it
    shares most mentions; a gold entity goes to one entity of a system, the best match first. What is left
    over is matched in the same way with what earlier systems had left over, or gets a number of its own.
    Of equal matches, the one that comes first in the text counts.

    >>> a, b, c, d, e = (Span(i, i + 1) for i in range(5))
    >>> gold = Clustering([[a, b], [c, d]])
    >>> entity_numbers(gold, [Clustering([[c], [a, b, d]]), Clustering([[e], [d, c]])])
    [[0, 1], [1, 0], [2, 1]]
    """
    known = [set(cluster) for cluster in gold]
    numbers = [list(range(len(gold)))]
    for system in systems:
        given = _matches(known, system, size=len(gold))
        for entity, cluster in enumerate(system):
            if entity not in given:
                given[entity] = len(known)
                known.append(set(cluster))
        numbers.append([given[entity] for entity in range(len(system))])
    return numbers


def _matches(known: Sequence[set[Span]], system: Clustering[Span], size: int) -> dict[int, int]:
    """Entity of the system → number of a known one; the first `size` of these are gold."""
    having: dict[Span, list[int]] = {}
    for number, mentions in enumerate(known):
        for mention in mentions:
            having.setdefault(mention, []).append(number)
    shared = Counter(
        (number, entity)
        for entity, cluster in enumerate(system)
        for mention in set(cluster)
        for number in having.get(mention, ())
    )

    def rank(pair: tuple[int, int]) -> tuple[bool, int, Span, Span]:
        number, entity = pair
        return number >= size, -shared[pair], min(known[number]), min(system[entity])

    given: dict[int, int] = {}
    taken: set[int] = set()
    for number, entity in sorted(shared, key=rank):
        if number not in taken and entity not in given:
            given[entity] = number
            taken.add(number)
    return given
