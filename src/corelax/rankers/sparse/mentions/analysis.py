"""A document as the sparse features see it, whatever annotation it has, and rules that all providers share.

Three providers build an `Analysis`: constituency trees (`constituency.py`), Universal Dependencies
(`universal.py`) and bare tokens (`bare.py`). All that follows, attributes and features, reads nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corelax.document import Document

NO_TAG = NO_SPEAKER = "-"
NO_NAME = "O"
PRONOUN_TAGS = frozenset(["PRP", "PRP$"])
# Not NN and DT: the tag sets for German, Swedish and Chinese have them too.
_PENN_ONLY = frozenset(["NNS", "NNP", "NNPS", "PRP", "PRP$", "VBD", "VBG", "VBN", "VBP", "VBZ"])
# Amounts are no entities; noun phrases around them may be.
AMOUNTS = frozenset(["QUANTITY", "CARDINAL", "PERCENT"])
POSSESSIVE = "'s"
RESCUING = frozenset([",", "CC", "CCONJ"])  # tags that may follow a part of something larger

Bounds = tuple[int, int]


class Mention(NamedTuple):
    """A candidate mention. Positions count the tokens of the whole document.

    Attributes:
        sentence: Number of its sentence.
        start: First token.
        end: One past the last token.
        head: The token whose word is the head word.
        node: The token whose governor is the mention's: the head, but for flat names in Universal
            Dependencies, where the tree's head is the first name and the head word is the last.
    """

    sentence: int
    start: int
    end: int
    head: int
    node: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A document as the features see it.

    Attributes:
        document: The words, sentences and gold entities.
        mentions: The detected mentions, sorted by (sentence, head, end, start).
        head_of: (start, end) → (head, node) of any span inside a sentence.
        tags: [token] part-of-speech tags, Penn where there are any, else universal; None if there are none.
        governors: [token] the token that governs this one, −1 at a root; None if there is no syntax.
        names: [token] the type of the named entity that covers it, "O" for none.
        speakers: [token] who speaks, "-" where that is not known.
        pronouns: [token] whether the tag says that this is a personal or possessive pronoun.
        morphology: [token] Universal Dependencies features such as {"Number": "Plur"}; empty where there are
            none.
    """

    document: Document
    mentions: tuple[Mention, ...]
    head_of: Callable[[int, int], tuple[int, int]]
    tags: tuple[str, ...] | None
    governors: tuple[int, ...] | None
    names: tuple[str, ...]
    speakers: tuple[str, ...]
    pronouns: tuple[bool, ...]
    morphology: tuple[Mapping[str, str], ...] = ()


def are_penn(tags: Iterable[str | None]) -> bool:
    """Whether the tags of a document are those of the Penn Treebank."""
    return not _PENN_ONLY.isdisjoint(tags)


def speakers(doc: Document) -> tuple[str, ...]:
    """[token] who speaks, as one word, or `-`."""
    named = doc.layer("speaker")
    return tuple("_".join(name.split()) if name else NO_SPEAKER for name in named)


class Chunk(NamedTuple):
    """A named entity: tokens `start` up to `end`, and its type."""

    start: int
    end: int
    type: str


def name_chunks(doc: Document) -> list[Chunk]:
    """The named entities of a document, in order, from bracket pieces. They do not nest."""
    chunks = []
    pieces = doc.layer("ner", "*")
    for first, last in doc.sentence_bounds:
        opened: tuple[int, str] | None = None
        for token in range(first, last):
            piece = pieces[token] or "*"
            if "(" in piece:
                opened = (token, piece[piece.rindex("(") + 1 :].rstrip(")*"))
            if ")" in piece and opened is not None:
                chunks.append(Chunk(opened[0], token + 1, opened[1]))
                opened = None
    return chunks


def name_types(size: int, chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """[token] the type of the entity that covers it, or `O`."""
    types = [NO_NAME] * size
    for start, end, type in chunks:
        types[start:end] = [type] * (end - start)
    return tuple(types)


def name_spans(
    chunks: Iterable[Chunk], words: Sequence[str], sentence: Sequence[int]
) -> list[Bounds]:
    """Named entities that are candidates, each with the possessive mark that follows it."""
    spans = []
    for start, end, type in chunks:
        if type not in AMOUNTS:
            marked = end < len(words) and words[end] == POSSESSIVE
            spans.append((start, end + (marked and sentence[end] == sentence[start])))
    return spans


def sentence_numbers(doc: Document) -> list[int]:
    """[token] the number of its sentence."""
    bounds = enumerate(doc.sentence_bounds)
    return [number for number, (start, end) in bounds for _ in range(start, end)]


def outside(spans: Iterable[Bounds], names: Iterable[Bounds]) -> list[Bounds]:
    """The spans that do not lie in a name."""
    end_of = {token: end for start, end in names for token in range(start, end)}
    return [(start, end) for start, end in spans if end > end_of.get(start, -1)]


def in_order(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """Mentions in the order in which they are numbered; antecedents of i are those before i."""
    return tuple(sorted(mentions, key=lambda m: (m.sentence, m.head, m.end, m.start)))


def one_per_head(
    candidates: Iterable[Mention], tags: Sequence[str], sentence: Sequence[int]
) -> tuple[Mention, ...]:
    """The largest candidate of each head, and those smaller ones that a comma or conjunction follows.

    That keeps "Tom Reed" beside "Tom Reed , a doctor ,", and "A" beside "A and B". Of spans that cross, the
    one that begins first stays, unless another contains it. As in the extractor of Wiseman et al.
    and Le & Titov nothing else is filtered: no pleonastic *it*, no limit of length, no stop list.

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
