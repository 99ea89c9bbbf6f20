"""Text from outside made safe to show: on a terminal, on a page, on one line."""

from __future__ import annotations

import re
import unicodedata

# Characters that change the direction of all text after them, also of text that is not theirs.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: str) -> str:
    """Text that cannot drive a terminal or break a page: no control characters but tabs and line ends.

    >>> printable("\\x1b[31mred\\r\\n\\ud800")
    '[31mred\\n'
    """
    if text.isprintable():
        return text
    return "".join(map(_shown, re.sub("\r\n?", "\n", text)))


def on_one_line(text: str) -> str:
    """Printable text with a blank for all white space in a row.

    >>> on_one_line("the\\x1b dog\\n\\tthat barked")
    'the dog that barked'
    """
    return " ".join(printable(text).split())


def _shown(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs"):
        return "" if character in _TURNS else character
    return " " if character.isspace() else ""
