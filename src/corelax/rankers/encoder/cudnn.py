"""Attention on a GPU by other ways than cuDNN's.

cuDNN makes a plan for each number and length of windows, and most batches have others.
"""

from __future__ import annotations

import threading

import torch


class _WithoutCudnn:
    """Switches cuDNN's attention off as long as any thread is inside; torch has one switch for all."""

    def __init__(self) -> None:
        self._lock, self._inside, self._before = threading.Lock(), 0, True

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = torch.backends.cuda.cudnn_sdp_enabled()  # type: ignore[no-untyped-call]
                torch.backends.cuda.enable_cudnn_sdp(False)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                torch.backends.cuda.enable_cudnn_sdp(self._before)


without_cudnn = _WithoutCudnn()
