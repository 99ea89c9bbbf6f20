"""What is done around the network: texts become items, scores become decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import NoneType
from typing import NamedTuple, Protocol

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.decode import Decided
from corelax.document import Document
from corelax.rankers.encoder.calibration import Calibration
from corelax.rankers.encoder.inputs import TextWindow
from corelax.rankers.encoder.items import Item
from corelax.rankers.encoder.scored import ScoredDocument
from corelax.rankers.encoder.settings import EncoderSettings
from corelax.rankers.encoder.together import decided_together
from corelax.resolve.given import Speakers, check_single
from corelax.text.raw import CutText, cut_document


class Reads(Protocol):
    """A model, or all of it but its network: `rankers.encoder.reader.Reader`."""

    @property
    def settings(self) -> EncoderSettings:
        """Sizes and limits of the ranker."""

    def windows(self, document: Document) -> tuple[TextWindow, ...]:
        """What the encoder reads of a document."""

    def calibration(self, scheme: int) -> Calibration:
        """The calibration of a scheme, by its number."""


class Prepared(NamedTuple):
    """A text that the network can read.

    Attributes:
        source: What a resolution is made of: the text, or the document that was given.
        document: Its words and speakers; of a text, without characters.
        item: What the network reads.
    """

    source: CutText | Document
    document: Document
    item: Item


def prepare(
    model: Reads, text: str | Document, speakers: Speakers | None, scheme: str | None
) -> Prepared:
    """Cuts a text and makes its windows; arguments as for `Resolver.resolve`."""
    source, document = cut_or_given(text, speakers)
    return Prepared(source, document, item_of(model, document, scheme))


def cut_or_given(
    text: str | Document, speakers: Speakers | None
) -> tuple[CutText | Document, Document]:
    """A raw text that is cut, and its words; a document twice."""
    check_single(text, speakers)
    if isinstance(text, Document):
        return text, text
    cut, words = cut_document(text, speakers=speakers)
    return cut, cut.document(words, offsets=False)


def item_of(
    model: Reads,
    document: Document,
    scheme: str | None,
    given: list[tuple[int, int]] | None = None,
) -> Item:
    """A document as the network takes it."""
    check_speakers(document)
    schemes = model.settings.schemes
    chosen = check_choice("scheme", scheme or schemes[0], schemes)
    return Item(model.windows(document), schemes.index(chosen), given)


def check_speakers(document: Document) -> None:
    """An error if speakers are not names."""
    speakers = document.layers.get("speaker")
    if speakers is not None and not {type(name) for name in speakers} <= {str, NoneType}:
        raise CorelaxError(f"document {document.key}: speakers must be names, or None")


def conclude(
    model: Reads,
    documents: Sequence[Document],
    schemes: Sequence[int],
    scored: Sequence[ScoredDocument],
    *,
    singletons: str,
    consistent: bool,
) -> Iterator[Decided]:
    """What is decided about the mentions of each document; options as for `Resolver.resolve`.

    Args:
        model: The model that has scored the documents.
        documents: Documents with their words and, if they are known, speakers.
        schemes: The number of the scheme of each.
        scored: The scores of each document.
        singletons: As for `Resolver.resolve`.
        consistent: As for `Resolver.resolve`.
    """
    given = [
        (scores, document if consistent else None, model.calibration(scheme))
        for document, scheme, scores in zip(documents, schemes, scored, strict=True)
    ]
    return decided_together(given, singletons=singletons, reach=model.settings.reach)
