"""What words say by themselves: shape, person, quotation marks; whether many of them are English."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from corelax.english.pronouns import CANONICAL, POSSESSIVE_ENDINGS

MOST_WORDS = 100_000  # whose facts are kept: most words of a text were seen before

# Marks: what is left out where the strings of two spans are compared.
DETERMINER, POSSESSIVE = 1, 2
_MARKS = {
    **dict.fromkeys("the a an this that these those".split(), DETERMINER),
    **dict.fromkeys(POSSESSIVE_ENDINGS, POSSESSIVE),
}
OPENING, CLOSING, STRAIGHT = 1, 2, 3
_QUOTES = {"“": OPENING, "``": OPENING, "”": CLOSING, "''": CLOSING, '"': STRAIGHT}
SHAPES = ("lower", "capital", "first of a sentence", "capitals", "mixed", "number", "other")
PERSONS = ("none", "i", "you", "we", "he", "she", "it", "they")
_PERSON_OF = {
    form: PERSONS.index(canonical) for form, canonical in CANONICAL.items() if canonical in PERSONS
}


class WordFacts(NamedTuple):
    """Numbers for a word.

    Attributes:
        hash: 64 bits of the word in lower case, which two words share once in 2^64.
        mark: `DETERMINER`, `POSSESSIVE`, or 0.
        first_shape: Which of `SHAPES` it has where it begins a sentence.
        shape: Which of `SHAPES` it has elsewhere.
        person: Which of `PERSONS` it is.
        quote: `OPENING`, `CLOSING`, `STRAIGHT`, or 0.
    """

    hash: int
    mark: int
    first_shape: int
    shape: int
    person: int
    quote: int


@lru_cache(maxsize=MOST_WORDS)
def word_facts(word: str) -> WordFacts:
    """What is known of a word."""
    lower = word.lower()
    digest = blake2b(lower.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return WordFacts(
        int.from_bytes(digest, "little", signed=True),
        _MARKS.get(lower, 0),
        word_shape(word, begins_sentence=True),
        word_shape(word, begins_sentence=False),
        _PERSON_OF.get(lower, 0),
        _QUOTES.get(word, 0),
    )


def word_shape(word: str, *, begins_sentence: bool) -> int:
    """The number of a word's shape.

    >>> words = ("dog", "Ann", "NATO", "iPad", "1,000", "--")
    >>> [SHAPES[word_shape(word, begins_sentence=False)] for word in words]
    ['lower', 'capital', 'capitals', 'mixed', 'number', 'other']
    >>> SHAPES[word_shape("The", begins_sentence=True)]
    'first of a sentence'
    """
    if word.islower():
        return 0
    if not any(letter.isalpha() for letter in word):
        return 5 if any(letter.isdigit() for letter in word) else 6
    if word.isupper() and len(word) > 1:
        return 3
    if word[0].isupper():
        return 2 if begins_sentence else 1
    return 4


_LEAST = 40  # words; of fewer nothing is said
_MOST = 5000  # words that are looked at
_SHARE = 0.12  # documents in English have 0.29 and more of these words, German and Dutch ones 0.07 at most
_FUNCTION_WORDS = frozenset(
    "the of and to in that is was it for on with as his he be at by had not are but from or have an they "
    "which you were her she their has would been if who will there what when so no my we him your me".split()
)


def looks_english(words: Iterable[str]) -> bool:
    """Whether the function words of English are as frequent as in any English text; True of a few words.

    Capitals, numbers and signs count for nothing, so that lists and tables are not taken for another
    language. Words in other scripts than Latin count.

    Args:
        words: The words of a text, or of several.

    >>> looks_english(("The cat sat on the mat and it was asleep . " * 9).split())
    True
    >>> looks_english(("Die Katze saß auf der Matte und sie hat dort geschlafen . " * 9).split())
    False
    """
    counted = found = 0
    for word in words:
        if word.isalpha() and not (word[0].isupper() and word.lower() not in _FUNCTION_WORDS):
            counted += 1
            found += word.lower() in _FUNCTION_WORDS
            if counted == _MOST:
                break
    return counted < _LEAST or found >= _SHARE * counted
