"""Dialogue written as `Name: what is said`: who speaks in which characters."""

from __future__ import annotations

import re

# One to four words, the first with a capital, then a colon and what is said.
_TURN = re.compile(r"^[^\S\n]*([^\W\d_][\w.'’-]*(?:[^\S\n][\w.'’-]+){0,3}):[^\S\n]+(\S.*)", re.M)


def speakers_of(text: str) -> list[tuple[int, int, str]]:
    """The speaker of each line that looks like `Name: what is said`.

    The name is one to four words, the first with a capital, followed by a colon and a blank.

    Returns:
        (first character, one past the last, name) of what each speaker says, which is what `document_of`
        and `Resolver.resolve` take as `speakers`.

    >>> speakers_of("A hall.\\nAnn: Hello!\\nDr. Bo Li:  At 5:30?")
    [(13, 19, 'Ann'), (32, 40, 'Dr. Bo Li')]
    """
    turns = (match for match in _TURN.finditer(text) if match[1][0].isupper())
    return [(*match.span(2), match[1]) for match in turns]
