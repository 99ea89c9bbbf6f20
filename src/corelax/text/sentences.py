"""Where sentences begin: after the stops that end one, after blank lines, headings and lines cut short."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import itemgetter

from corelax.text.markup import begins_block, ends_block, is_markup
from corelax.text.tokens import BEFORE_NUMBERS, NEVER_LAST

_STOPS = frozenset(". ! ? … ... .. …. 。 ！ ？ ｡ । ॥ ؟ ۔ ։".split())
_LAST = ".!?…。！？｡।॥؟۔։"  # last characters of stops and abbreviations
_TIGHT = frozenset("。 ！ ？ ｡ । ॥".split())  # no blank need follow these
_QUOTES = frozenset("\" ' ” ’ »".split())
_CLOSERS = _QUOTES.union("› ) ] } 」 』 ） 】".split())
_OPENERS = frozenset("\" ' “ ‘ « ‹ ( [ { 「 『 （ 【 - -- – — * _".split())
_BULLETS = frozenset("- * • · ◦ ▪ ‣".split())
_NUMBER = re.compile(r"\d[\d.]*\.")  # of an item on a list
_GOES_ON = frozenset(f"{word}." for word in (*NEVER_LAST, *BEFORE_NUMBERS, *"bdm"))

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

_BREAKS = r"\n\r\x0b\x0c\x85\u2028\u2029"
_LINE = re.compile(rf"[^{_BREAKS}]++")
_BREAK = rf"(?>\r\n|[{_BREAKS}])"
_PARAGRAPH = re.compile(rf"\u2029|{_BREAK}[^{_BREAKS}]*+{_BREAK}")
# Of Markdown, or what underlines it.
_HEADING = re.compile(r"[ ]{0,3}(?:#{1,6}[ ]|(?:={3,}+|-{3,}+)[ ]*+$)")

# A line is cut short if it and the next word fill less than this share of the widest line. Other shares can
# be tried with benchmarks/splitting.py, on text with one paragraph a line and on wrapped text.
_SHORT = 0.7

# A line: its first and last + 1 character, and the first word that begins in it or later.
_Line = tuple[int, int, int]


def sentence_starts(text: str, words: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[int]:
    """The first word of each sentence.

    Args:
        text: The text.
        words: Its words.
        spans: First and last + 1 character of each word.

    >>> from corelax.text.tokens import token_spans
    >>> text = 'Mr. Li paid $2.50. "Why?" Ann asked. He left'
    >>> spans = token_spans(text)
    >>> words = [text[start:end] for start, end in spans]
    >>> [words[number] for number in sentence_starts(text, words, spans)]
    ['Mr.', '"', 'He']
    """
    if not words:
        return []
    starts = {0, *_after_stops(words, spans), *_after_breaks(text, words, spans)}
    if "<" in text:
        starts.update(at for at, word in enumerate(words) if begins_block(word))
        starts.update(at + 1 for at, word in enumerate(words) if ends_block(word))
    return sorted(starts - {len(words)})


def _after_stops(words: Sequence[str], spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    size, closed = len(words), 0
    # All runs are measured beforehand: many stops may lie in one, and each needs its end.
    references = _run_ends(  # such as [1]
        [at for at in range(size - 2) if words[at] == "[" and words[at + 2] == "]"], 3
    )
    openers = _run_ends([at for at in range(size - 1) if _opens(words[at])], 1)
    for stop in [at for at, word in enumerate(words) if word[-1] in _LAST]:
        if stop < closed:  # one of several stops in a row
            continue
        closed = stop + 1
        while closed < size and spans[closed - 1][1] == spans[closed][0] and _closes(words[closed]):
            closed += 1  # !!!") is one stop
        after = references.get(closed, closed)
        if after == size:
            continue
        first = openers.get(after, after)
        is_apart = (
            spans[closed - 1][1] != spans[closed][0]
            or words[stop] in _TIGHT
            or words[closed - 1][0] == "<"
        )
        if is_apart and words[after] not in _STOPS and _ends(words, stop, closed, after, first):
            yield after


def _run_ends(starts: Sequence[int], width: int) -> dict[int, int]:
    """[start] where a run of pieces ends. Each piece has `width` words; the starts are in order.

    >>> _run_ends([2, 5, 9], 3)
    {9: 12, 5: 8, 2: 8}
    """
    ends: dict[int, int] = {}
    for start in reversed(starts):
        ends[start] = ends.get(start + width, start + width)
    return ends


def _closes(word: str) -> bool:
    return word in _CLOSERS or word in _STOPS or is_markup(word)


def _opens(word: str) -> bool:
    return not word.isalnum() and (word in _OPENERS or is_markup(word))


def _ends(words: Sequence[str], stop: int, closed: int, after: int, first: int) -> bool:
    """Whether the stop at `stop`, with what closes it up to `closed`, is the last before `after`.

    `first` is the first word after it that opens no bracket or quotation.
    """
    word = words[stop]
    if words[first].islower():
        return word == "." and words[after] == "("
    if word in _STOPS:
        is_quoted = words[closed - 1] in _QUOTES
        return not (is_quoted and first + 1 < len(words) and words[first + 1] in _SAYING)
    if word in _GOES_ON or _NUMBER.fullmatch(word):
        return False
    return words[first] in _STARTERS


def _after_breaks(
    text: str, words: Sequence[str], spans: Sequence[tuple[int, int]]
) -> Iterator[int]:
    """The first words of paragraphs, and those after line breaks that are meant.

    A break is meant if the next word would have fitted well into a line as wide as the widest of the
    paragraph, or if an item of a list or a heading follows, or after a heading. Text wrapped at some width
    has no other such breaks.
    """
    for lines in _paragraphs(text, spans):
        yield lines[0][2]
        room = _SHORT * max(end - begin for begin, end, _ in lines)
        for (above, its_end, _), (begin, end, number) in pairwise(lines):
            word = words[number]
            is_short = its_end - above + 1 + len(word) <= room and not word.islower()
            if (
                is_short
                or word in _BULLETS
                or _NUMBER.fullmatch(word)
                or _HEADING.match(text, above, its_end)
                or _HEADING.match(text, begin, end)
            ):
                yield number


def _paragraphs(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[list[_Line]]:
    """The lines of each paragraph that have words, or a part of one.

    >>> [*_paragraphs("Ann\\nleft.\\n \\nBo", [(0, 3), (4, 8), (8, 9), (12, 14)])]
    [[(0, 3, 0), (4, 9, 1)], [(12, 14, 3)]]
    """
    lines: list[_Line] = []
    number = 0
    for match in _LINE.finditer(text):
        begin, end = match.span()
        number = bisect_left(spans, begin, number, key=itemgetter(0))
        if number == len(spans):
            break
        if spans[number][0] >= end and (number == 0 or spans[number - 1][1] <= begin):
            continue  # nothing to be seen
        if lines and _PARAGRAPH.search(text, lines[-1][1], begin):
            yield lines
            lines = []
        lines.append((begin, end, number))
    if lines:
        yield lines
