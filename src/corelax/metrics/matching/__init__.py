"""Which mention of the system is which mention of gold: `align`, and what it is made of.

Public is what `corelax.metrics` lists.
"""

__all__: list[str] = []
