"""Which mention an entity is called by: a name, else a description, else a pronoun."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from corelax.text.pronouns import CANONICAL, DEMONSTRATIVES, POSSESSIVE_ENDINGS, PRONOUNS

_NO_NAMES = PRONOUNS | DEMONSTRATIVES | set(CANONICAL) | {"here", "there"}
# Words that are small inside names, and say nothing where a sentence begins with them.
_SMALL = frozenset(
    "a an the of and & for in on at to de la le del der den van von di da 's ’s".split()
)


def representative(mentions: Sequence[Sequence[str]], lower_case: Collection[str]) -> int:
    """The position of the mention to call an entity by.

    The longest name; else the longest mention that is no pronoun; else the first. A possessive is taken only
    if there is nothing else of its kind. A name has capitals all over, apart from "of" and the like, and its
    words are not in the text in lower case too. So the first word of a sentence is seldom taken for a name.

    Args:
        mentions: The words of each mention, in the order of the text.
        lower_case: The words that the text has in lower case.

    >>> mentions = [["the", "old", "chancellor"], ["She"], ["Merkel"], ["Angela", "Merkel"]]
    >>> representative(mentions, {"the", "old", "chancellor"})
    3
    >>> representative([["It"], ["The", "dog", "'s"], ["the", "dog"]], {"the"})
    2
    """
    kinds = [
        0 if all(map(_is_pronoun, words)) else 2 if _is_name(words, lower_case) else 1
        for words in mentions
    ]
    best = max(kinds)
    fit = [i for i, kind in enumerate(kinds) if kind == best]
    if best == 0:
        return fit[0]
    return max(
        fit, key=lambda i: (not _is_possessive(mentions[i]), len(mentions[i]))
    )  # the first of equals


def _is_possessive(words: Sequence[str]) -> bool:
    return words[-1] in POSSESSIVE_ENDINGS


def _is_pronoun(word: str) -> bool:
    return word.lower() in _NO_NAMES and word != "US"  # the country


def _is_name(words: Sequence[str], lower_case: Collection[str]) -> bool:
    """Whether there is a capital and no word that counts is in lower case.

    >>> _is_name(["The", "Hague"], {"the"}), _is_name(["Ann", "'s", "dog"], {"dog"})
    (True, False)
    >>> _is_name(["Apollo", "11"], set())
    True
    """
    big = [word for word in words if word.lower() not in _SMALL]
    return any(word[:1].isupper() for word in big) and not any(
        word[:1].islower() or word.lower() in lower_case or _is_pronoun(word) for word in big
    )
