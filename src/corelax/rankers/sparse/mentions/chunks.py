"""Noun chunks from Penn tags alone: runs of words that make up noun phrases, and ways to join them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corelax.document import Document
from corelax.english.pronouns import PRONOUNS
from corelax.rankers.sparse.mentions.layers import PRONOUN_TAGS

_INSIDE = frozenset(["DT", "PDT", "PRP$", "CD", "POS", "VBN", "VBG", "RB"])
_INSIDE_KINDS = ("JJ", "NN")  # JJR, NNS, ...
_OPENING = frozenset(["DT", "PRP$"])
_NOT_FIRST = frozenset(["RB", "VBG", "VBN", "POS"])


def phrases(doc: Document, tags: Sequence[str]) -> dict[tuple[int, int], int]:
    """(start, end) → head of noun chunks, pronouns, and chunks joined by *of*, *and* or a possessive mark.

    >>> doc = Document(id="d", words=("the", "end", "of", "Ann", "'s", "road"))
    >>> phrases(doc, ("DT", "NN", "IN", "NNP", "POS", "NN"))
    {(0, 2): 1, (0, 6): 1, (3, 6): 5, (3, 5): 3}
    """
    heads = {}
    for bounds in doc.sentence_bounds:
        end_of = dict(noun_chunks(tags, *bounds))  # start → end
        for start, end in end_of.items():
            for longer in (end, *_joined(doc.words, end_of, end)):
                heads[start, longer] = end - 1  # "A of B" and "A and B" have the head of A
            marks = [t for t in range(start, min(end + 1, bounds[1])) if tags[t] == "POS"]
            heads.update({(start, mark + 1): mark - 1 for mark in marks})
        for token in range(*bounds):
            if tags[token] in PRONOUN_TAGS or doc.words[token].lower() in PRONOUNS:
                heads[token, token + 1] = token
    return heads


def noun_chunks(tags: Sequence[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    """The runs of determiners, adjectives and nouns of a sentence, each ending in a noun.

    >>> list(noun_chunks(["DT", "NN", "VBD", "PRP$", "NN", "DT", "JJ", "NN", "RB"], 0, 9))
    [(0, 2), (3, 5), (5, 8)]
    """
    first = start
    for token in range(start, end + 1):
        ended = token == end or not _is_inside(tags[token])
        # A predeterminer stands before the determiner of its own chunk: "all the men".
        if not ended and (tags[token] not in _OPENING or tags[max(first, token - 1)] == "PDT"):
            continue
        if chunk := _trimmed(tags, first, token):
            yield chunk
        first = token + 1 if ended else token


def _is_inside(tag: str) -> bool:
    return tag in _INSIDE or tag.startswith(_INSIDE_KINDS)


def _trimmed(tags: Sequence[str], start: int, end: int) -> tuple[int, int] | None:
    """A run without what cannot begin or end a chunk; None if there is no noun in it."""
    while start < end and not tags[end - 1].startswith("NN"):
        end -= 1
    while start < end and tags[start] in _NOT_FIRST:
        start += 1
    return (start, end) if start < end else None


def _joined(words: Sequence[str], end_of: dict[int, int], end: int) -> Iterator[int]:
    """Ends of a chunk that ends at `end` and those that `of`, again and again, or one `and` joins to it."""
    if end < len(words) and words[end].lower() == "and" and end + 1 in end_of:
        yield end_of[end + 1]
    while end < len(words) and words[end].lower() == "of" and end + 1 in end_of:
        end = end_of[end + 1]
        yield end
