"""Which spans an encoder ranker can look at, and where they are in the windows of a document."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from corelax.core.errors import CorelaxError
from corelax.decode.arrays import Ints
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
        self._sentence = np.concatenate([none, *(w.layers[:, 0] for w in windows)])
        if len(self._window) != words:
            raise CorelaxError(
                f"the windows have {len(self._window)} words, the document has {words}"
            )

    def holds(self, span: tuple[int, int]) -> bool:
        """Whether a ranker can look at the span: in one sentence, in one window, not too wide."""
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

    def held(self, spans: Ints) -> NDArray[np.bool_]:
        """[span] `holds` for many spans at once, [span, 2] first word and one past the last."""
        start, last = spans[:, 0], spans[:, 1] - 1
        narrow = (last >= start) & (last - start < self._max_width)
        last = np.maximum(last, start)
        in_sentence = self._sentence[start] == self._sentence[last]
        held: NDArray[np.bool_] = narrow & in_sentence & (self._window[start] == self._window[last])
        return held

    def of(self, spans: Sequence[tuple[int, int]] | Ints) -> Ints:
        """[span, 3] window, first word in it, width less one."""
        table = np.array(spans, np.int64).reshape(-1, 2)
        window = self._window[table[:, 0]] if len(table) else np.zeros(0, np.int64)
        start = table[:, 0] - self._first[window] if len(table) else np.zeros(0, np.int64)
        return np.stack([window, start, table[:, 1] - table[:, 0] - 1], -1)
