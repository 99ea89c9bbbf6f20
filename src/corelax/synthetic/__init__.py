"""Invented documents with annotated coreference, for demonstrations, tests and measurements of speed.

They have the size and density of a real corpus and every layer that mention detection reads. What a
resolver scores on them says nothing about how well it does on text that people wrote.
"""

from corelax.synthetic.documents import generate
from corelax.synthetic.shape import Shape

__all__ = ["Shape", "generate"]
