"""Raw text to documents: words, sentences, character offsets."""

from corelax.text.raw import document_of

__all__ = ["document_of"]
