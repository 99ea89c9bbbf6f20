"""Texts with their mentions as brackets that nest: what terminal, pages and passages are made of.

HTML and brackets nest, mentions mostly do. Of two that cross, the one that starts later is cut where the
other ends; its pieces keep its entity, and all but the last are unfinished. A mention of no word (a zero
pronoun) stands before the word at which it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain, pairwise
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.core.printable import printable
from corelax.render.views import ResolutionView

MISSED = -1
ZERO = "∅"
_GLUED = "-"  # a word that `nested_text` puts no blanks around: the text has its own

_OPENING = frozenset("( [ { “ ‘ « ` `` $ £ € # ¿ ¡ -LRB- -LSB- -LCB-".split())
_CLOSING = frozenset(
    ", . ; : ! ? % ) ] } ” ’ ' '' » … ... -RRB- -RSB- -RCB- n't n’t N'T N’T".split()
)
_CLITICS = frozenset("'s 're 've 'll 'm 'd 'S 'RE 'VE 'LL 'M 'D".split())
_GLUE = frozenset("- /".split())


class ShownMention(NamedTuple):
    """A mention of a passage.

    Attributes:
        start: Its first word, counted from the first of the passage.
        end: One past its last word; equal to `start` where it has no word.
        entity: The number of its colour; `MISSED` where the version does not have the mention, which is
            then shown for its error only.
        error: The kind of error that the version makes here; empty if none.
    """

    start: int
    end: int
    entity: int
    error: str = ""


class Mark(NamedTuple):
    """A mention, or a piece of one that was cut, with the text and the mentions in it.

    Attributes:
        mention: The whole mention.
        inside: What it holds.
        is_last: Whether the mention ends here; False for all but the last piece of one that was cut.
        height: How many mentions lie in one another inside.
    """

    mention: ShownMention
    inside: tuple[Mark | str, ...]
    is_last: bool = True
    height: int = 0


def spaced(words: Sequence[str]) -> list[bool]:
    """Whether a blank belongs before each word; for reading only.

    >>> words = 'He said : " I do n\\'t ( yet ) know Ann \\'s co - author . "'.split()
    >>> "".join(" " * space + word for space, word in zip(spaced(words), words, strict=True))
    'He said: "I don\\'t (yet) know Ann\\'s co-author."'
    """
    result = []
    glued = True  # nothing stands before the first word
    in_quotes = False
    for word in words:
        quote = word == '"'
        closing = word in _CLOSING or word.replace("’", "'") in _CLITICS or (quote and in_quotes)
        result.append(not (glued or closing or word in _GLUE))
        in_quotes ^= quote
        glued = word in _OPENING or word in _GLUE or (quote and in_quotes)
    return result


def nested_text(words: Sequence[str], mentions: Sequence[ShownMention]) -> list[Mark | str]:
    """The text from left to right, mentions as `Mark`.

    >>> his, mother = ShownMention(0, 1, entity=0), ShownMention(0, 2, entity=1)
    >>> [mark, rest] = nested_text(["his", "mother", "."], [his, mother])
    >>> mark.mention is mother, mark.inside[0].mention is his, rest
    (True, True, '.')
    """
    waiting = [(m.start, -m.end, order) for order, m in enumerate(mentions) if m.start < m.end]
    heapify(waiting)
    zeros: dict[int, list[ShownMention]] = {}
    for mention in mentions:
        _check(mention, len(words))
        if mention.start == mention.end:
            zeros.setdefault(mention.start, []).append(mention)
    spaces = spaced(words)
    open_: list[tuple[int, int]] = []  # where each open mention ends here, and its number
    levels: list[list[Mark | str]] = [[]]  # what the text and each open mention hold so far
    for place in range(len(words) + 1):
        while open_ and open_[-1][0] == place:
            _, order = open_.pop()
            inside = levels.pop()
            levels[-1].append(_mark(mentions[order], inside, is_last=mentions[order].end == place))
        for mention in zeros.get(place, ()):
            mark = Mark(mention, (ZERO,))
            levels[-1] += [" ", mark] if place else [mark, " "]
        if place == len(words):
            break
        if spaces[place]:
            levels[-1].append(" ")
        while waiting and waiting[0][0] == place:
            _, minus_end, order = heappop(waiting)
            end = -minus_end
            if open_ and end > (limit := open_[-1][0]):  # it crosses: the rest comes after
                heappush(waiting, (limit, minus_end, order))
                end = limit
            open_.append((end, order))
            levels.append([])
        levels[-1].append(words[place])
    return levels[0]


def _mark(mention: ShownMention, inside: list[Mark | str], *, is_last: bool) -> Mark:
    heights = [1 + piece.height for piece in inside if isinstance(piece, Mark)]
    return Mark(mention, tuple(inside), is_last, max(heights, default=0))


def _check(mention: ShownMention, size: int) -> None:
    if not 0 <= mention.start <= mention.end <= size:
        raise CorelaxError(
            f"mention {(mention.start, mention.end)} is outside the {size} words of its passage"
        )


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


def marked_text(resolution: ResolutionView) -> Iterator[str | Opening | Closing]:
    """The pieces of the text and, by their positions, the mentions that begin and end between them.

    >>> from corelax.decode import Decision
    >>> from corelax.document import Document, Span
    >>> from corelax.resolve import resolution_of
    >>> doc = Document(id="d", words=("Hi", "Ann"), layers={"offsets": ((0, 2), (3, 6))})
    >>> ann = Decision(Span(1, 2), 0, None, 1.0, 1.0, 1.0)
    >>> pieces = marked_text(resolution_of(doc, [ann], "Hi\\nAnn"))
    >>> [piece if isinstance(piece, str) else type(piece).__name__ for piece in pieces]
    ['Hi', '\\n', 'Opening', 'Ann', 'Closing']
    """
    # Words and what is between them in turn: word i is chunk 2i + 1. A mention of no word comes before the
    # blank before its next word, as nested_text puts a blank before it.
    edges = [0, *chain.from_iterable(resolution.document.layer("offsets")), len(resolution.text)]
    shown = [
        ShownMention(2 * span.start + (span.start < span.end), 2 * span.end, entity=number)
        for number, span in enumerate(mention.span for mention in resolution.mentions)
    ]
    chunks = (resolution.text[start:end] for start, end in pairwise(edges))
    seen: set[int] = set()
    # Not recursive: a text may have mentions in mentions a thousand deep.
    left: list[Mark | str | Closing] = [*nested_text([_GLUED] * (len(edges) - 1), shown)[::-1]]
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
