"""The CorefUD scorer's own ways: order of entities, one table of matches, MOR, zeros.

Private: `corelax score --profile corefud` uses it.
"""

__all__: list[str] = []
