"""Mention rankers: from documents, or from other people's models, to `antecedent_scores`.

`SparseRanker` is imported when it is first used: the adapters need none of its features.
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
    raise AttributeError(f"module 'corelax.rankers' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
