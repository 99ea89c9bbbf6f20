"""What the encoder reads of a document: windows of word pieces, and properties of words.

A window holds whole sentences, as many as fit; a sentence that does not fit alone is cut between words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from corelax.decode.arrays import Ints
from corelax.document import Document
from corelax.rankers.encoder.fast_tokenizer import fast_tokenizer
from corelax.rankers.encoder.words import LAYERS, changed, word_layers
from corelax.text.remembered import MOST_WORDS, Remembered, Rows, ends_of
from corelax.text.vocabulary import joined

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
    [windows] = encoder_inputs([document], tokenizer, window)
    return windows


def encoder_inputs(
    documents: Sequence[Document], tokenizer: WordPieces, window: int
) -> list[tuple[TextWindow, ...]]:
    """What `encoder_input` says of each document. Those without speakers are laid out together, for speed."""
    without = [document for document in documents if "speaker" not in document.layers]
    windows = iter(_without_speakers(without, tokenizer, window) if without else ())
    return [
        _with_speakers(document, tokenizer, window)
        if "speaker" in document.layers
        else next(windows)
        for document in documents
    ]


def _without_speakers(
    documents: Sequence[Document], tokenizer: WordPieces, window: int
) -> list[tuple[TextWindow, ...]]:
    """The windows of each of some documents, of whose words nobody is said to speak."""
    words = tokenizer.rows(joined([document.words for document in documents]))
    words = words._replace(size=np.minimum(words.size, window - 2))
    ends = ends_of(words.size)
    cuts: list[tuple[int, int]] = []
    counts, firsts = [], []
    first = 0
    for document in documents:
        end = first + len(document.words)
        own = list(_cuts(document, ends[first : end + 1], window - 2))
        cuts += [(first + start, first + stop) for start, stop in own]
        firsts += [start for start, _ in own]
        counts.append(len(own))
        first = end
    owners = np.arange(len(words.size)).repeat(words.size)
    row = _WordRow(words.joined(), owners, ends, word_layers(documents))
    windows = iter(row.windows(cuts, firsts, tokenizer))
    return [tuple(islice(windows, count)) for count in counts]


def _with_speakers(
    document: Document, tokenizer: WordPieces, window: int
) -> tuple[TextWindow, ...]:
    """The windows of a document, with the names of who speaks."""
    layers = word_layers([document])
    words = tokenizer.rows(document.words)
    names = _speaker_names(document.layers["speaker"], tokenizer)
    longest = int(names.size.max(initial=0))
    if window - 2 < 4 * longest:  # no room for names
        names, longest = names._replace(size=np.zeros_like(names.size)), 0
    room = window - 2 - 2 * longest  # a name before the window, one before a word
    words = words._replace(size=np.minimum(words.size, room))
    reads_name = changed(layers[:, LAYERS.index("turn")])
    ends = ends_of(words.size + names.size * reads_name)
    cuts = list(_cuts(document, ends, window - 2 - longest))
    firsts = [start for start, _ in cuts]
    reads_name[firsts] = True
    before = names.size * reads_name  # [word] pieces of the name before it
    row = _WordRow(*_laid_out(words, names._replace(size=before)), layers)
    return tuple(row.windows(cuts, firsts, tokenizer))


class _WordRow(NamedTuple):
    """Words of one document, or of several, in a row.

    Attributes:
        pieces: [piece].
        owners: [piece] the word that it is of; −1 for names of speakers.
        ends: [word + 1] where the pieces of each word begin, and where the last end.
        layers: [word, layer].
    """

    pieces: Ints
    owners: Ints
    ends: Ints
    layers: Ints

    def windows(
        self, cuts: Sequence[tuple[int, int]], firsts: Sequence[int], tokenizer: WordPieces
    ) -> Iterator[TextWindow]:
        """The windows, parts of one table of all.

        Args:
            cuts: (first word, one past the last) of each, in the row; every word is in one.
            firsts: The first word of each, in its document.
            tokenizer: Has the marks of begin and end.
        """
        if not cuts:
            return
        starts, stops = np.array(cuts, np.int64).T
        sizes = self.ends[stops] - self.ends[starts]
        edges = ends_of(sizes + 2)
        # Each piece comes behind the marks of the windows before it, and of the begin of its own.
        place = np.arange(len(self.pieces)) + np.arange(1, 2 * len(sizes), 2).repeat(sizes)
        pieces = np.empty(edges[-1], np.int64)
        pieces[edges[:-1]] = tokenizer.tokenizer.cls_token_id
        pieces[edges[1:] - 1] = tokenizer.tokenizer.sep_token_id
        pieces[place] = self.pieces
        owners = np.full(edges[-1], -1)
        owners[place] = np.maximum(self.owners - starts.repeat(sizes), -1)
        for first, (start, stop), (begin, end) in zip(
            firsts, cuts, pairwise(edges.tolist()), strict=True
        ):
            yield TextWindow(first, pieces[begin:end], owners[begin:end], self.layers[start:stop])


def _laid_out(words: Rows, names: Rows) -> tuple[Ints, Ints, Ints]:
    """[piece] pieces of names and words in their order, and the word of each or −1; [word + 1] their ends."""
    size = len(words.size)
    places = np.stack(
        [names.size, words.size], -1
    ).ravel()  # a name before each word, perhaps of no piece
    owners = np.repeat(np.stack([np.full(size, -1), np.arange(size)], -1).ravel(), places)
    pieces = np.empty(len(owners), np.int64)
    pieces[owners >= 0], pieces[owners < 0] = words.joined(), names.joined()
    return pieces, owners, ends_of(places)[::2]


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
    """(first word, one past the last) of each window.

    Args:
        document: Its sentences.
        ends: [word + 1] where the pieces of each word begin, in a row of them, and where the last end.
        room: The most pieces of a window.
    """
    if ends[-1] - ends[0] <= room:
        if len(document.words):
            yield 0, len(document.words)
        return
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
