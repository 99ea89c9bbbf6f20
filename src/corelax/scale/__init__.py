"""Corpora of any size: shards that are continued where they stopped, on one machine or on a Ray cluster.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.core.lazy import lazy_names

if TYPE_CHECKING:
    from corelax.scale.options import ShardOptions
    from corelax.scale.run import ShardsReport, resolve_shards

__all__ = ["ShardOptions", "ShardsReport", "resolve_shards"]

__getattr__, __dir__ = lazy_names(
    __name__, {"options": "ShardOptions", "run": "resolve_shards ShardsReport"}
)
