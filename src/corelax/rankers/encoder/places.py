"""Which spans a ranker can look at, where they are in the windows of a document, and which are likeliest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corelax.core.errors import CorelaxError
from corelax.decode.arrays import Ints
from corelax.rankers.encoder.features import LAYERS
from corelax.rankers.encoder.inputs import TextWindow


class Places:
    """Where spans are in the windows of a document.

    Args:
        windows: What the encoder reads of the document.
        words: The number of its words.
        max_width: The longest span, in words.
    """

    def __init__(self, windows: Sequence[TextWindow], words: int, max_width: int) -> None:
        self._max_width = max_width
        self._first = np.array([w.first for w in windows], np.int64)
        self._window = np.repeat(np.arange(len(windows)), [w.size for w in windows])
        none = np.zeros(0, np.int64)
        self._sentence = np.concatenate(
            [none, *(w.layers[:, LAYERS.index("sentence")] for w in windows)]
        )
        if len(self._window) != words:
            raise CorelaxError(
                f"the windows have {len(self._window)} words, the document has {words}"
            )

    def holds(self, span: tuple[int, int]) -> bool:
        return self.problem(span) is None

    def problem(self, span: tuple[int, int]) -> str | None:
        """Why a ranker cannot look at a span, or None if it can."""
        start, last = span[0], span[1] - 1
        width = last - start + 1
        if not 1 <= width <= self._max_width:
            return f"has {width} words; the model takes {self._max_width} at most"
        if self._sentence[start] != self._sentence[last]:
            return "goes beyond its sentence; give mentions of one sentence each"
        if self._window[start] != self._window[last]:
            return "is where a long sentence is cut; give shorter sentences"
        return None

    def of(self, spans: Sequence[tuple[int, int]] | Ints) -> Ints:
        """[span, 3] window, first word in it, width less one."""
        table = np.array(spans, np.int64).reshape(-1, 2)
        window = self._window[table[:, 0]] if len(table) else np.zeros(0, np.int64)
        start = table[:, 0] - self._first[window] if len(table) else np.zeros(0, np.int64)
        return np.stack([window, start, table[:, 1] - table[:, 0] - 1], -1)


class SpanTable(NamedTuple):
    """All spans of a few windows that stay in one sentence and are not too wide, in the order of the text.

    Attributes:
        window: [span] which of the windows.
        start: [span] the first word, in the window.
        width: [span] the number of its words, less one.
        sizes: [window] how many spans each window has.
        words: [window] how many words each window has.
        first: [window, word] the number of the first span that starts at a word.
    """

    window: Ints
    start: Ints
    width: Ints
    sizes: Ints
    words: Ints
    first: Ints

    def numbers(self, where: Ints) -> Ints:
        """[span] numbers of spans that are given by [span, 3] window, first word, width less one."""
        numbers: Ints = self.first[where[:, 0], where[:, 1]] + where[:, 2]
        return numbers


def span_table(sentences: Sequence[Ints], max_width: int) -> SpanTable:
    """All spans of windows.

    Args:
        sentences: For each window [word] numbers of sentences, which do not fall.
        max_width: The longest span, in words.

    >>> table = span_table([np.array([0, 0, 1])], max_width=2)
    >>> table.start.tolist(), table.width.tolist()
    ([0, 0, 1, 2], [0, 1, 0, 0])
    """
    words = np.array([len(row) for row in sentences], np.int64)
    # Windows one after the other, as one row of words; no sentence goes on in the next window.
    window = np.repeat(np.arange(len(sentences)), words)
    start = np.arange(len(window)) - np.repeat(np.cumsum(words) - words, words)
    sentence = np.concatenate([np.zeros(0, np.int64), *sentences])
    begins = (start == 0) | (np.diff(sentence, prepend=-1) != 0)
    ends = np.append(np.flatnonzero(begins)[1:], len(window))
    left = ends[np.cumsum(begins) - 1] - np.arange(len(window))  # words to the end of the sentence
    widest = np.minimum(left, max_width)  # [word] how many spans start there
    before = np.cumsum(widest) - widest
    first = np.zeros((len(sentences), max(words.max(initial=0), 1)), np.int64)
    first[window, start] = before
    return SpanTable(
        window=np.repeat(window, widest),
        start=np.repeat(start, widest),
        width=np.arange(widest.sum()) - np.repeat(before, widest),
        sizes=np.bincount(window, widest, minlength=len(sentences)).astype(np.int64),
        words=words,
        first=first,
    )


def likely_spans(
    logits: NDArray[np.floating], table: SpanTable, ratio: float, least: float = -np.inf
) -> Ints:
    """The numbers of the likeliest spans of each window: at most `ratio` for each word.

    None has a logit below `least`; of equals the first are taken.

    >>> table = span_table([np.array([0, 0])], max_width=2)
    >>> likely_spans(np.array([1.0, 3.0, -2.0]), table, 1.0, least=0.0)
    array([0, 1])
    """
    most = np.minimum(np.ceil(table.words * ratio).astype(np.int64), table.sizes)
    likely = np.flatnonzero(
        ~(logits < least)
    )  # with those that are not numbers: try_out refuses them
    window = table.window[likely]
    order = np.lexsort((-logits[likely], window))
    sizes = np.bincount(window, minlength=len(table.words))
    rank = np.arange(len(likely)) - (np.cumsum(sizes) - sizes)[window[order]]
    kept = rank < most[window[order]]
    return np.sort(likely[order[kept]])
