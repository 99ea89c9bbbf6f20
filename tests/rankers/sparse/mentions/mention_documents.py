"""Small documents with trees, written in one line each."""

from __future__ import annotations

from collections.abc import Iterable

from corelax import Document, Span
from corelax.rankers.sparse.features.settings import FeatureSettings
from corelax.rankers.sparse.mentions.attributes import Attributes, mention_attributes
from corelax.rankers.sparse.mentions.detect import analyse, given
from corelax.rankers.sparse.mentions.lexicons import Lexicons


def parsed(
    *sentences: str, names: str | None = None, id: str = "nw/x", speakers: str | None = None
) -> Document:
    """`word/TAG/piece word/TAG/piece`, a string for each sentence; names as a column of pieces."""
    cells = [[cell.rsplit("/", 2) for cell in sentence.split()] for sentence in sentences]
    flat = [cell for sentence in cells for cell in sentence]
    layers: dict[str, list[str]] = {
        "pos": [tag for _, tag, _ in flat],
        "parse": [piece for _, _, piece in flat],
    }
    if names is not None:
        layers["ner"] = names.split()
    if speakers is not None:
        layers["speaker"] = speakers.split()
    return Document.from_sentences(
        id, [[word for word, _, _ in sentence] for sentence in cells], layers=layers
    )


def mentions_in(doc: Document) -> list[str]:
    """The words of the detected mentions, in order."""
    return [" ".join(doc.words[m.start : m.end]) for m in analyse(doc).mentions]


def all_attributes(
    doc: Document,
    settings: FeatureSettings,
    lexicons: Lexicons,
    spans: Iterable[tuple[int, int]] | None = None,
) -> list[Attributes]:
    """Of the detected mentions, or of spans."""
    analysis = analyse(doc)
    wanted = None if spans is None else [Span(*span) for span in spans]
    mentions = analysis.mentions if wanted is None else given(analysis, wanted)
    return list(mention_attributes(analysis, mentions, lexicons, settings))
