"""Logits of spans, by `spans.c`."""

from __future__ import annotations

import ctypes

import numpy as np

from corelax_kernels.library import Floats, Ints, Kept, Number, addresses, library

HIDDEN = 16  # sizes are multiples of it


class _Scorer(ctypes.Structure):
    _fields_ = (
        ("hidden", Number),
        ("schemes", Number),
        *addresses("rest out bias"),
    )


class _Spans(ctypes.Structure):
    _fields_ = (
        ("scorer", ctypes.POINTER(_Scorer)),
        ("spans", Number),
        ("words", Number),
        *addresses("start end sums scheme window first width logits"),
    )


class SpanScorer:
    """How likely spans are mentions: `spans.c` has the formula.

    Args:
        rest: [width, scheme, hidden] a vector for each width (words less one) and scheme.
        out: [scheme, hidden] v.
        bias: [scheme] b.

    Raises:
        ValueError: The kernel cannot compute it: hidden sizes must be multiples of 16.
    """

    def __init__(self, *, rest: Floats, out: Floats, bias: Floats) -> None:
        self._widths, self._schemes, self._hidden = rest.shape
        if self._hidden % HIDDEN:
            raise ValueError(f"{self._hidden} hidden numbers: not made for them")
        kept = self._kept = Kept()
        self._scorer = _Scorer(
            self._hidden,
            self._schemes,
            kept.address(rest, np.float32, rest.shape),
            kept.address(out, np.float32, (self._schemes, self._hidden)),
            kept.address(bias, np.float32, (self._schemes,)),
        )

    def __call__(
        self,
        *,
        start: Floats,
        end: Floats,
        sums: Floats,
        scheme: Ints,
        window: Ints,
        first: Ints,
        width: Ints,
        threads: int = 1,
    ) -> Floats:
        """[span] logits.

        Args:
            start: [window, word, hidden] what words bring as first ones.
            end: [window, word, hidden] what they bring as last ones.
            sums: [window, word + 1, hidden] what they bring inside, added up from the first word on.
            scheme: [window] numbers of schemes.
            window: [span] which window.
            first: [span] its first word, in the window.
            width: [span] its words, less one.
            threads: How many threads compute.
        """
        windows, words, hidden = shape = start.shape
        spans = window.shape
        logits, kept = np.empty(spans, np.float32), Kept()
        kept.numbers("last", first + width, spans, words)
        every = _Spans(
            scorer=ctypes.pointer(self._scorer),
            spans=len(logits),
            words=words,
            start=kept.address(start, np.float32, (windows, words, self._hidden)),
            end=kept.address(end, np.float32, shape),
            sums=kept.address(sums, np.float32, (windows, words + 1, hidden)),
            scheme=kept.numbers("scheme", scheme, (windows,), self._schemes),
            window=kept.numbers("window", window, spans, windows),
            first=kept.numbers("first", first, spans, words),
            width=kept.numbers("width", width, spans, self._widths),
            logits=logits.ctypes.data,
        )
        library().corelax_score_spans(ctypes.byref(every), Number(max(1, threads)))
        return logits
