"""Which mention an entity is called by: a name, else a description, else a pronoun."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from corelax.english.people import FEMALE_TITLES, MALE_TITLES, SURNAME_TITLES
from corelax.english.pronouns import (
    CANONICAL,
    DEMONSTRATIVES,
    POSSESSIVE_ENDINGS,
    PRONOUNS,
    word_set,
)

_NO_NAMES = PRONOUNS | DEMONSTRATIVES | set(CANONICAL) | {"here", "there"}
# Words that are small inside names, and say nothing where a sentence begins with them.
_SMALL = word_set("a an the of and & for in on at to de la le del der den van von di da 's ’s")
_TITLES = MALE_TITLES | FEMALE_TITLES | SURNAME_TITLES | {"president", "chancellor", "senator"}
# Verbs that models take for mentions: "He left. That was sudden."
_VERBS = word_set("""
    be am is are was were been being have has had do does did done go goes went gone get gets got make makes
    made take takes took taken come comes came say says said see saw seen give gave given let put keep kept
    know knew think thought tell told find found become became leave left feel felt bring brought begin began
    """)
# What follows a name or description and is not needed to call it: ", who ...", ", a surgeon ...", ", 74".
_AFTER_COMMA = word_set("who whom whose which where when a an the")


def representative(mentions: Sequence[Sequence[str]], lower_case: Collection[str]) -> int:
    """The position of the mention to call an entity by.

    Mentions count without apposition, relative clause and possessive ending (`short_end`). A name is taken;
    else the longest mention that is no pronoun; else the first. Of names it is the most frequent full name
    (two words or more, no title), of equally frequent ones the shortest; else the longest. Mentions that end
    there go before others. A name has capitals all over, apart from "of" and the like, and its words are not
    in the text in lower case too. So the first word of a sentence is seldom taken for a name.

    Args:
        mentions: The words of each mention, in the order of the text.
        lower_case: The words that the text has in lower case.

    >>> mentions = [["the", "old", "chancellor"], ["She"], ["Merkel"], ["Angela", "Merkel"]]
    >>> representative(mentions, {"the", "old", "chancellor"})
    3
    >>> representative([["It"], ["The", "dog", "'s"], ["the", "dog"]], {"the"})
    2
    """
    short = [tuple(words[: short_end(words)]) for words in mentions]
    kinds = [kind_of(words, lower_case) for words in short]
    best = max(kinds)
    fit = [i for i, kind in enumerate(kinds) if kind == best]
    if best < DESCRIPTION:
        return fit[0]
    times = Counter(short)

    def rank(i: int) -> tuple[bool, int, int, int]:
        size, beyond = len(short[i]), len(mentions[i]) - len(short[i])
        if best == NAME and _is_full(short[i]):
            return True, times[short[i]], -size, -beyond
        return False, beyond == 0, size, -beyond

    return max(fit, key=rank)  # the first of equals


def short_end(words: Sequence[str]) -> int:
    """How many words of a mention an entity is called by.

    >>> short_end("Pierre Curie , who taught at a school".split()), short_end(["Ann", "'s"])
    (2, 1)
    >>> short_end("Washington , D.C.".split()), short_end("the old , tired man".split())
    (3, 5)
    """
    end = len(words)
    for at in range(1, len(words) - 1):
        follows = words[at + 1]
        if words[at] == "," and (follows.lower() in _AFTER_COMMA or follows[:1].isdigit()):
            end = at
            break
    if end > 1 and words[end - 1] in POSSESSIVE_ENDINGS:
        end -= 1
    return end


VERB, PRONOUN, DESCRIPTION, NAME = range(4)


def kind_of(words: Sequence[str], lower_case: Collection[str]) -> int:
    """What a mention is: VERB, PRONOUN, DESCRIPTION or NAME, the better the greater.

    Args:
        words: Its words.
        lower_case: The words that the text has in lower case.

    >>> [kind_of(text.split(), {"the"}) for text in ("said", "she", "the dog", "The Hague")]
    [0, 1, 2, 3]
    """
    if all(map(_is_pronoun, words)):
        return PRONOUN
    if len(words) == 1 and _is_verb(words[0]):
        return VERB
    return NAME if _is_name(words, lower_case) else DESCRIPTION


def _is_verb(word: str) -> bool:
    return word in _VERBS or (word.islower() and word.endswith("ed") and len(word) > 4)


def _is_full(words: Sequence[str]) -> bool:
    """Whether a name has two words that count, without its title.

    >>> _is_full(["Ann", "Lee"]), _is_full(["The", "UN"]), _is_full(["Mr.", "Lee"])
    (True, False, False)
    """
    has_title = words[0].lower().removesuffix(".") in _TITLES
    return sum(word.lower() not in _SMALL for word in words[has_title:]) > 1


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
