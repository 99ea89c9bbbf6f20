"""What is known of words beside their pieces: sentence, speaker, turn, string, shape, person.

The encoder reads lower case only and knows no speakers, so that the ranker is told about both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corelax.decode.arrays import Ints
from corelax.document import Document
from corelax.text.pronouns import CANONICAL, POSSESSIVE_ENDINGS

# Of words; the hash is that of the word in lower case.
LAYERS = ("sentence", "speaker", "turn", "hash", "mark", "shape", "person")
# Marks: what is left out where the strings of two spans are compared.
DETERMINER, POSSESSIVE = 1, 2
_MARKS = {
    **dict.fromkeys("the a an this that these those".split(), DETERMINER),
    **dict.fromkeys(POSSESSIVE_ENDINGS, POSSESSIVE),
}
SHAPES = ("lower", "capital", "first of a sentence", "capitals", "mixed", "number", "other")
PERSONS = ("none", "i", "you", "we", "he", "she", "it", "they")
_OPENING, _CLOSING, _STRAIGHT = ("“", "``"), ("”", "''"), '"'
LONGEST_QUOTE = 400  # words; a mark that is not closed must not make the rest of a book a quote


def word_layers(document: Document) -> Ints:
    """[word, layer] numbers, in the order of `LAYERS`."""
    bounds = document.sentence_bounds
    lowered = [word.lower() for word in document.words]
    numbers: dict[str, int] = {}
    words = np.array([numbers.setdefault(word, len(numbers) + 1) for word in lowered], np.uint64)
    words *= np.uint64(0xBF58476D1CE4E5B9)  # spreads small numbers over 64 bits
    hashes = (words ^ (words >> np.uint64(31))).view(np.int64)
    sentences = np.repeat(np.arange(len(bounds)), [end - start for start, end in bounds])
    speakers = speaker_numbers(document)
    first = {start for start, _ in bounds}
    columns = [
        sentences,
        np.array(speakers, np.int64),
        np.array(_turns(document.words, speakers), np.int64),
        hashes,
        np.array([_MARKS.get(word, 0) for word in lowered], np.int64),
        np.array([_shape(word, at in first) for at, word in enumerate(document.words)], np.int64),
        np.array([_PERSON_OF.get(word, 0) for word in lowered], np.int64),
    ]
    return np.stack(columns, -1)


def speaker_numbers(document: Document) -> list[int]:
    """1, 2, ... for the speakers of words in their order; 0 for none (formats write "-")."""
    known: dict[str, int] = {}
    return [
        known.setdefault(s, len(known) + 1) if s and s != "-" else 0
        for s in document.layer("speaker")
    ]


def _turns(words: Sequence[str], speakers: Sequence[int]) -> list[int]:
    """The turn of each word, or the quote that it is in if nobody is said to speak; 0 for narration.

    >>> _turns("He said : “ I know . ” Yes".split(), [0] * 9)
    [0, 0, 0, 1, 1, 1, 1, 1, 0]
    >>> _turns(["Hi", "Ann", "Hi"], [1, 1, 2])
    [1, 1, 2]
    """
    turns: list[int] = []
    count = current = before = length = 0
    for word, speaker in zip(words, speakers, strict=True):
        opens = word in _OPENING or (word == _STRAIGHT and not current)
        if speaker != before or (opens and not speaker):
            starts = bool(speaker) or opens
            count += starts
            current, length, before = count if starts else 0, 0, speaker
            turns.append(current)
            continue
        turns.append(current)
        length += 1
        if not speaker and (word in _CLOSING or word == _STRAIGHT or length > LONGEST_QUOTE):
            current = 0
    return turns


def _shape(word: str, begins_sentence: bool) -> int:
    """The number of its shape.

    >>> [SHAPES[_shape(word, False)] for word in ("dog", "Ann", "NATO", "iPad", "1,000", "--")]
    ['lower', 'capital', 'capitals', 'mixed', 'number', 'other']
    >>> SHAPES[_shape("The", True)]
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


_PERSON_OF = {
    form: PERSONS.index(canonical) for form, canonical in CANONICAL.items() if canonical in PERSONS
}
