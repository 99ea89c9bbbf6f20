"""Which mentions a document has: detected from what it is annotated with, or given."""

from __future__ import annotations

from collections.abc import Iterable

from corelax.core.errors import CorelaxError
from corelax.document import Document, Span
from corelax.rankers.sparse.mentions import bare, constituency, universal
from corelax.rankers.sparse.mentions.analysis import Analysis, Mention, in_order, sentence_numbers


def analyse(doc: Document) -> Analysis:
    """Detects mentions by constituency trees, by dependencies, or (with tags alone) by chunks of tags."""
    if "parse" in doc.layers and "pos" in doc.layers:
        return constituency.analyse(doc)
    if "head" in doc.layers and "relation" in doc.layers:
        return universal.analyse(doc)
    return bare.analyse(doc)


def detected(analysis: Analysis) -> tuple[Mention, ...]:
    """The detected mentions, or an error if there is nothing to detect them by."""
    document = analysis.document
    if analysis.governors is None and document.words:
        advice = (
            "take the annotated ones (--mentions gold; in training --set mentions=gold) or those of "
            "another file (--mentions FILE)"
            if document.raw_text is None
            else "for raw text take a model that reads it, such as small"
        )
        raise CorelaxError(
            f"document {document.key}: without trees or Penn tags mentions cannot be detected; {advice}"
        )
    return analysis.mentions


def given(analysis: Analysis, spans: Iterable[Span]) -> tuple[Mention, ...]:
    """Mentions for spans from elsewhere: the annotated ones, or those of another file.

    Spans over gaps, empty nodes or sentence ends are left out, since no feature is defined for them.
    """
    sentence = sentence_numbers(analysis.document)
    mentions = []
    for span in dict.fromkeys(spans):
        if span.is_continuous and span.start < span.end <= len(sentence):
            number = sentence[span.start]
            if sentence[span.end - 1] == number:
                mentions.append(
                    Mention(number, span.start, span.end, *analysis.head_of(span.start, span.end))
                )
    return in_order(mentions)
