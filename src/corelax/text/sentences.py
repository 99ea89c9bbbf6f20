"""Where sentences begin: after the stops that end one, after blank lines, headings and lines cut short."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from corelax.text.lines import Lines, have_breaks, lines_of
from corelax.text.markup import begins_block, ends_block, is_markup
from corelax.text.remembered import Remembered
from corelax.text.token_row import TokenRow
from corelax.text.tokens import BEFORE_NUMBERS, TITLES
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

# A line is cut short if it and the next word fill less than this share of the widest line. Other shares can
# be tried with benchmarks/splitting.py, on text with one paragraph a line and on wrapped text.
_SHORT = 0.7

# What is known of words, as bits.
(_ENDS, _OPENS, _CLOSES, _BRACKET, _BRACKET_END, _BEGINS_BLOCK, _ENDS_BLOCK, _TAG) = (
    1 << bit for bit in range(8)
)
(_STOP, _FULL_STOP, _TIGHT_STOP, _QUOTE, _ROUND, _LOWER, _SAYS, _STARTS, _GOES_ON, _ITEM) = (
    1 << bit for bit in range(8, 18)
)


def sentence_starts(row: TokenRow) -> list[Ints]:
    """The first token of each sentence of each text.

    Args:
        row: Texts and their tokens.

    >>> from corelax.text.cutting import cut_texts
    >>> row = cut_texts(['Mr. Li paid $2.50. "Why?" Ann asked. He left'])
    >>> [starts] = sentence_starts(row)
    >>> [row.words[number] for number in starts]
    ['Mr.', '"', 'He']
    """
    bits = _FACTS.rows(row.words).column(0)
    is_last = row.are_last()
    begins = np.zeros(len(bits), bool)
    begins[1:] = is_last[:-1]
    begins[:1] = True
    begins[_after_stops(bits, row.spans, is_last)] = True
    if len(bits) and have_breaks(row.texts):
        begins[_after_breaks(lines_of(row), bits, row.spans)] = True
    begins[1:] |= (bits[:-1] & _ENDS_BLOCK != 0) | (bits[1:] & _BEGINS_BLOCK != 0)
    return row.split(begins.nonzero()[0])


def _facts(words: Sequence[str]) -> list[list[int]]:
    """The bits of each word."""
    rows = []
    for word in words:
        markup = not word.isalnum() and is_markup(word)
        number = bool(_NUMBER.fullmatch(word))
        known = {
            _ENDS: word[-1] in _LAST,
            _OPENS: markup or word in _OPENERS,
            _CLOSES: markup or word in _CLOSERS or word in _STOPS,
            _BRACKET: word == "[",
            _BRACKET_END: word == "]",
            _BEGINS_BLOCK: begins_block(word),
            _ENDS_BLOCK: ends_block(word),
            _TAG: word[0] == "<",
            _STOP: word in _STOPS,
            _FULL_STOP: word == ".",
            _TIGHT_STOP: word in _TIGHT,
            _QUOTE: word in _QUOTES,
            _ROUND: word == "(",
            _LOWER: word.islower(),
            _SAYS: word in _SAYING,
            _STARTS: word in _STARTERS,
            _GOES_ON: word in _NEVER_LAST or number,
            _ITEM: word in _BULLETS or number,
        }
        rows.append([sum(bit for bit, is_so in known.items() if is_so)])
    return rows


_FACTS = Remembered(_facts)


def _after_stops(bits: Ints, spans: Ints, is_last: NDArray[np.bool_]) -> Ints:
    """The tokens that follow a stop that ends a sentence.

    Args:
        bits: [token].
        spans: [token, 2] characters in its text.
        is_last: [token] of its text.
    """
    joined = np.zeros(len(bits), bool)  # the next token of the text follows at once
    joined[:-1] = spans[1:, 0] == spans[:-1, 1]
    joined &= ~is_last
    closes_on = joined.copy()  # what follows closes it: !!!") is one stop
    closes_on[:-1] &= bits[1:] & _CLOSES != 0
    stop = (bits & _ENDS).nonzero()[0]
    closed = _next_of(~closes_on, stop)  # the last token of a stop
    kept = ~is_last[closed]
    kept[1:] &= closed[1:] != closed[:-1]  # of several stops in a row the first
    stop, closed = stop[kept], closed[kept]
    after = _behind_references(closed + 1, bits, is_last)
    kept = ~is_last[after - 1]
    stop, closed, after = stop[kept], closed[kept], after[kept]
    first = _next_of(is_last | (bits & _OPENS == 0), after)  # that opens no bracket or quotation

    of_stop, of_closed, of_after, of_first = bits[stop], bits[closed], bits[after], bits[first]
    apart = ~joined[closed] | (of_stop & _TIGHT_STOP != 0) | (of_closed & _TAG != 0)
    # What ends a sentence: a stop; an abbreviation if a usual first word follows.
    says = (bits[np.minimum(first + 1, len(bits) - 1)] & _SAYS != 0) & ~is_last[first]
    quoted_before = (of_closed & _QUOTE != 0) & says  # "Really?" Ann asked
    by_word = np.where(
        of_stop & _STOP, ~quoted_before, (of_stop & _GOES_ON == 0) & (of_first & _STARTS != 0)
    )
    in_brackets = (of_stop & _FULL_STOP != 0) & (of_after & _ROUND != 0)
    ends = np.where(of_first & _LOWER, in_brackets, by_word)
    chosen: Ints = after[apart & ends & (of_after & _STOP == 0)]
    return chosen


def _next_of(wanted: NDArray[np.bool_], tokens: Ints) -> Ints:
    """The first wanted token from each token on; there is one.

    >>> _next_of(np.array([False, True, False, True]), np.array([0, 1, 2])).tolist()
    [1, 1, 3]
    """
    places = wanted.nonzero()[0]
    return places[places.searchsorted(tokens)]


def _behind_references(tokens: Ints, bits: Ints, is_last: NDArray[np.bool_]) -> Ints:
    """The tokens, or what follows the references that begin there, such as [1] [2].

    >>> words = "Yes . [ 1 ] [ 2 ] No".split()
    >>> bits = np.array([{"[": _BRACKET, "]": _BRACKET_END}.get(word, 0) for word in words])
    >>> _behind_references(np.array([2, 8]), bits, np.arange(9) == 8).tolist()
    [8, 8]
    """
    opens = (bits & _BRACKET).nonzero()[0]
    opens = opens[opens < len(bits) - 2]
    is_reference = (bits[opens + 2] & _BRACKET_END != 0) & ~is_last[opens] & ~is_last[opens + 1]
    if not is_reference.any():
        return tokens
    behind = np.arange(len(bits) + 1)
    for start in reversed(opens[is_reference].tolist()):
        behind[start] = start + 3 if is_last[start + 2] else behind[start + 3]
    after: Ints = behind[tokens]
    return after


def _after_breaks(lines: Lines, bits: Ints, spans: Ints) -> Ints:
    """The tokens that begin a paragraph, or follow a line break that is meant.

    A break is meant if the next word would have fitted well into a line as wide as the widest of the
    paragraph, or if an item of a list or a heading follows, or after a heading. Text wrapped at some width
    has no other such breaks.
    """
    token = lines.token
    length = spans[token, 1] - spans[token, 0]
    fits = lines.width[:-1] + 1 + length[1:] <= _SHORT * lines.widest[1:]
    is_meant = lines.is_heading | (bits[token] & _ITEM != 0)
    is_meant[1:] |= lines.is_heading[:-1] | (fits & (bits[token[1:]] & _LOWER == 0))
    chosen: Ints = token[lines.is_first | is_meant]
    return chosen
