"""What the encoder reads of a document: windows of word pieces, and properties of words.

A window holds whole sentences, as many as fit; a sentence that does not fit alone is cut between words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from corelax.document import Document
from corelax.text.pronouns import POSSESSIVE_ENDINGS

Ints = NDArray[np.int64]

MOST_WORDS = 100_000
# Of words; the hash is that of the word in lower case.
LAYERS = ("sentence", "speaker", "hash", "mark")
# Marks: what is left out where the strings of two spans are compared.
DETERMINER, POSSESSIVE = 1, 2
_MARKS = {
    **dict.fromkeys("the a an this that these those".split(), DETERMINER),
    **dict.fromkeys(POSSESSIVE_ENDINGS, POSSESSIVE),
}


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
        owners: [piece] which word of the window a piece is of; −1 for the marks.
        layers: [word, layer] properties of words, see `LAYERS`.
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

    Args:
        document: Words and sentences are looked at, and the layer `speaker`.
        tokenizer: The pieces of words, by the tokenizer of the encoder.
        window: How many pieces a window has at most, with its two marks.
    """
    pieces = tokenizer.of(document.words)
    begin_mark, end_mark = tokenizer.tokenizer.cls_token_id, tokenizer.tokenizer.sep_token_id
    room = window - 2
    lengths = np.array([min(len(p), room) for p in pieces], np.int64)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    layers = _layers(document)
    windows = []
    for start, end in _cuts(document, ends, room):
        inside = [p for word in range(start, end) for p in pieces[word][:room]]
        owners = np.repeat(np.arange(end - start), lengths[start:end])
        windows.append(
            TextWindow(
                first=start,
                pieces=np.array([begin_mark, *inside, end_mark]),
                owners=np.concatenate([[-1], owners, [-1]]),
                layers=layers[start:end],
            )
        )
    return tuple(windows)


def _layers(document: Document) -> Ints:
    """[word, layer] numbers, in the order of `LAYERS`."""
    bounds = document.sentence_bounds
    lowered = [word.lower() for word in document.words]
    numbers: dict[str, int] = {}
    words = np.array([numbers.setdefault(word, len(numbers) + 1) for word in lowered], np.uint64)
    words *= np.uint64(0xBF58476D1CE4E5B9)  # spreads small numbers over 64 bits
    marks = [_MARKS.get(word, 0) for word in lowered]
    sentences = np.repeat(np.arange(len(bounds)), [end - start for start, end in bounds])
    speakers = _numbers(document.layer("speaker"))
    hashes = (words ^ (words >> np.uint64(31))).view(np.int64)
    return np.stack([sentences, speakers, hashes, np.array(marks, np.int64)], -1)


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


def _numbers(speakers: Sequence[str | None]) -> Ints:
    """1, 2, ... for speakers in their order; 0 for none (formats write "-")."""
    known: dict[str, int] = {}
    return np.array(
        [known.setdefault(s, len(known) + 1) if s and s != "-" else 0 for s in speakers], np.int64
    )
