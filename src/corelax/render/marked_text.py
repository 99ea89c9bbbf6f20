"""Texts with their mentions as brackets that nest: what terminal, pages and passages are made of.

HTML and brackets nest, mentions mostly do. Of two that cross, the one that starts later is cut where the
other ends; its pieces keep its entity, and all but the last are unfinished. A mention of no word (a zero
pronoun) stands before the word at which it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain, pairwise
from typing import NamedTuple

from corelax.core.errors import CorelaxError
from corelax.render.views import ResolutionView

MISSED = -1
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
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

    @property
    def number(self) -> str:
        """Its entity's number, counted from 1; empty where it was missed."""
        return "" if self.entity == MISSED else str(self.entity + 1)


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


class Bracket(NamedTuple):
    """A mention begins or ends here, or a piece of one: all but the last are unfinished."""

    mention: ShownMention
    opens: bool
    is_last: bool


def brackets(pieces: Iterable[Mark | str]) -> Iterator[str | Bracket]:
    """What `nested_text` gives, from left to right without nesting.

    >>> his, mother = ShownMention(0, 1, entity=0), ShownMention(0, 2, entity=1)
    >>> pieces = brackets(nested_text(["his", "mother"], [his, mother]))
    >>> "".join(p if isinstance(p, str) else "[" if p.opens else "]" for p in pieces)
    '[[his] mother]'
    """
    # Not recursive: a text may have mentions in mentions a thousand deep.
    left: list[Mark | str | Bracket] = [*pieces]
    left.reverse()
    while left:
        piece = left.pop()
        if isinstance(piece, Mark):
            left += [Bracket(piece.mention, False, piece.is_last), *piece.inside[::-1]]
            piece = Bracket(piece.mention, True, piece.is_last)
        yield piece


def marked_text(resolution: ResolutionView) -> Iterator[str | Bracket]:
    """The pieces of the text, and where mentions begin and end between them.

    >>> from corelax.decode import Decision
    >>> from corelax.document import Document, Span
    >>> from corelax.resolve import resolution_of
    >>> doc = Document(id="d", words=("Hi", "Ann"), layers={"offsets": ((0, 2), (3, 6))})
    >>> ann = Decision(Span(1, 2), 0, None, 1.0, 1.0, 1.0)
    >>> pieces = marked_text(resolution_of(doc, [ann], "Hi\\nAnn"))
    >>> [piece if isinstance(piece, str) else type(piece).__name__ for piece in pieces]
    ['', 'Hi', '\\n', 'Bracket', 'Ann', 'Bracket', '']
    """
    # Words and what is between them in turn: word i is chunk 2i + 1. A mention of no word comes before the
    # blank before its next word, as nested_text puts a blank before it.
    edges = [0, *chain.from_iterable(resolution.document.layer("offsets")), len(resolution.text)]
    shown = [
        ShownMention(2 * span.start + (span.start < span.end), 2 * span.end, mention.entity)
        for mention in resolution.mentions
        for span in [mention.span]
    ]
    chunks = (resolution.text[start:end] for start, end in pairwise(edges))
    begun: set[int] = set()
    cut: Bracket | None = None  # goes on here, behind the blank where it was cut
    for piece in brackets(nested_text([_GLUED] * (len(edges) - 1), shown)):
        if cut and piece != _GLUED:
            yield cut
            cut = None
        if isinstance(piece, Bracket) and piece.opens:
            if id(piece.mention) in begun:
                cut = piece
                continue
            begun.add(id(piece.mention))
        yield next(chunks) if piece == _GLUED else piece
        if cut:
            yield cut
            cut = None
