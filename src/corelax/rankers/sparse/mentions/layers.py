"""Layers that all providers read in the same way: tags, speakers, and named entities.

Named entities are bracket pieces of a column: `(PERSON*`, `*`, `*)`, `(GPE)` or `(GPE*)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from corelax.document import Document

NO_TAG = "-"
NO_SPEAKER = "-"
NO_NAME = "O"
PRONOUN_TAGS = frozenset(["PRP", "PRP$"])

# Not NN and DT: the tag sets for German, Swedish and Chinese have them too.
_PENN_ONLY = frozenset(["NNS", "NNP", "NNPS", "PRP", "PRP$", "VBD", "VBG", "VBN", "VBP", "VBZ"])


def are_penn(tags: Iterable[str | None]) -> bool:
    """Whether the tags of a document are those of the Penn Treebank.

    >>> are_penn(["PRP", "VBD", "."]), are_penn(["PPER", "VVFIN", "$."])
    (True, False)
    """
    return not _PENN_ONLY.isdisjoint(tags)


def speakers(doc: Document) -> tuple[str, ...]:
    """[token] who speaks, as one word, or `-`.

    >>> speakers(Document(id="d", words=("Hi", "!"), layers={"speaker": ("Bob Lee", None)}))
    ('Bob_Lee', '-')
    """
    named = doc.layer("speaker")
    return tuple("_".join(name.split()) if name else NO_SPEAKER for name in named)


class Chunk(NamedTuple):
    """A named entity: tokens `start` up to `end`, and its type."""

    start: int
    end: int
    type: str


def name_chunks(doc: Document) -> list[Chunk]:
    """The named entities of a document, in order. They do not nest.

    >>> doc = Document(id="d", words=("Tom", "Reed", "left", "Oslo"),
    ...                layers={"ner": ("(PERSON*", "*)", "*", "(GPE)")})
    >>> name_chunks(doc)
    [Chunk(start=0, end=2, type='PERSON'), Chunk(start=3, end=4, type='GPE')]
    """
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
