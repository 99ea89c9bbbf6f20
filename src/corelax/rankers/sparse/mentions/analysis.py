"""What mention detection finds in a document, whatever annotation it starts from.

Three providers build an `Analysis`: constituency trees (`constituency.py`), Universal Dependencies
(`universal.py`) and bare tokens (`bare.py`). All that follows, attributes and features, reads nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from corelax.document import Document


class Mention(NamedTuple):
    """A candidate mention. Positions count the tokens of the whole document.

    Attributes:
        sentence: Number of its sentence.
        start: First token.
        end: One past the last token.
        head: The token whose word is the head word.
        node: The token whose governor is the mention's: the head, but for flat names in Universal
            Dependencies, where the tree's head is the first name and the head word is the last.
    """

    sentence: int
    start: int
    end: int
    head: int
    node: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A document as the features see it.

    Attributes:
        document: The words, sentences and gold entities.
        mentions: The detected mentions, sorted by (sentence, head, end, start).
        head_of: (start, end) → (head, node) of any span inside a sentence.
        tags: [token] part-of-speech tags, Penn where there are any, else universal; None if there are none.
        governors: [token] the token that governs this one, −1 at a root; None if there is no syntax.
        names: [token] the type of the named entity that covers it, "O" for none.
        speakers: [token] who speaks, "-" where that is not known.
        pronouns: [token] whether the tag says that this is a personal or possessive pronoun.
        morphology: [token] Universal Dependencies features such as {"Number": "Plur"}; empty where there are
            none.
    """

    document: Document
    mentions: tuple[Mention, ...]
    head_of: Callable[[int, int], tuple[int, int]]
    tags: tuple[str, ...] | None
    governors: tuple[int, ...] | None
    names: tuple[str, ...]
    speakers: tuple[str, ...]
    pronouns: tuple[bool, ...]
    morphology: tuple[Mapping[str, str], ...] = ()


def in_order(mentions: list[Mention]) -> tuple[Mention, ...]:
    """Mentions in the order in which they are numbered; antecedents of i are those before i.

    >>> in_order([Mention(0, 0, 9, 1, 1), Mention(0, 0, 2, 1, 1)])[0].end
    2
    """
    return tuple(sorted(mentions, key=lambda m: (m.sentence, m.head, m.end, m.start)))
