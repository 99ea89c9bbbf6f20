"""Raw text to documents: words, sentences, character offsets, speakers; files and folders of texts."""

from corelax.text.dialogue import speakers_of
from corelax.text.raw import document_of
from corelax.text.sources import input_files, read_documents, read_text

__all__ = ["document_of", "input_files", "read_documents", "read_text", "speakers_of"]
