"""Raw text to documents: words, sentences, character offsets, speakers; files and folders of texts."""

from corelax.text.dialogue import speakers_of
from corelax.text.raw import document_of
from corelax.text.sources import Source, read_documents, read_sources, read_text

__all__ = [
    "Source",
    "document_of",
    "read_documents",
    "read_sources",
    "read_text",
    "speakers_of",
]
