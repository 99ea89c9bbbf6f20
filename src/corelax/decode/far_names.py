"""Full names beyond reach: *Elizabeth Bennet* in chapter 1 and in chapter 9 is one person.

A ranker looks for antecedents a few thousand spans back. A name of two words or more that starts an entity
there, though it is known from further back, is linked to its last mention. A name that stood within reach and
was not taken stays apart: the ranker has decided that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corelax.decode.arrays import Ints, first_mentions
from corelax.document import Document
from corelax.english.claims import Claims
from corelax.english.pronouns import POSSESSIVE_ENDINGS


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
    first = first_mentions(links)
    claiming: dict[int, list[int]] = {}  # by the first mention of their entity
    for mention in claims.claiming():
        claiming.setdefault(int(first[mention]), []).append(mention)
    home: dict[int, int] = {}  # of entities that were linked to earlier ones: the earliest of these
    parts: dict[int, list[int]] = {}  # of the earliest: all entities that are one with it now
    latest: dict[tuple[str, ...], int] = {}
    for mention, name in _full_names(document, spans).items():
        earlier = latest.get(name, mention)
        if links[mention] == mention and mention - earlier > reach:
            root = int(first[earlier])
            root = home.get(root, root)
            known = parts.get(root, [root])
            before = [m for part in known for m in claiming.get(part, ()) if m < mention]
            if not claims.clash([*before, *claiming.get(mention, ())]):
                result[mention] = earlier
                home[mention], parts[root] = root, [*known, mention]
        latest[name] = mention
    return result


def _full_names(
    document: Document, spans: Sequence[tuple[int, int]] | Ints
) -> dict[int, tuple[str, ...]]:
    """[mention] the words of names of two or more, without a possessive ending; only of such mentions.

    >>> doc = Document(id="d", words=("Ann", "Lee", "'s", "old", "Dog"))
    >>> _full_names(doc, [(0, 3), (3, 5), (0, 1)])
    {0: ('Ann', 'Lee')}
    """
    names = {}
    for mention, (start, end) in enumerate(np.asarray(spans).tolist()):
        words = document.words[start:end]
        if len(words) > 1 and words[-1] in POSSESSIVE_ENDINGS:
            words = words[:-1]
        if len(words) > 1 and all(map(_is_name_word, words)):
            names[mention] = words
    return names


def _is_name_word(word: str) -> bool:
    return word[:1].isupper() and word[1:].islower()
