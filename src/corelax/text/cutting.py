"""Words as a tuple."""

from __future__ import annotations

from collections.abc import Sequence


def numbered(words: Sequence[str]) -> tuple[str, ...]:
    """The words."""
    return tuple(words)
