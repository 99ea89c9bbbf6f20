"""Raw text to documents: words, sentences, character offsets, speakers; files and folders of texts."""

from corelax.text.dialogue import speakers_of
from corelax.text.language import looks_english
from corelax.text.raw import document_of
from corelax.text.sources import Source, input_files, read_documents, read_sources, read_text

__all__ = [
    "Source",
    "document_of",
    "input_files",
    "looks_english",
    "read_documents",
    "read_sources",
    "read_text",
    "speakers_of",
]
