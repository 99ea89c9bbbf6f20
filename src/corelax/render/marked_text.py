"""A text from left to right with its mentions as brackets that nest: what terminal and page are made of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from corelax.core.printable import on_one_line, printable
from corelax.render.passage_text import Mark, ShownMention, nested
from corelax.resolve.resolution import Resolution

COLOURS = 9  # that tell entities apart; grey is for those of one mention
_GLUED = "-"  # a word that `nested` puts no blanks around: the text has its own


class Opening(NamedTuple):
    """A mention begins, or goes on behind one that it crosses (`is_first` False).

    `height` is how many mentions lie in one another inside.
    """

    mention: int
    height: int
    is_first: bool


class Closing(NamedTuple):
    """A mention ends, or is cut where one that it crosses ends (`is_last` False)."""

    mention: int
    is_last: bool


def marked_text(resolution: Resolution) -> Iterator[str | Opening | Closing]:
    """The pieces of the text and, by their positions, the mentions that begin and end between them.

    >>> from corelax.document import Document, Span
    >>> from corelax.decode import Decision
    >>> from corelax.resolve.resolution import resolution_of
    >>> doc = Document(id="d", words=("Hi", "Ann"), layers={"offsets": ((0, 2), (3, 6))})
    >>> found = resolution_of(doc, [Decision(Span(1, 2), 0, None, 1.0, 1.0, 1.0)], "Hi\\nAnn")
    >>> [piece if isinstance(piece, str) else type(piece).__name__ for piece in marked_text(found)]
    ['Hi', '\\n', 'Opening', 'Ann', 'Closing']
    """
    # Words and what is between them in turn: word i is chunk 2i + 1. A mention of no word comes before the
    # blank before its next word, as nested puts a blank before it.
    edges = [0, *chain.from_iterable(resolution.document.layer("offsets")), len(resolution.text)]
    shown = [
        ShownMention(2 * span.start + (span.start < span.end), 2 * span.end, entity=number)
        for number, span in enumerate(mention.span for mention in resolution.mentions)
    ]
    chunks = (resolution.text[start:end] for start, end in pairwise(edges))
    seen: set[int] = set()
    # Not recursive: a text may have mentions in mentions a thousand deep.
    left: list[Mark | str | Closing] = [*nested([_GLUED] * (len(edges) - 1), shown)[::-1]]
    while left:
        piece = left.pop()
        if isinstance(piece, Closing):
            yield piece
        elif isinstance(piece, str):
            if text := printable(next(chunks) if piece == _GLUED else piece):
                yield text
        else:
            number, inside = piece.mention.entity, piece.inside
            is_first = number not in seen
            if not is_first and inside[0] == _GLUED:  # the blank where it was cut is not part of it
                yield printable(next(chunks))
                inside = inside[1:]
            seen.add(number)
            yield Opening(number, piece.height, is_first)
            left += [Closing(number, piece.is_last), *inside[::-1]]


def colours(resolution: Resolution) -> list[int | None]:
    """A colour for each entity, different for neighbours; None for entities of one mention."""
    numbers = iter(range(len(resolution.entities)))
    return [
        next(numbers) % COLOURS if len(entity.mentions) > 1 else None
        for entity in resolution.entities
    ]


def briefly(text: str, limit: int) -> str:
    """The beginning of a text on one line.

    >>> briefly("the dog\\nthat barked", 10)
    'the dog t…'
    """
    line = on_one_line(text)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def counted(mentions: int) -> str:
    """How many mentions.

    >>> counted(1), counted(1200)
    ('1 mention', '1,200 mentions')
    """
    return f"{mentions:,} mention{'' if mentions == 1 else 's'}"
