"""spaCy documents as corelax ones: words without white space, and sentences where none are set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corelax.document import Document
from corelax.text.sentences import sentence_starts

if TYPE_CHECKING:
    from spacy.tokens import Doc


def document_from(doc: Doc) -> Document:
    """A spaCy document as a corelax one: its words without the tokens that are only white space."""
    tokens = [doc[place] for place in word_positions(doc)]
    words = [token.text for token in tokens]
    if doc.has_annotation("SENT_START"):
        starts = _starts_set(doc)
    else:
        spans = [(token.idx, token.idx + len(token)) for token in tokens]
        starts = sentence_starts(doc.text, words, spans)
    return Document(id="doc", words=tuple(words), sentence_starts=tuple(starts))


def word_positions(doc: Doc) -> list[int]:
    """[word] its place among spaCy's tokens."""
    return [token.i for token in doc if token.text.strip()]


def _starts_set(doc: Doc) -> list[int]:
    """The first word of each sentence that spaCy has set. White space may begin a sentence there."""
    starts: list[int] = []
    words, pending = 0, True
    for token in doc:
        pending = pending or bool(token.is_sent_start)
        if token.text.strip():
            if pending:
                starts.append(words)
            words, pending = words + 1, False
    return starts
