"""How a text calls an entity again: *a dog* as *the dog*, *The king* as *the king*, *Ann* as *Ann's*."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from corelax.english.people import FEMALE_TITLES, MALE_TITLES, SURNAME_TITLES
from corelax.english.pronouns import POSSESSIVE_ENDINGS, word_set
from corelax.english.verbs import AUXILIARIES, BASE_FORMS

# Not one thing that a text can come back to: every boy, nobody, a few of them.
_QUANTIFIED = word_set("""
    all any anybody anyone anything both each either enough every everybody everyone everything few fewer
    half less little many more most much neither no nobody none nothing one plenty several somebody someone
    something so such there what whatever whichever who whoever how why
    """)
_AMOUNTS = word_set("lot few number couple bit handful deal majority minority")
_NUMBERS = word_set("two three four five six seven eight nine ten eleven twelve dozen")
_SUBJECTS = word_set("i he she we they")
PARTS = _NUMBERS | word_set(
    "all both one none some most many each either neither any half few several part"
)
DETERMINERS = word_set("the a an this that these those my your his her its our their some another")
_RELATIVE = word_set("who whom whose which that where when")
_PREPOSITIONS = word_set(
    "of in on at from with by for to about behind near under over inside outside beside around between into"
)
_INCOMPLETE = word_set(
    "kind kinds sort sorts type types number part parts piece pair group one two"
)
# Words of clauses, which no name or noun phrase has outside of relative clauses.
_CLAUSE = AUXILIARIES - {"may", "will"} | word_set(". ! ? n't 'm ’m 're ’re 've ’ve 'd ’d 'll ’ll")
_TITLES = MALE_TITLES | FEMALE_TITLES | SURNAME_TITLES
_ENDINGS = [[ending] for ending in POSSESSIVE_ENDINGS]
# Endings of words that are seldom names.
_COMMON = tuple(
    "al als ive ous ic ary ed ing ings ers ors ists ful less able ents ants ern tion tions ments".split()
)


def can_be_called(words: Sequence[str]) -> bool:
    """Whether an entity can be called by these words again: no quantity, no clause.

    >>> can_be_called(["a", "dog"]), can_be_called(["every", "dog"]), can_be_called(["why", "he", "left"])
    (True, False, False)
    """
    lower = [word.lower() for word in words]
    first = lower[0]
    if first in _QUANTIFIED | {"i."} or not first[:1].isalnum():
        return False
    if words[0].islower() and (first in BASE_FORMS or (first.endswith("ing") and len(first) > 5)):
        return False
    if first in {"a", "an", "some"} and not _AMOUNTS.isdisjoint(lower[1:3]):
        return False
    short = lower[: kernel(words)]
    is_list = "and" in short or "or" in short  # she and Pierre
    return _CLAUSE.isdisjoint(short) and (is_list or _SUBJECTS.isdisjoint(short))


def kernel(words: Sequence[str], *, possessive: bool = False) -> int:
    """How many words of a description are enough to call it by.

    It is cut before a relative clause, before a preposition too if it gets a possessive ending.

    Args:
        words: The description.
        possessive: Whether an ending follows.

    >>> kernel("the man who lost his hat".split()), kernel("the man in the hat".split())
    (2, 5)
    >>> kernel("the man in the hat".split(), possessive=True), kernel("the law under which we live".split())
    (2, 2)
    """
    least = 2 if words[0].lower() in DETERMINERS else 1
    for at in range(least, len(words)):
        is_preposition = words[at] in _PREPOSITIONS and words[at - 1] not in _INCOMPLETE
        if words[at] in _RELATIVE or (possessive and is_preposition):
            while at > least and (words[at - 1] == "," or words[at - 1] in _PREPOSITIONS):
                at -= 1
            return at
    return len(words)


def is_one(words: Sequence[str], *, is_name: bool) -> bool:
    """Whether a name or description is surely that of one person or thing.

    >>> is_one(["Ann"], is_name=True), is_one(["Ann", "and", "Bo"], is_name=True)
    (True, False)
    """
    lower = [word.lower() for word in words]
    if "and" in lower or "&" in lower:
        return False
    if lower[0] in {"a", "an"}:
        return True
    return is_name and lower[0] != "the" and not lower[-1].endswith("s")


def definite(phrase: str) -> str:
    """A description as the text comes back to it.

    >>> definite("a dog"), definite("An old man"), definite("two dogs"), definite("a Mrs. Weston")
    ('the dog', 'The old man', 'the two dogs', 'Mrs. Weston')
    """
    first, _, rest = phrase.partition(" ")
    lower = first.lower()
    if lower in {"a", "an"} and rest.partition(" ")[0].lower().removesuffix(".") in _TITLES:
        new = rest
    elif rest and lower in {"a", "an", "some"}:
        new = f"the {rest}"
    elif rest and lower == "another":
        new = f"the other {rest}"
    elif rest and lower in _NUMBERS:
        new = f"the {lower} {rest}"
    else:
        return phrase
    return capitalized(new) if first[0].isupper() else new


def without_number(phrase: str) -> str:
    """A description without its number, as in *all of the boys*.

    >>> without_number("the two boys"), without_number("the boys")
    ('the boys', 'the boys')
    """
    article, *rest = phrase.split()
    return " ".join([article, *rest[1:]]) if len(rest) > 1 and rest[0] in _NUMBERS else phrase


def with_possessive(phrase: str, *, is_name: bool, is_plural: bool, apostrophe: str = "'") -> str:
    """A phrase with 's, or with the apostrophe alone after a plural.

    Args:
        phrase: A name or description.
        is_name: Whether it is a name: these get 's (James's), unless they have an article (the Netherlands').
        is_plural: Whether it stands for several, as *their* says.
        apostrophe: The sign that the text uses.

    >>> with_possessive("James", is_name=True, is_plural=False)
    "James's"
    >>> with_possessive("the boys", is_name=False, is_plural=True)
    "the boys'"
    """
    if phrase[-2:].lower() in {"'s", "’s"}:
        return phrase  # somebody's already: the barber's
    ends_in_s = phrase[-1:].lower() == "s"
    is_plural = is_plural or (is_name and phrase[:4].lower() == "the ")
    return phrase + apostrophe + ("" if ends_in_s and is_plural else "s")


def capitalized(phrase: str) -> str:
    """With a capital at the beginning; the rest as it is.

    >>> capitalized("the UN")
    'The UN'
    """
    return phrase[:1].upper() + phrase[1:]


def inside_a_sentence(
    words: Sequence[str], phrase: str, lower_case: Collection[str], capital: Collection[str]
) -> str:
    """A phrase that began a sentence, as it is written inside one.

    Articles get a small letter, unless the text has *The Hague* inside a sentence too; so do words that the
    text has with a small letter elsewhere, and those that end as adjectives and nouns do (*Researchers*).

    Args:
        words: Its words.
        phrase: Its text.
        lower_case: The words that the text has in lower case.
        capital: Words, and words with the next one, that have capitals inside sentences.

    >>> inside_a_sentence(["The", "king"], "The king", set(), set())
    'the king'
    >>> inside_a_sentence(["The", "Hague"], "The Hague", set(), {"The Hague"})
    'The Hague'
    >>> [inside_a_sentence([word], word, {"dogs"}, set()) for word in ("Ann", "Dogs", "Officials", "UN")]
    ['Ann', 'dogs', 'officials', 'UN']
    """
    first = words[0]
    if not first[:1].isupper() or (len(first) > 1 and not first[1:].islower()):
        return phrase
    if first.lower() in DETERMINERS | _NUMBERS:
        is_common = " ".join(words[:2]) not in capital
    else:
        is_common = first not in capital and (
            first.lower() in lower_case or (first.endswith(_COMMON) and words[1:2] not in _ENDINGS)
        )
    return phrase[:1].lower() + phrase[1:] if is_common else phrase
