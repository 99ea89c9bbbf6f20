"""Full names beyond reach: *Elizabeth Bennet* in chapter 1 and in chapter 9 is one person.

A ranker looks for antecedents a few thousand spans back. A name of two words or more that starts an entity
there, though it is known from further back, is linked to its last mention. A name that stood within reach and
was not taken stays apart: the ranker has decided that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from corelax.decode.arrays import Ints
from corelax.decode.claims import Claims
from corelax.document import Document
from corelax.text.pronouns import POSSESSIVE_ENDINGS
from corelax.text.remembered import Remembered


def with_far_names(
    document: Document,
    spans: Sequence[tuple[int, int]] | Ints,
    links: Sequence[int],
    reach: int,
    claims: Claims,
) -> list[int]:
    """The antecedent of each mention, with links of full names to their last mention beyond reach.

    Args:
        document: The words.
        spans: (first word, one past the last) of mentions, in the order of the text.
        links: The antecedent that each mention takes, or itself.
        reach: How many mentions back a ranker looks.
        claims: What mentions say about their entities, which do not clash afterwards.

    >>> doc = Document(id="d", words=("Ann", "Lee", "ran", "Bo", "ran", "Ann", "Lee", "left"))
    >>> spans = [(0, 2), (3, 4), (5, 7)]
    >>> with_far_names(doc, spans, [0, 1, 2], reach=1, claims=Claims([0] * 3, [0] * 3))
    [0, 1, 0]
    >>> with_far_names(doc, spans, [0, 1, 2], reach=2, claims=Claims([0] * 3, [0] * 3))
    [0, 1, 2]
    """
    result = list(links)
    if len(spans) <= reach:
        return result
    names = _full_names(document, spans)
    if not _any_far(names, links, reach):
        return result
    latest: dict[tuple[str, ...], int] = {}
    home: list[int] = []  # the first mention of each mention's entity
    members: dict[int, list[int]] = {}
    groups: dict[int, list[int]] = {}  # by the links that are given
    root: list[int] = []
    for mention, link in enumerate(links):
        root.append(mention if link == mention else root[link])
        groups.setdefault(root[mention], []).append(mention)
    for mention, link in enumerate(links):
        name = names.get(mention)
        earlier = latest.get(name) if name else None
        if link == mention and earlier is not None and mention - earlier > reach:
            together = members[home[earlier]]
            if not claims.clash([*together, *groups[mention]]):
                result[mention] = earlier
        home.append(mention if result[mention] == mention else home[result[mention]])
        members.setdefault(home[mention], []).append(mention)
        if name:
            latest[name] = mention
    return result


def _any_far(names: Mapping[int, tuple[str, ...]], links: Sequence[int], reach: int) -> bool:
    """Whether a name starts an entity though it is known from beyond reach, and not from nearer."""
    latest: dict[tuple[str, ...], int] = {}
    for mention, name in names.items():
        if links[mention] == mention and mention - latest.get(name, mention) > reach:
            return True
        latest[name] = mention
    return False


def _full_names(
    document: Document, spans: Sequence[tuple[int, int]] | Ints
) -> dict[int, tuple[str, ...]]:
    """[mention] the words of names of two or more, without a possessive ending; only of such mentions.

    >>> doc = Document(id="d", words=("Ann", "Lee", "'s", "old", "Dog"))
    >>> _full_names(doc, [(0, 3), (3, 5), (0, 1)])
    {0: ('Ann', 'Lee')}
    """
    is_name = _FACTS.rows(document.words).column(0)
    start, end = np.array(spans, np.int64).reshape(-1, 2).T
    names = {}
    for mention in np.flatnonzero((is_name[start] != 0) & (end - start > 1)).tolist():
        words = document.words[start[mention] : end[mention]]
        if words[-1] in POSSESSIVE_ENDINGS:
            words = words[:-1]
        if len(words) > 1 and all(map(_is_name_word, words)):
            names[mention] = tuple(words)
    return names


def _is_name_word(word: str) -> bool:
    return word[:1].isupper() and word[1:].islower()


_FACTS = Remembered(lambda words: [[_is_name_word(word)] for word in words])
