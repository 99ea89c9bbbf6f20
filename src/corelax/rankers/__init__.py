"""Mention rankers: whatever gives `antecedent_scores`.

The adapters take the scores of any model. The paper's ranker (`sparse`) and the pretrained encoders
(`encoder`) are loaded when they are first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corelax.rankers.adapt import from_pruned, from_square, to_pruned

if TYPE_CHECKING:
    from corelax.rankers.sparse.network import SparseRanker

__all__ = ["SparseRanker", "from_pruned", "from_square", "to_pruned"]


def __getattr__(name: str) -> Any:
    if name == "SparseRanker":
        from corelax.rankers.sparse.network import SparseRanker

        return SparseRanker
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
