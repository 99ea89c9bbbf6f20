"""Which spans an encoder ranker can find, and where they are in its windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from corelax.core.errors import CorelaxError
from corelax.rankers.encoder.inputs import Window

Ints = NDArray[np.int64]


class Places:
    """Where spans are in the windows of a document.

    Args:
        windows: All windows of the document.
        words: The number of words of the document.
        max_width: The longest span, in words.
    """

    def __init__(self, windows: Sequence[Window], words: int, max_width: int) -> None:
        self._max_width = max_width
        self._first = np.array([w.first for w in windows], np.int64)
        self._window = np.repeat(np.arange(len(windows)), [w.size for w in windows])
        none = np.zeros(0, np.int64)
        self._sentence = np.concatenate([none, *(w.layers[:, 0] for w in windows)])
        if len(self._window) != words:
            raise CorelaxError(f"the windows have {len(self._window)} words, the document {words}")

    def holds(self, span: tuple[int, int]) -> bool:
        """Whether a ranker could find the span: in one sentence, in one window, not too wide."""
        start, last = span[0], span[1] - 1
        return (
            0 <= last - start < self._max_width
            and bool(self._window[start] == self._window[last])
            and bool(self._sentence[start] == self._sentence[last])
        )

    def of(self, spans: Sequence[tuple[int, int]]) -> Ints:
        """[span, 3] window, first word in it, width less one."""
        table = np.array(spans, np.int64).reshape(-1, 2)
        window = self._window[table[:, 0]] if len(table) else np.zeros(0, np.int64)
        start = table[:, 0] - self._first[window] if len(table) else np.zeros(0, np.int64)
        return np.stack([window, start, table[:, 1] - table[:, 0] - 1], -1)
