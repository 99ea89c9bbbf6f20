"""Corpora of any size: shards that are continued where they stopped, on one machine or on a Ray cluster.

Names are imported when they are first used.
"""

from __future__ import annotations

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
    from corelax.scale.options import ShardOptions
    from corelax.scale.run import ShardsReport, resolve_shards

__all__ = ["ShardOptions", "ShardsReport", "resolve_shards"]
