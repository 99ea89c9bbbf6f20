"""What is done around the network: texts become items, scores become decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corelax.core.checks import check_choice
from corelax.document import Document
from corelax.rankers.encoder.batches import Item
from corelax.rankers.encoder.model import EncoderModel
from corelax.resolve.given import Given, Speakers, check_single, check_speakers
from corelax.text.raw import CutText, cut_document, cut_documents

# What a resolution is made of, and its words and speakers.
Cut = tuple[CutText | Document, Document]
LETTERS = 1 << 16  # of texts that are cut together; more would leave the caches


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


def prepare(model: EncoderModel, given: Sequence[Given], scheme: str | None) -> list[Prepared]:
    """Cuts texts and makes their windows, those of short ones together.

    Args:
        model: The model.
        given: Texts and speakers that were `checked`.
        scheme: As for `Resolver.resolve`.
    """
    number = _scheme_number(model, scheme)
    return [
        Prepared(source, document, Item(model.windows(document), number))
        for group in _groups(given)
        for source, document in _cut_or_given(group)
    ]


def _groups(given: Sequence[Given]) -> Iterator[Sequence[Given]]:
    """Runs of texts that have `LETTERS` at most, or one text if that is longer."""
    first = letters = 0
    for at, (text, _) in enumerate(given):
        size = len(text) if isinstance(text, str) else sum(map(len, text.words))
        if letters + size > LETTERS and at > first:
            yield given[first:at]
            first, letters = at, 0
        letters += size
    if first < len(given):
        yield given[first:]


def cut_or_given(text: str | Document, speakers: Speakers | None) -> Cut:
    """A raw text that is cut, and its words; a document twice."""
    check_single(text, speakers)
    [cut] = _cut_or_given([(text, speakers)])
    return cut


def _cut_or_given(given: Sequence[Given]) -> list[Cut]:
    """What `cut_or_given` says of each of several texts."""
    plain = [
        text for text, speakers in given if not isinstance(text, Document) and speakers is None
    ]
    cuts = iter(cut_documents(plain))
    every: list[Cut] = []
    for text, speakers in given:
        if isinstance(text, Document):
            every.append((text, text))
        else:
            cut, words = next(cuts) if speakers is None else cut_document(text, speakers=speakers)
            every.append((cut, cut.document(words, offsets=False)))
    return every


def item_of(
    model: EncoderModel,
    document: Document,
    scheme: str | None,
    given: list[tuple[int, int]] | None = None,
) -> Item:
    """A document as the network takes it."""
    check_speakers(document)
    return Item(model.windows(document), _scheme_number(model, scheme), given)


def _scheme_number(model: EncoderModel, scheme: str | None) -> int:
    schemes = model.settings.schemes
    return schemes.index(check_choice("scheme", scheme or schemes[0], schemes))
