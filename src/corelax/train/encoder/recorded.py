"""The encoder as CUDA graphs: forward and backward recorded once for a shape, and replayed as a whole.

A step of two documents keeps a large GPU busy for less time than it takes to launch its two thousand kernels,
half of which are the encoder's. Windows are filled up to a few shapes, each recorded when it is first met.
Short windows, as of documents that are cut, have too many shapes and are run as they are.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from corelax.rankers.encoder.hiding import hiding

MOST_WINDOWS = 16  # more are run as they are


class RecordedEncoder:
    """Encodes windows of pieces on a GPU, in bfloat16.

    Args:
        encoder: A model of Hugging Face that returns `last_hidden_state`, in training mode; one that
            `takes_hiding`.
        pad: The number of the piece that fills up windows.
        window: The most pieces of a window.
    """

    def __init__(self, encoder: Any, pad: int, window: int) -> None:
        self._encoder, self._pad, self._window = _Vectors(encoder), pad, window
        self._recordings: dict[int, Any] = {}
        self._pool = torch.cuda.graph_pool_handle()

    def __call__(self, pieces: Tensor, lengths: Tensor) -> Tensor:
        """[window, piece, size] vectors of [window, piece] pieces, of which the first `lengths` are real."""
        windows, length = pieces.shape
        recorded = windows <= MOST_WINDOWS and length > self._window // 2
        recorded = recorded and self._encoder.encoder.training  # dropout is in the recording
        count, longest = (_filled(windows), self._window) if recorded else (windows, length)
        more = count - windows
        table = nn.functional.pad(pieces, (0, longest - length, 0, more), value=self._pad)
        sizes = nn.functional.pad(lengths, (0, more), value=1)
        mask = hiding(longest, sizes).to(torch.bfloat16)
        run = self._recording(table, mask) if recorded else self._encoder
        vectors: Tensor = run(table, mask)
        return vectors[:windows, :length]

    def _recording(self, pieces: Tensor, mask: Tensor) -> Any:
        windows = len(pieces)
        if windows not in self._recordings:
            with torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=False):
                self._recordings[windows] = torch.cuda.make_graphed_callables(
                    _Vectors(self._encoder.encoder), (pieces, mask), pool=self._pool
                )
        return self._recordings[windows]


class _Vectors(nn.Module):
    """The encoder with tensors in and one tensor out, as recordings need it."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, pieces: Tensor, mask: Tensor) -> Tensor:
        vectors: Tensor = self.encoder(input_ids=pieces, attention_mask=mask).last_hidden_state
        return vectors


def _filled(windows: int) -> int:
    """The number of windows of the next shape: 1, 2, 3, 4, 6, 8, 12, 16, 24, ...

    >>> [_filled(windows) for windows in (1, 3, 5, 7, 9, 13, 17)]
    [1, 3, 6, 8, 12, 16, 24]
    """
    size = 1 << max(windows - 1, 0).bit_length()
    return 3 * size // 4 if size >= 4 and windows <= 3 * size // 4 else size
