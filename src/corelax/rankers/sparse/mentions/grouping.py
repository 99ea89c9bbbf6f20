"""From candidate spans to mentions: names first, one mention for a head, appositions and conjuncts rescued.

The rules are those of the extractor that Wiseman et al. and Le & Titov used. Nothing else is filtered: no
pleonastic *it*, no limit of length, no stop list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corelax.document import Document
from corelax.rankers.sparse.mentions.analysis import Mention, in_order
from corelax.rankers.sparse.mentions.layers import Chunk

# Amounts are no entities; noun phrases around them may be.
AMOUNTS = frozenset(["QUANTITY", "CARDINAL", "PERCENT"])
POSSESSIVE = "'s"
RESCUING = frozenset(
    [",", "CC", "CCONJ"]
)  # tags that may follow the first part of something larger


def sentence_numbers(doc: Document) -> list[int]:
    """[token] the number of its sentence.

    >>> sentence_numbers(Document.from_sentences("d", [["Hi", "!"], ["Bye"]]))
    [0, 0, 1]
    """
    bounds = enumerate(doc.sentence_bounds)
    return [number for number, (start, end) in bounds for _ in range(start, end)]


def name_spans(
    chunks: Iterable[Chunk], words: Sequence[str], sentence: Sequence[int]
) -> list[tuple[int, int]]:
    """Named entities that are candidates, each with the possessive mark that follows it.

    >>> name_spans([Chunk(0, 2, "PERSON"), Chunk(3, 4, "CARDINAL")], ["Ann", "Lee", "'s", "two"], [0] * 4)
    [(0, 3)]
    """
    spans = []
    for start, end, type in chunks:
        if type not in AMOUNTS:
            possessive = end < len(words) and words[end] == POSSESSIVE
            spans.append(
                (start, end + 1 if possessive and sentence[end] == sentence[start] else end)
            )
    return spans


def outside(
    spans: Iterable[tuple[int, int]], names: Iterable[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The spans that do not lie in a name.

    >>> outside([(0, 2), (0, 3)], [(0, 2)])
    [(0, 3)]
    """
    end_of = {token: end for start, end in names for token in range(start, end)}
    return [(start, end) for start, end in spans if end > end_of.get(start, -1)]


def one_per_head(
    candidates: Iterable[Mention], tags: Sequence[str], sentence: Sequence[int]
) -> tuple[Mention, ...]:
    """The largest candidate of each head, and those smaller ones that a comma or conjunction follows.

    That keeps "Tom Reed" beside "Tom Reed , a doctor ,", and "A" beside "A and B". Of spans that cross, the
    one that begins first stays, unless another contains it.

    >>> tags = ["NNP", ",", "DT", "NN", ",", "VBD"]
    >>> candidates = [Mention(0, 0, 1, 0, 0), Mention(0, 0, 5, 0, 0)]
    >>> [mention[1:3] for mention in one_per_head(candidates, tags, [0] * 6)]
    [(0, 1), (0, 5)]
    """
    groups: dict[int, list[Mention]] = {}
    for candidate in set(candidates):
        groups.setdefault(candidate.head, []).append(candidate)
    chosen = []
    for group in groups.values():
        group.sort(key=lambda m: (m.start, -m.end))
        largest = group[0]
        for mention in group[1:]:
            if mention.start <= largest.start and mention.end >= largest.end:
                largest = mention
        chosen.append(largest)
        for mention in group:
            if mention is not largest and mention.end < len(tags):
                follows = sentence[mention.end] == mention.sentence
                if follows and tags[mention.end] in RESCUING:
                    chosen.append(mention)
    return in_order(chosen)
