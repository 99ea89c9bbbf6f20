"""What is known of words beside their pieces: sentence, speaker, turn, string, shape, person.

The encoder reads lower case only and knows no speakers, so that the ranker is told about both.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from corelax.decode.arrays import Ints
from corelax.document import Document
from corelax.text.pronouns import CANONICAL, POSSESSIVE_ENDINGS
from corelax.text.remembered import Remembered, ends_of
from corelax.text.vocabulary import joined

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
OPENING, CLOSING, STRAIGHT = 1, 2, 3
_QUOTES = {"“": OPENING, "``": OPENING, "”": CLOSING, "''": CLOSING, '"': STRAIGHT}
LONGEST_QUOTE = 400  # words; a mark that is not closed must not make the rest of a book a quote


def word_layers(documents: Sequence[Document]) -> Ints:
    """[word, layer] numbers of the words of all documents in a row, in the order of `LAYERS`."""
    words = joined([document.words for document in documents])
    facts = _FACTS.rows(words)
    layers = np.zeros((len(words), len(LAYERS)), np.int64)
    if not len(layers):
        return layers
    sizes = np.array([len(document.words) for document in documents])
    first = ends_of(sizes)  # [document + 1] words
    layers[:, 0], begins = _sentences(documents, first)
    quotes = facts.column(_QUOTE)
    quoted = set(first.searchsorted(quotes.nonzero()[0], "right") - 1) if quotes.any() else ()
    for at, document in enumerate(documents):
        if at in quoted or "speaker" in document.layers:
            here = slice(first[at], first[at + 1])
            speakers = layers[here, 1] = speaker_numbers(document)
            layers[here, 2] = _turns(quotes[here], speakers)
    layers[:, 3] = facts.column(_HASH)
    layers[:, 4] = facts.column(_MARK)
    layers[:, 5] = np.where(begins, facts.column(_FIRST_SHAPE), facts.column(_OTHER_SHAPE))
    layers[:, 6] = facts.column(_PERSON)
    return layers


def _sentences(documents: Sequence[Document], first: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """[word] the number of its sentence in its document, and whether it begins one.

    Args:
        documents: In a row.
        first: [document + 1] their first words.
    """
    counts = np.array([len(document.sentence_starts) for document in documents])
    every = chain.from_iterable(document.sentence_starts for document in documents)
    starts = np.array([*every, 0], np.int64)  # [sentence + 1] first words
    starts[:-1] += first[:-1].repeat(counts)
    starts[-1] = first[-1]
    sizes = starts[1:] - starts[:-1]
    begins = np.zeros(starts[-1], bool)
    begins[starts[:-1][sizes > 0]] = True
    number = np.arange(len(sizes)) - ends_of(counts)[:-1].repeat(counts)
    return number.repeat(sizes), begins


def speaker_numbers(document: Document) -> Ints:
    """[word] 1, 2, ... for the speakers of words in their order; 0 for none (formats write "-")."""
    speakers = document.layers.get("speaker")
    if speakers is None:
        return np.zeros(len(document.words), np.int64)
    known: dict[str, int] = {}
    return np.array(
        [known.setdefault(s, len(known) + 1) if s and s != "-" else 0 for s in speakers], np.int64
    )


def _turns(quotes: Ints, speakers: Ints) -> Ints:
    """[word] its turn, or the quote that it is in if nobody is said to speak; 0 for narration.

    Args:
        quotes: [word] `OPENING`, `CLOSING`, `STRAIGHT`, or 0.
        speakers: [word] numbers of speakers.

    >>> quotes = [_QUOTES.get(word, 0) for word in "He said : “ I know . ” Yes".split()]
    >>> _turns(np.array(quotes), np.zeros(9, int)).tolist()
    [0, 0, 0, 1, 1, 1, 1, 1, 0]
    >>> _turns(np.zeros(3, int), np.array([1, 1, 2])).tolist()
    [1, 1, 2]
    """
    changes = changed(speakers)
    # Words where something may change, and what it changes to from a place on.
    places, values = [0], [0]
    count = current = opened = 0
    for at in np.flatnonzero(changes | (quotes != 0)).tolist():
        speaker, quote = int(speakers[at]), int(quotes[at])
        is_quote = current and not speakers[at - 1]
        if is_quote and at > opened + LONGEST_QUOTE + 1:  # it ended on the way
            current = 0
            places.append(opened + LONGEST_QUOTE + 2)
            values.append(0)
        opens = quote == OPENING or (quote == STRAIGHT and not current)
        if changes[at] or (opens and not speaker):
            starts = bool(speaker) or opens
            count += starts
            current, opened = count if starts else 0, at
            places.append(at)
            values.append(current)
        elif current and not speaker and quote in (CLOSING, STRAIGHT):
            current = 0
            places.append(at + 1)
            values.append(0)
    if current and not speakers[-1] and len(speakers) > opened + LONGEST_QUOTE + 2:
        places.append(opened + LONGEST_QUOTE + 2)
        values.append(0)
    bounds = np.array([*places, len(speakers)])
    return np.repeat(values, bounds[1:] - bounds[:-1])


def changed(values: Ints) -> NDArray[np.bool_]:
    """[word] whether its value is another than that of the word before; before the first it is 0.

    >>> changed(np.array([0, 1, 1, 2])).tolist()
    [False, True, False, True]
    """
    changes = np.empty(len(values), bool)
    np.not_equal(values[:1], 0, out=changes[:1])
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return changes


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
_HASH, _MARK, _PERSON, _QUOTE, _FIRST_SHAPE, _OTHER_SHAPE = range(6)  # columns of `_FACTS`


def _facts(words: Sequence[str]) -> list[tuple[int, ...]]:
    """What is known of each word: columns `_HASH` and so on."""
    rows: list[tuple[int, ...]] = []
    for word in words:
        lowered = word.lower()
        rows.append(
            (
                _hash(lowered),
                _MARKS.get(lowered, 0),
                _PERSON_OF.get(lowered, 0),
                _QUOTES.get(word, 0),
                _shape(word, begins_sentence=True),
                _shape(word, begins_sentence=False),
            )
        )
    return rows


def _hash(word: str) -> int:
    """64 bits that two words share once in 2^64."""
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


_FACTS = Remembered(_facts)
