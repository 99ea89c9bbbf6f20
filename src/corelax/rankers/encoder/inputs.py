"""What the encoder reads of a document: windows of word pieces, and properties of words.

A window holds whole sentences, as many as fit; a sentence that does not fit alone is cut between words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from corelax.decode.arrays import Ints
from corelax.document import Document
from corelax.rankers.encoder.words import LAYERS, word_layers

MOST_WORDS = 100_000
LONGEST_NAME = 8  # pieces of the name of a speaker


class Tokenizer(Protocol):
    """The part of a Hugging Face tokenizer that is used here."""

    cls_token_id: int
    sep_token_id: int
    unk_token_id: int

    def __call__(self, words: list[str], **options: Any) -> Any:
        """Cuts words into pieces."""


class WordPieces:
    """The pieces of words, which are remembered: most words of a text were seen before.

    Args:
        tokenizer: The tokenizer of the encoder.
        most_words: How many words are remembered at most.
    """

    def __init__(self, tokenizer: Tokenizer, most_words: int = MOST_WORDS) -> None:
        self.tokenizer = tokenizer
        self._most_words = most_words
        self._seen: dict[str, list[int]] = {}

    def of(self, words: Sequence[str]) -> list[list[int]]:
        """The pieces of each word, whatever stands before it; a word without any piece is unknown."""
        new = [word for word in dict.fromkeys(words) if word not in self._seen]
        if len(self._seen) + len(new) > self._most_words:
            self._seen = {}
            new = list(dict.fromkeys(words))
        if new:
            clean = [word.encode("utf-8", "replace").decode() for word in new]  # lone surrogates
            pieces = self.tokenizer(
                clean,
                add_special_tokens=False,
                return_attention_mask=False,
                return_token_type_ids=False,
                verbose=False,
            )["input_ids"]
            unknown = [self.tokenizer.unk_token_id]
            self._seen.update((word, p or unknown) for word, p in zip(new, pieces, strict=True))
        return [self._seen[word] for word in words]


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
        """The number of its words."""
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
    begin_mark, end_mark = tokenizer.tokenizer.cls_token_id, tokenizer.tokenizer.sep_token_id
    names = _speaker_names(document, tokenizer)
    longest = max(map(len, names), default=0)
    if window - 2 < 4 * longest:  # no room for names
        names, longest = [[] for _ in names], 0
    room = window - 2 - 2 * longest  # a name before the window, one before a word
    layers = word_layers(document)
    turns = layers[:, LAYERS.index("turn")]
    begins_turn = np.diff(turns, prepend=0) != 0
    own = [pieces[:room] for pieces in tokenizer.of(document.words)]
    before = [name if starts else [] for name, starts in zip(names, begins_turn, strict=True)]
    lengths = [len(name) + len(pieces) for name, pieces in zip(before, own, strict=True)]
    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    windows = []
    for start, end in _cuts(document, ends, window - 2 - longest):
        pieces, owners = [begin_mark], [-1]
        for word in range(start, end):
            name = names[word] if word == start else before[word]
            pieces += name
            pieces += own[word]
            owners += [-1] * len(name) + [word - start] * len(own[word])
        windows.append(
            TextWindow(
                first=start,
                pieces=np.array([*pieces, end_mark]),
                owners=np.array([*owners, -1]),
                layers=layers[start:end],
            )
        )
    return tuple(windows)


def _speaker_names(document: Document, tokenizer: WordPieces) -> list[list[int]]:
    """The pieces of who speaks and of a colon, for each word; none where nobody is said to speak."""
    speakers = document.layer("speaker")
    nobody: list[int] = []
    names: dict[str | None, list[int]] = {None: nobody, "": nobody, "-": nobody}
    for speaker in speakers:
        if speaker not in names:
            words = re.findall(r"[A-Z]?[^A-Z\W_]+|[A-Z]+(?![a-z])|\d+", str(speaker))
            pieces = [p for each in tokenizer.of(words or ["speaker"]) for p in each]
            [colon] = tokenizer.of([":"])
            names[speaker] = pieces[: LONGEST_NAME - 1] + colon
    return [names[speaker] for speaker in speakers]


def _cuts(document: Document, ends: Ints, room: int) -> Iterator[tuple[int, int]]:
    """(first word, one past the last) of each window."""
    begin = 0
    for start, end in document.sentence_bounds:
        if start > begin and ends[end] - ends[begin] > room:
            yield begin, start
            begin = start
        while ends[end] - ends[begin] > room:
            cut = int(np.searchsorted(ends, ends[begin] + room, side="right")) - 1
            yield begin, cut
            begin = cut
    if begin < len(document.words):
        yield begin, len(document.words)
