"""What the encoder reads of a document: windows of word pieces, and properties of words.

A window holds whole sentences, as many as fit; a sentence that does not fit alone is cut between words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from corelax.decode.arrays import Ints
from corelax.document import Document
from corelax.rankers.encoder.fast_tokenizer import fast_tokenizer
from corelax.rankers.encoder.words import LAYERS, changed, word_layers
from corelax.text.remembered import MOST_WORDS, Remembered, Rows

LONGEST_NAME = 8  # pieces of the name of a speaker


class Tokenizer(Protocol):
    """The part of a Hugging Face tokenizer that is used here."""

    @property
    def cls_token_id(self) -> int:
        """The number of the mark of begin."""

    @property
    def sep_token_id(self) -> int:
        """The number of the mark of end."""

    @property
    def unk_token_id(self) -> int:
        """The number of what is unknown."""

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
        self._remembered = Remembered(self._cut, most_words)

    def __reduce__(self) -> tuple[Any, ...]:
        """What was remembered stays here, and so does transformers."""
        return WordPieces, (fast_tokenizer(self.tokenizer), self._most_words)

    def of(self, words: Sequence[str]) -> list[list[int]]:
        """The pieces of each word, whatever stands before it; a word without any piece is unknown."""
        rows = self.rows(words)
        return [part.tolist() for part in np.split(rows.joined(), rows.size.cumsum())[:-1]]

    def rows(self, words: Sequence[str]) -> Rows:
        """The same, as arrays."""
        return self._remembered.rows(words)

    def _cut(self, words: list[str]) -> list[list[int]]:
        clean = [word.encode("utf-8", "replace").decode() for word in words]  # lone surrogates
        pieces = fast_tokenizer(self.tokenizer)(
            clean,
            add_special_tokens=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )["input_ids"]
        unknown = [self.tokenizer.unk_token_id]
        return [each or unknown for each in pieces]


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
    layers = word_layers(document)
    words = tokenizer.rows(document.words)
    speakers = document.layers.get("speaker")
    if speakers is None:
        words = words._replace(size=np.minimum(words.size, window - 2))
        ends = _ends(words.size)
        cuts = list(_cuts(document, ends, window - 2))
        pieces, owners = words.joined(), np.arange(len(words.size)).repeat(words.size)
    else:
        names = _speaker_names(speakers, tokenizer)
        longest = int(names.size.max(initial=0))
        if window - 2 < 4 * longest:  # no room for names
            names, longest = names._replace(size=np.zeros_like(names.size)), 0
        room = window - 2 - 2 * longest  # a name before the window, one before a word
        words = words._replace(size=np.minimum(words.size, room))
        reads_name = changed(layers[:, LAYERS.index("turn")])
        ends = _ends(words.size + names.size * reads_name)
        cuts = list(_cuts(document, ends, window - 2 - longest))
        reads_name[[start for start, _ in cuts]] = True
        before = names.size * reads_name  # [word] pieces of the name before it
        pieces, owners, ends = _laid_out(words, names._replace(size=before))
    begin_mark, end_mark = tokenizer.tokenizer.cls_token_id, tokenizer.tokenizer.sep_token_id
    windows = []
    for start, end in cuts:
        inside = slice(ends[start], ends[end])
        windows.append(
            TextWindow(
                first=start,
                pieces=_marked(pieces[inside], begin_mark, end_mark),
                owners=_marked(np.maximum(owners[inside] - start, -1), -1, -1),
                layers=layers[start:end],
            )
        )
    return tuple(windows)


def _ends(sizes: Ints) -> Ints:
    """[word + 1] where the pieces of each word begin, and where the last end."""
    ends = np.zeros(len(sizes) + 1, np.int64)
    sizes.cumsum(out=ends[1:])
    return ends


def _marked(values: Ints, begin: int, end: int) -> Ints:
    """Values between two marks.

    >>> _marked(np.array([7, 8]), 1, 2).tolist()
    [1, 7, 8, 2]
    """
    marked = np.empty(len(values) + 2, np.int64)
    marked[0], marked[1:-1], marked[-1] = begin, values, end
    return marked


def _laid_out(words: Rows, names: Rows) -> tuple[Ints, Ints, Ints]:
    """[piece] pieces of names and words in their order, and the word of each or −1; [word + 1] their ends."""
    size = len(words.size)
    places = np.stack(
        [names.size, words.size], -1
    ).ravel()  # a name before each word, perhaps of no piece
    owners = np.repeat(np.stack([np.full(size, -1), np.arange(size)], -1).ravel(), places)
    pieces = np.empty(len(owners), np.int64)
    pieces[owners >= 0], pieces[owners < 0] = words.joined(), names.joined()
    return pieces, owners, _ends(places)[::2]


def _speaker_names(speakers: Sequence[str | None], tokenizer: WordPieces) -> Rows:
    """The pieces of who speaks and of a colon, for each word; none where nobody is said to speak."""
    names: dict[str | None, list[int]] = {None: [], "": [], "-": []}
    for speaker in dict.fromkeys(speakers):
        if speaker not in names:
            words = re.findall(r"[A-Z]?[^A-Z\W_]+|[A-Z]+(?![a-z])|\d+", str(speaker))
            pieces = [p for each in tokenizer.of(words or ["speaker"]) for p in each]
            [colon] = tokenizer.of([":"])
            names[speaker] = pieces[: LONGEST_NAME - 1] + colon
    number = {name: at for at, name in enumerate(names)}
    sizes = np.array([len(pieces) for pieces in names.values()])
    of_word = np.array([number[speaker] for speaker in speakers], np.int64)
    flat = np.array([piece for pieces in names.values() for piece in pieces], np.int64)
    return Rows(flat, (sizes.cumsum() - sizes)[of_word], sizes[of_word])


def _cuts(document: Document, ends: Ints, room: int) -> Iterator[tuple[int, int]]:
    """(first word, one past the last) of each window."""
    begin = 0
    at = ends.tolist()
    for start, end in document.sentence_bounds:
        if start > begin and at[end] - at[begin] > room:
            yield begin, start
            begin = start
        while at[end] - at[begin] > room:
            cut = bisect_right(at, at[begin] + room) - 1
            yield begin, cut
            begin = cut
    if begin < len(document.words):
        yield begin, len(document.words)
