"""Nodes: tokens, and the empty nodes of CorefUD, which stand for what is not said (zero pronouns)."""

from __future__ import annotations

import re
from typing import NamedTuple

_PARENT = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?")


class EmptyId(NamedTuple):
    """The name of an empty node: `8.1` is the first one after word 8 of its sentence (from 0).

    >>> str(EmptyId(sentence=0, word=8, number=1))
    '8.1'
    """

    sentence: int
    word: int
    number: int

    def __str__(self) -> str:
        return f"{self.word}.{self.number}"


Node = int | EmptyId  # a token by its number in the document, or an empty node


class EmptyNode(NamedTuple):
    """A node that is no token.

    Attributes:
        id: Its place.
        columns: The columns of CoNLL-U after the ID.

    >>> columns = ("she", "she", "PRON", "_", "_", "_", "_", "4:nsubj|6.1:nsubj", "_")
    >>> EmptyNode(EmptyId(0, 3, 1), columns).deps
    ((4, 0, 'nsubj'), (6, 1, 'nsubj'))
    """

    id: EmptyId
    columns: tuple[str, ...]

    @property
    def deps(self) -> tuple[tuple[int, int, str], ...]:
        """Its parents as DEPS has them: word and number (0 for a word) of the parent, relation."""
        parents = []
        for item in self.columns[7].split("|"):
            parent, colon, relation = item.partition(":")
            if colon and (match := _PARENT.fullmatch(parent)):
                parents.append((int(match[1]), int(match[2] or 0), relation))
        return tuple(parents)
