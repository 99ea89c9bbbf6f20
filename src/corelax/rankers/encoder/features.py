"""What is known of words and of pairs of spans beside their vectors: sentence, speaker, string, person.

The encoder reads lower case only and knows no speakers, so that the ranker is told about both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from corelax.decode.arrays import Ints
from corelax.document import Document
from corelax.english.words import CLOSING, OPENING, PERSONS, STRAIGHT, word_facts

# Of words; the hash is that of the word in lower case.
LAYERS = ("sentence", "speaker", "turn", "hash", "mark", "shape", "person")
LONGEST_QUOTE = 400  # words; a mark that is not closed must not make the rest of a book a quote

DISTANCES = (0, 1, 2, 3, 4, 5, 8, 16, 32, 64)  # buckets of distances begin here
# Who says the two: nothing is known and both are narrated; one speaker; two speakers, turn after turn; two
# others. Without names of speakers: the same quote, two quotes, only this in a quote, only the earlier one.
VOICES = 8
NARRATED, ONE_SPEAKER, NEXT_TURN, TWO_SPEAKERS, ONE_QUOTE, TWO_QUOTES, THIS_QUOTED, THAT_QUOTED = (
    range(VOICES)
)
PERSON_PAIRS = len(PERSONS) ** 2
# Features of a pair, and how many values each has. What the two are and who says them go together: "I" and
# "you" of two speakers may be the same, "I" and "I" may not.
WHERE = {"sentences": len(DISTANCES), "spans": len(DISTANCES), "text": 2, "head": 2, "nested": 2}
WHO = {"person": len(PERSONS), "their_person": len(PERSONS), "voice": VOICES}


def word_layers(document: Document) -> Ints:
    """[word, layer] numbers of the words of a document, in the order of `LAYERS`."""
    facts = [word_facts(word) for word in document.words]
    layers = np.zeros((len(facts), len(LAYERS)), np.int64)
    if not facts:
        return layers
    hashes, marks, first_shapes, shapes, persons, quotes = zip(*facts, strict=True)
    starts = np.array(document.sentence_starts)
    sizes = np.diff(starts, append=len(facts))
    speakers = speaker_numbers(document)
    layers[:, 0] = np.repeat(np.arange(len(starts)), sizes)
    layers[:, 1] = speakers
    if any(quotes) or any(speakers):
        layers[:, 2] = _turns(quotes, speakers)
    layers[:, 3], layers[:, 4], layers[:, 5], layers[:, 6] = hashes, marks, shapes, persons
    begins = starts[sizes > 0]
    layers[begins, 5] = np.array(first_shapes)[begins]
    return layers


def speaker_numbers(document: Document) -> list[int]:
    """[word] 1, 2, ... for the speakers of words in their order; 0 for none (formats write "-")."""
    speakers = document.layers.get("speaker")
    if speakers is None:
        return [0] * len(document.words)
    known: dict[str, int] = {}
    return [known.setdefault(s, len(known) + 1) if s and s != "-" else 0 for s in speakers]


def _turns(quotes: Iterable[int], speakers: Sequence[int]) -> list[int]:
    """[word] its turn, or the quote that it is in if nobody is said to speak; 0 for narration.

    Args:
        quotes: [word] `OPENING`, `CLOSING`, `STRAIGHT`, or 0.
        speakers: [word] numbers of speakers.

    >>> quotes = [word_facts(word).quote for word in "He said : “ I know . ” Yes".split()]
    >>> _turns(quotes, [0] * 9)
    [0, 0, 0, 1, 1, 1, 1, 1, 0]
    >>> _turns([0] * 3, [1, 1, 2])
    [1, 1, 2]
    """
    turns = []
    count = current = opened = before = 0
    for at, (quote, speaker) in enumerate(zip(quotes, speakers, strict=True)):
        if not before and at > opened + LONGEST_QUOTE + 1:
            current = 0  # a quote ends here at the latest
        opens = quote == OPENING or (quote == STRAIGHT and not current)
        closes = False
        if speaker != before or (opens and not speaker):
            starts = bool(speaker) or opens
            count += starts
            current, opened = count if starts else 0, at
        elif not speaker:
            closes = quote in (CLOSING, STRAIGHT)
        turns.append(current)
        if closes:
            current = 0
        before = speaker
    return turns


def feature_table(tables: Iterable[Any]) -> Any:
    """[code, hidden] the sums of the vectors of features, so that a pair takes one row.

    Args:
        tables: For each feature of `WHERE` its vectors, [value, hidden]; tensors or arrays.
    """
    return reduce(lambda table, rows: (table[:, None] + rows).reshape(-1, rows.shape[-1]), tables)
