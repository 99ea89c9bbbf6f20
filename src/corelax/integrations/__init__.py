"""corelax inside other libraries. Each file here imports the library that it serves."""

from corelax.core.lazy import lazy_names

__all__ = ["datasets", "spacy", "torchmetrics"]

__getattr__, __dir__ = lazy_names(__name__, dict.fromkeys(__all__, ""))
