"""Rolling hashes of spans: equal strings have equal numbers, and a span costs two look-ups.

The hash of the words from s to e is Σ_t hash(word_t) bᵗ⁻ˢ modulo 2⁶⁴. Sums from the first word of a window on
give it for every span: their difference, divided by bˢ, which is a product with the inverse of b.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from corelax.english.words import DETERMINER, POSSESSIVE

BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2⁶⁴


class StringHash(nn.Module):
    """Hashes of the strings of spans, without a determiner before and a possessive ending behind.

    Args:
        size: The most words of a window.

    >>> words = torch.tensor([[7, 8, 7, 8]])
    >>> at, start = torch.tensor([0, 0, 0]), torch.tensor([0, 2, 1])
    >>> a, b, c = StringHash(4)(words, torch.zeros_like(words), at, start, start + 2)
    >>> bool(a == b), bool(a == c)
    (True, False)
    """

    _powers: Tensor
    _inverses: Tensor

    def __init__(self, size: int) -> None:
        super().__init__()
        self.register_buffer("_powers", _powers(BASE, size), persistent=False)
        inverses = _powers(pow(BASE, -1, 2**64), size)
        self.register_buffer("_inverses", inverses, persistent=False)

    def forward(
        self, hashes: Tensor, marks: Tensor, window: Tensor, start: Tensor, end: Tensor
    ) -> Tensor:
        """[span] a number for each string, the same wherever it stands.

        Args:
            hashes: [window, word] hashes of words.
            marks: [window, word] `DETERMINER`, `POSSESSIVE` or 0.
            window: [span] which of the windows.
            start: [span] the first word, in the window.
            end: [span] one past the last word.
        """
        sums = nn.functional.pad((hashes * self._powers[: hashes.shape[1]]).cumsum(1), (1, 0))
        bare = start + ((marks[window, start] == DETERMINER) & (end - start > 1)).long()
        tail = (marks[window, end - 1] == POSSESSIVE) & (end - bare > 1)
        return (sums[window, end - tail.long()] - sums[window, bare]) * self._inverses[bare]


def _powers(base: int, size: int) -> Tensor:
    """[t] baseᵗ modulo 2⁶⁴, as signed numbers."""
    powers = np.full(size, base, np.uint64)
    powers[:1] = 1
    return torch.from_numpy(np.cumprod(powers, dtype=np.uint64).view(np.int64))
