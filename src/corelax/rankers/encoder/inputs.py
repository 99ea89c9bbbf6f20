"""What the encoder reads of a document: windows of word pieces, and properties of words.

A window holds whole sentences, as many as fit; a sentence that does not fit alone is cut between words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from corelax.decode.arrays import Ints
from corelax.document import Document
from corelax.rankers.encoder.features import LAYERS, word_layers
from corelax.rankers.encoder.tokenizer import WordPieces

LONGEST_NAME = 8  # pieces of the name of a speaker


class TextWindow(NamedTuple):
    """A stretch of words that the encoder reads at once.

    Attributes:
        first: Its first word, in the document.
        pieces: [piece] numbers of word pieces, with the marks of begin and end.
        owners: [piece] which word of the window a piece is of; −1 for marks and names of speakers.
        layers: [word, layer] properties of words, see `words.LAYERS`.
    """

    first: int
    pieces: Ints
    owners: Ints
    layers: Ints

    @property
    def size(self) -> int:
        return len(self.layers)


def encoder_input(document: Document, tokenizer: WordPieces, window: int) -> tuple[TextWindow, ...]:
    """A document as an encoder ranker takes it: windows in the order of the text.

    Where somebody begins to speak, and where a window begins while somebody speaks, the encoder reads the
    name and a colon first, as in a play. They are no words of the document.

    Args:
        document: Words and sentences are looked at, and the layer `speaker`.
        tokenizer: The pieces of words, by the tokenizer of the encoder.
        window: How many pieces a window has at most, with its two marks.
    """
    layers = word_layers(document)
    room = window - 2
    names = _speaker_names(document, tokenizer)
    longest = max(map(len, names), default=0)
    if room < 4 * longest:  # no room for names
        names, longest = [], 0
    # A name may stand before the window, and one before the word.
    pieces = [own[: room - 2 * longest] for own in tokenizer.of(document.words)]
    turns = layers[:, LAYERS.index("turn")].tolist()
    before = {
        at: name
        for at, (name, turn, last) in enumerate(zip(names, turns, [0, *turns], strict=False))
        if turn != last
    }
    sizes = [len(own) + len(before.get(at, ())) for at, own in enumerate(pieces)]
    windows = []
    for first, end in _cuts(document, [0, *accumulate(sizes)], room - longest):
        if names:
            before[first] = names[first]
        windows.append(_window(first, end, pieces, before, layers, tokenizer.tokenizer))
    return tuple(windows)


def _window(
    first: int,
    end: int,
    pieces: Sequence[list[int]],
    before: Mapping[int, list[int]],
    layers: Ints,
    tokenizer: Any,
) -> TextWindow:
    """The window of words `first` to `end`; `before` has the pieces of names that are read before words."""
    read, owners = [tokenizer.cls_token_id], [-1]
    for word in range(first, end):
        if word in before:
            read += before[word]
            owners += [-1] * len(before[word])
        read += pieces[word]
        owners += [word - first] * len(pieces[word])
    read.append(tokenizer.sep_token_id)
    owners.append(-1)
    return TextWindow(
        first, np.array(read, np.int64), np.array(owners, np.int64), layers[first:end]
    )


def _speaker_names(document: Document, tokenizer: WordPieces) -> list[list[int]]:
    """[word] the pieces of who speaks and of a colon, or none where nobody is said to speak."""
    speakers = document.layers.get("speaker", ())
    names: dict[str | None, list[int]] = {None: [], "": [], "-": []}
    for speaker in dict.fromkeys(speakers):
        if speaker not in names:
            words = re.findall(r"[A-Z]?[^A-Z\W_]+|[A-Z]+(?![a-z])|\d+", str(speaker))
            pieces = [p for each in tokenizer.of(words or ["speaker"]) for p in each]
            [colon] = tokenizer.of([":"])
            names[speaker] = pieces[: LONGEST_NAME - 1] + colon
    return [names[speaker] for speaker in speakers]


def _cuts(document: Document, ends: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """(first word, one past the last) of each window; `ends` [word + 1] are places of their pieces."""
    begin = 0
    for start, end in document.sentence_bounds:
        if start > begin and ends[end] - ends[begin] > room:
            yield begin, start
            begin = start
        while ends[end] - ends[begin] > room:
            cut = bisect_right(ends, ends[begin] + room) - 1
            yield begin, cut
            begin = cut
    if begin < len(document.words):
        yield begin, len(document.words)
