"""The coreference cells of CoNLL-2012: `(3|(5)|4)` opens 3, has all of 5, and closes 4."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from corelax.io.problems import Problems, quote

MAX_DIGITS = 18  # of an entity number

_BRACKET = re.compile(r"\((\d+)(\)?)|(\d+)\)")
_NO_MENTION = ("-", "_", "*")


class Cell(NamedTuple):
    """What one coreference cell says."""

    single: tuple[str, ...]  # entities with a mention of this one token
    opening: tuple[str, ...]
    closing: tuple[str, ...]
    remark: Callable[[Problems, int], None] | None = None  # reports what is wrong or odd


@lru_cache(maxsize=1 << 16)
def parse_cell(cell: str) -> Cell:
    """Reads a cell such as `(3|(5)|4)`.

    >>> parse_cell("(3|(5)|4)")[:3]
    (('5',), ('3',), ('4',))
    """
    brackets: tuple[list[str], list[str], list[str]] = ([], [], [])
    single, opening, closing = brackets
    closed_here: set[str] = set()
    error = oddity = None
    if cell.strip() in _NO_MENTION:
        return Cell((), (), ())
    for piece in cell.strip().split("|"):
        at, count = 0, 0
        while match := _BRACKET.match(piece, at):
            opened, closed, ended = match.groups()
            if ended is not None:
                closing.append(ended)
                closed_here.add(ended)
            elif closed:
                single.append(opened)
            else:
                if opened in closed_here:
                    error = f"entity {opened} closes and opens on one token, so its mentions cross"
                opening.append(opened)
            at, count = match.end(), count + 1
        if at < len(piece) or not count:
            error = f"cannot read the coreference cell {quote(cell)}"
        elif count > 1:
            oddity = f"no bars between the brackets of {quote(cell)}"
    if any(len(entity) > MAX_DIGITS for entities in brackets for entity in entities):
        error = f"an entity number of more than {MAX_DIGITS} digits in {quote(cell)}"

    def remark(problems: Problems, line: int) -> None:
        if error:
            problems.error(line, error)
        if oddity:
            problems.odd(line, oddity)

    return Cell(tuple(single), tuple(opening), tuple(closing), remark if error or oddity else None)
