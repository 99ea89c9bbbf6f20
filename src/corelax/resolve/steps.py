"""What is done around the network: texts become items, scores become decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corelax.core.checks import check_choice
from corelax.decode import Decided
from corelax.decode.scored import Scored
from corelax.document import Document
from corelax.rankers.encoder.items import Item
from corelax.rankers.encoder.reader import Reader
from corelax.rankers.encoder.together import decided_together
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


def prepare(reader: Reader, given: Sequence[Given], scheme: str | None) -> list[Prepared]:
    """Cuts texts and makes their windows, those of short ones together.

    Args:
        reader: The model without its network.
        given: Texts and speakers that were `checked`.
        scheme: As for `Resolver.resolve`.
    """
    number = _scheme_number(reader, scheme)
    prepared = []
    for group in _groups(given):
        cuts = _cut_or_given(group)
        every_window = reader.windows_of([document for _, document in cuts])
        prepared += [
            Prepared(source, document, Item(windows, number))
            for (source, document), windows in zip(cuts, every_window, strict=True)
        ]
    return prepared


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
    reader: Reader,
    document: Document,
    scheme: str | None,
    given: list[tuple[int, int]] | None = None,
) -> Item:
    """A document as the network takes it."""
    check_speakers(document)
    return Item(reader.windows(document), _scheme_number(reader, scheme), given)


def _scheme_number(reader: Reader, scheme: str | None) -> int:
    schemes = reader.settings.schemes
    return schemes.index(check_choice("scheme", scheme or schemes[0], schemes))


def conclude(
    reader: Reader,
    documents: Sequence[Document],
    schemes: Sequence[int],
    scored: Sequence[Scored],
    *,
    singletons: str,
    consistent: bool,
) -> Iterator[Decided]:
    """What is decided about the mentions of each document; options as for `Resolver.resolve`.

    Args:
        reader: The model that has scored the documents, without its network.
        documents: Documents with their words and, if they are known, speakers.
        schemes: The number of the scheme of each.
        scored: The scores of each document.
        singletons: As for `Resolver.resolve`.
        consistent: As for `Resolver.resolve`.
    """
    given = [
        (scores, document if consistent else None, reader.calibration(scheme))
        for document, scheme, scores in zip(documents, schemes, scored, strict=True)
    ]
    return decided_together(given, singletons=singletons, reach=reader.settings.reach)
