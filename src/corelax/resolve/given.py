"""What a user gives to a resolver, as documents: raw texts with speakers, or documents as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import NoneType

from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.text import document_of

Speakers = Sequence[tuple[int, int, str]]
Text = str | Document | tuple[str, Speakers]


def document_given(text: str | Document, speakers: Speakers | None = None) -> Document:
    """A raw text that is cut into words, or a document as it is."""
    if not isinstance(text, Document):
        given = str.__str__(text) if isinstance(text, str) else text
        return document_of(given, speakers=speakers)
    if speakers is not None:
        raise CorelaxError("speakers of a document are its layer 'speaker'")
    names = text.layers.get("speaker")
    if names is not None and not {type(name) for name in names} <= {str, NoneType}:
        raise CorelaxError(f"document {text.key}: speakers must be names, or None")
    return text


def documents_given(texts: Iterable[Text]) -> Iterator[Document]:
    """The documents of several texts; an error says which text is wrong, and what is wrong with it."""
    for number, text in enumerate(texts):
        try:
            if isinstance(text, tuple) and len(text) != 2:
                raise CorelaxError(f"a pair is a text and its speakers, not {len(text)} values")
            document = document_given(*text) if isinstance(text, tuple) else document_given(text)
        except CorelaxError as error:
            raise CorelaxError(f"texts[{number}]: {error}") from None
        yield document


def batches_of(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    """Lists of documents, the last perhaps shorter; what came before an error is given first."""
    batch: list[Document] = []
    try:
        for document in documents:
            batch.append(document)
            if len(batch) == size:
                yield batch
                batch = []
    except Exception:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
