"""corelax inside other libraries. Each file here imports the library that it serves."""

from corelax.core.lazy import lazy_imports

with lazy_imports(__name__):
    from corelax.integrations import datasets, spacy, torchmetrics

__all__ = ["datasets", "spacy", "torchmetrics"]
