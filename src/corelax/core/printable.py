"""Text from outside made safe to show: on a terminal, on a page, on one line."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

MAX_NAME = 120  # characters of a document's name, in tables and lists
# Characters that change the direction of all text after them, also of text that is not theirs.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# What JSON allows as it is, though a terminal acts on it or UTF-8 cannot hold it.
_UNSAFE_IN_JSON = re.compile(f"[\x7f-\x9f\u2028\u2029\ud800-\udfff{''.join(sorted(_TURNS))}]")


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


def shortened(text: str, limit: int) -> str:
    """The beginning of a text on one line.

    >>> shortened("the dog\\nthat barked", 10)
    'the dog t…'
    """
    line = on_one_line(text)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON in which letters are as they are, and all that could drive a terminal is escaped.

    >>> json_text({"name": "Zoë\\x9b2J"})
    '{"name": "Zoë\\\\u009b2J"}'
    """
    import json  # most commands print none

    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _shown(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs"):
        return "" if character in _TURNS else character
    return " " if character.isspace() else ""
