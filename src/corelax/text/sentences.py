"""Where sentences begin: after the stops that end one, after blank lines, headings and lines cut short."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from corelax.text.markup import begins_block, ends_block, is_markup
from corelax.text.remembered import Remembered
from corelax.text.tokens import BEFORE_NUMBERS, BLANK, TITLES
from corelax.text.vocabulary import Ints

_STOPS = frozenset(". ! ? … ... .. …. 。 ！ ？ ｡ । ॥ ؟ ۔ ։".split())
_LAST = ".!?…。！？｡।॥؟۔։"  # last characters of stops and abbreviations
_TIGHT = frozenset("。 ！ ？ ｡ । ॥".split())  # no blank need follow these
_QUOTES = frozenset("\" ' ” ’ »".split())
_CLOSERS = _QUOTES.union("› ) ] } 」 』 ） 】".split())
_OPENERS = frozenset("\" ' “ ‘ « ‹ ( [ { 「 『 （ 【 - -- – — * _".split())
_BULLETS = frozenset("- * • · ◦ ▪ ‣".split())
_NUMBER = re.compile(r"\d[\d.]*\.")  # of an item on a list
_NEVER_LAST = frozenset(f"{word}." for word in (*TITLES, *BEFORE_NUMBERS, *"bdm"))

# The usual first words of sentences, for the doubtful case: an abbreviation, then a capital.
_STARTERS = frozenset(
    """
    A After All Also Although An And Another Any Are As At Because Before But By Can Could Did Do Does
    During Each Even Every For From Had Has Have He Her Here His How However I If In Instead Is It Its
    Many Meanwhile More Most My No None Not Now Of On Once One Only Or Our Perhaps She Should Since So
    Some Such That The Their Then There These They This Those Though Thus To Today Two Under Until Was We
    Well Were What When Where While Who Why Will With Would Yes Yet You Your
    """.split()
)
# "Really?" Ann asked: the sentence goes on.
_SAYING = frozenset(
    "said says say asked asks ask cried replied answered added called shouted whispered exclaimed".split()
)

_BREAK = r"(?>\r\n|[\n\r\x0b\x0c\x85\u2028])"
_HEADING = re.compile(
    r"[ ]{0,3}(?:#{1,6}[ ]|(?:={3,}+|-{3,}+)[ ]*+$)"
)  # of Markdown, or what underlines it
_HEADED = " #=-"  # how lines begin that may be headings
_LINE = re.compile(r"[^\n\r\x0b\x0c\x85\u2028]++")
_ANY_BREAK = re.compile(r"[\n\r\x0b\x0c\x85\u2028\u2029]")
# Blank lines. A set of characters stands first, by which the text is searched quickly.
_PARAGRAPH = re.compile(
    r"[\n\r\x0b\x0c\x85\u2028\u2029]"
    rf"(?:(?<=\u2029)|(?<!\u2029)(?:(?<=\r)\n)?+[{BLANK}]*{_BREAK})"
)

# A line is cut short if it and the next word fill less than this share of the widest line. Other shares can
# be tried with benchmarks/splitting.py, on text with one paragraph a line and on wrapped text.
_SHORT = 0.7


# What is known of words, as bits.
_ENDS, _OPENS, _CLOSES, _BRACKET, _BRACKET_END, _BEGINS_BLOCK, _ENDS_BLOCK = (
    1 << bit for bit in range(7)
)


def sentence_starts(
    text: str, words: Sequence[str], spans: Sequence[tuple[int, int]] | Ints
) -> list[int]:
    """The first token of each sentence.

    Args:
        text: The text.
        words: Its tokens.
        spans: First and last + 1 character of each token.

    >>> from corelax.text.cutting import cut_texts
    >>> text = 'Mr. Li paid $2.50. "Why?" Ann asked. He left'
    >>> [(words, spans)] = cut_texts([text])
    >>> [words[number] for number in sentence_starts(text, words, spans)]
    ['Mr.', '"', 'He']
    """
    if not words:
        return []
    bits = _FACTS.rows(words).column(0)
    places = np.asarray(spans)
    starts = {0, *_after_stops(words, bits, places), *_after_breaks(text, words, places[:, 0])}
    if "<" in text:
        starts.update(np.flatnonzero(bits & _BEGINS_BLOCK).tolist())
        starts.update((np.flatnonzero(bits & _ENDS_BLOCK) + 1).tolist())
    return sorted(starts - {len(words)})


def _facts(words: Sequence[str]) -> list[list[int]]:
    """The bits of each word."""
    rows = []
    for word in words:
        markup = not word.isalnum() and is_markup(word)
        known = {
            _ENDS: word[-1] in _LAST,
            _OPENS: markup or word in _OPENERS,
            _CLOSES: markup or word in _CLOSERS or word in _STOPS,
            _BRACKET: word == "[",
            _BRACKET_END: word == "]",
            _BEGINS_BLOCK: begins_block(word),
            _ENDS_BLOCK: ends_block(word),
        }
        rows.append([sum(bit for bit, is_so in known.items() if is_so)])
    return rows


_FACTS = Remembered(_facts)


def _after_stops(words: Sequence[str], bits: Ints, spans: Ints) -> Iterator[int]:
    size, closed = len(words), 0
    # All runs are measured beforehand: many stops may lie in one, and each needs its end.
    references: dict[int, int] = {}  # such as [1]
    if np.bitwise_or.reduce(bits) & _BRACKET:
        in_brackets = (bits[:-2] & _BRACKET != 0) & (bits[2:] & _BRACKET_END != 0)
        references = _run_ends(in_brackets.nonzero()[0].tolist(), 3)
    openers = _run_ends((bits[:-1] & _OPENS).nonzero()[0].tolist(), 1)
    joined = spans[1:, 0] == spans[:-1, 1]  # [token] no blank follows; not of the last
    closers = {*(joined & (bits[1:] & _CLOSES != 0)).nonzero()[0].tolist()}  # before what closes
    for stop in (bits & _ENDS).nonzero()[0].tolist():
        if stop < closed:  # one of several stops in a row
            continue
        closed = stop + 1
        while closed - 1 in closers:  # !!!") is one stop
            closed += 1
        after = references.get(closed, closed)
        if after == size:
            return
        apart = not joined[closed - 1] or words[stop] in _TIGHT or words[closed - 1][0] == "<"
        first = openers.get(after, after)
        if apart and words[after] not in _STOPS and _ends(words, stop, closed, after, first):
            yield after


def _run_ends(starts: list[int], width: int) -> dict[int, int]:
    """[start] where a run of pieces ends. Each piece has `width` words; the starts are in order.

    >>> _run_ends([2, 5, 9], 3)
    {9: 12, 5: 8, 2: 8}
    """
    ends: dict[int, int] = {}
    for start in reversed(starts):
        ends[start] = ends.get(start + width, start + width)
    return ends


def _ends(words: Sequence[str], stop: int, closed: int, after: int, first: int) -> bool:
    """Whether the stop at `stop`, with what closes it up to `closed`, is the last before `after`.

    `first` is the first word after it that opens no bracket or quotation.
    """
    word = words[stop]
    if words[first].islower():
        return word == "." and words[after] == "("
    if word in _STOPS:
        quoted = closed > stop + 1 and words[closed - 1] in _QUOTES
        return not (quoted and first + 1 < len(words) and words[first + 1] in _SAYING)
    if word in _NEVER_LAST or _NUMBER.fullmatch(word):
        return False
    return words[first] in _STARTERS


def _after_breaks(text: str, words: Sequence[str], starts: Ints) -> Iterator[int]:
    """After blank lines, and after line breaks that are meant.

    A break is meant if the next word would have fitted well into a line as wide as the widest of the
    paragraph, or if an item of a list or a heading follows, or after a heading. Text wrapped at some width
    has no other such breaks.
    """
    if not _ANY_BREAK.search(text):
        return
    places = starts.tolist()
    edges = [0, *(edge for match in _PARAGRAPH.finditer(text) for edge in match.span()), len(text)]
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        yield bisect_left(places, begin)
        lines = [match.span() for match in _LINE.finditer(text, begin, end)]
        room = _SHORT * max((last - first for first, last in lines), default=0)
        is_heading = [text[line[0]] in _HEADED and _HEADING.match(text, *line) for line in lines]
        for at, ((first, last), (following, _)) in enumerate(pairwise(lines)):
            number = bisect_left(places, following)
            if number == len(words):
                return
            word = words[number]
            if (
                is_heading[at]
                or is_heading[at + 1]
                or (last - first + 1 + len(word) <= room and not word.islower())
                or word in _BULLETS
                or (word[-1] == "." and _NUMBER.fullmatch(word))
            ):
                yield number
