"""The reference scorer's own ways: how it reads, matches, counts repeated links and prints.

Private: `corelax.score(..., profile="reference")` and `corelax score --profile reference` use it.
"""

__all__: list[str] = []
