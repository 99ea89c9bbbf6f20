"""All spans of windows of text, and which of them are kept, as arrays of places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from corelax.decode.arrays import Ints


class SpanTable(NamedTuple):
    """All spans of a few windows that stay in one sentence and are not too wide, in the order of the text.

    How many there are is known before the encoder is run: a GPU need not be waited for.

    Attributes:
        window: [span] which of the windows; an array, or a tensor on the network's device.
        start: [span] the first word, in the window; likewise.
        width: [span] the number of its words, less one; likewise.
        column: [span] its position among the spans of its window; likewise.
        sizes: [window] how many spans each window has.
        words: [window] how many words each window has.
        first: [window, word] the number of the first span that starts at a word.
    """

    window: Any
    start: Any
    width: Any
    column: Any
    sizes: Ints
    words: Ints
    first: Ints

    def numbers(self, where: Ints) -> Ints:
        """[span] numbers of spans that are given by [span, 3] window, first word, width less one."""
        numbers: Ints = self.first[where[:, 0], where[:, 1]] + where[:, 2]
        return numbers

    def most(self, ratio: float) -> Ints:
        """[window] how many spans are kept at most, `ratio` for each word."""
        most: Ints = np.minimum(np.ceil(self.words * ratio).astype(np.int64), self.sizes)
        return most


class WordSpans(NamedTuple):
    """The spans of windows by the words at which they start: much less than all spans to send to a GPU.

    Attributes:
        window: [word] which of the windows.
        start: [word] its place in the window.
        before: [word] how many spans start at earlier words, of all windows.
        outside: [word] how many of these are of earlier windows.
        widest: [word] how many spans start at it.
        sizes: [window] how many spans each window has.
        words: [window] how many words each window has.
        first: [window, word] the number of the first span that starts at a word.
    """

    window: Ints
    start: Ints
    before: Ints
    outside: Ints
    widest: Ints
    sizes: Ints
    words: Ints
    first: Ints

    @property
    def total(self) -> int:
        """How many spans there are."""
        return int(self.sizes.sum())


def word_spans(sentences: Sequence[Ints], max_width: int) -> WordSpans:
    """The spans of windows, by words; arguments as for `span_table`."""
    words = np.array([len(row) for row in sentences], np.int64)
    first = np.zeros((len(sentences), max(words.max(initial=0), 1)), np.int64)
    # Windows one after the other, as one row of words; no sentence goes on in the next window.
    window = np.repeat(np.arange(len(sentences)), words)
    start = np.arange(len(window)) - np.repeat(np.cumsum(words) - words, words)
    if not len(window):
        none = np.zeros(0, np.int64)
        return WordSpans(none, none, none, none, none, words, words, first)
    sentence = np.concatenate(sentences)
    begins = np.diff(sentence, prepend=-1) != 0
    begins |= start == 0
    ends = np.append(np.flatnonzero(begins)[1:], len(window))
    left = ends[np.cumsum(begins) - 1] - np.arange(len(window))  # words to the end of the sentence
    widest = np.minimum(left, max_width)
    before = np.cumsum(widest) - widest
    first[window, start] = before
    sizes = np.bincount(window, widest, minlength=len(sentences)).astype(np.int64)
    outside = (np.cumsum(sizes) - sizes)[window]
    return WordSpans(window, start, before, outside, widest, sizes, words, first)


def span_table(sentences: Sequence[Ints], max_width: int) -> SpanTable:
    """All spans of windows.

    Args:
        sentences: For each window [word] numbers of sentences, which do not fall.
        max_width: The longest span, in words.

    >>> table = span_table([np.array([0, 0, 1])], max_width=2)
    >>> table.start.tolist(), table.width.tolist()
    ([0, 0, 1, 2], [0, 1, 0, 0])
    """
    of_words = word_spans(sentences, max_width)
    window, start, before, outside = (np.repeat(column, of_words.widest) for column in of_words[:4])
    number = np.arange(of_words.total)
    return SpanTable(window, start, number - before, number - outside, *of_words[5:])


def best_numbers(
    logits: np.ndarray[Any, np.dtype[np.floating]], table: SpanTable, ratio: float, least: float
) -> tuple[Ints, Ints]:
    """The numbers of the spans that are kept, and how many they are of each window.

    The likeliest spans of each window: at most `ratio` for each word, none with a logit below `least`. The
    same as `spans.likely_spans`, on arrays.

    >>> table = span_table([np.array([0, 0])], max_width=2)
    >>> best_numbers(np.array([1.0, 3.0, -2.0]), table, 1.0, least=0.0)
    (array([0, 1]), array([2]))
    """
    likely = np.flatnonzero(logits >= least)
    window = table.window[likely]
    order = np.lexsort((-logits[likely], window))
    sizes = np.bincount(window, minlength=len(table.words))
    rank = np.arange(len(likely)) - (np.cumsum(sizes) - sizes)[window[order]]
    kept = rank < table.most(ratio)[window[order]]
    number = np.sort(likely[order[kept]])
    counts = np.bincount(table.window[number], minlength=len(table.words))
    return number, counts
