"""Which documents belong to one topic, for cross-document coreference."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from corelax.core.errors import CorelaxError, FormatError
from corelax.core.files import open_text, shown
from corelax.document import Document
from corelax.document.gold import JSON_FIELDS
from corelax.io.formats import suffix_format

ALL = "all"


def topic_rule(rule: str | os.PathLike[str]) -> Callable[[str], str]:
    """From the name of a document to that of its topic.

    Args:
        rule: "all" for one topic, a file of `document<TAB>topic` lines, or what stands between the topic and
            the rest of a name: `_` for ECB+, whose `36_10ecb` is of topic 36.

    >>> topic_rule("_")("36_10ecb"), topic_rule("all")("36_10ecb")
    ('36', 'all')
    """
    name = os.fspath(rule)
    if name == ALL:
        return lambda document: ALL  # noqa: ARG005
    if Path(name).is_file():
        return _by_list(name)
    if not name:
        raise CorelaxError("a topic is told by 'all', a file, or a separator such as _; not by ''")
    if Path(name).suffix or len(name) > 8:
        raise CorelaxError(f"{shown(name)}: no such file of documents and topics")
    return lambda document: _before(document, name)


def named_entities(
    documents: Iterable[Document], path: str | os.PathLike[str], format: str | None
) -> Iterator[Document]:
    """The documents of a file; an error if its format has no names of entities to join documents by."""
    name = os.fspath(path)
    for doc in documents:
        if (format or suffix_format(name)) in ("jsonlines", "jsonl") or JSON_FIELDS in doc.extra:
            raise CorelaxError(
                f"{shown(name)}: jsonlines has no names of entities, by which documents are joined"
            )
        yield doc


def _before(document: str, separator: str) -> str:
    topic, found, _ = document.partition(separator)
    if not found:
        raise CorelaxError(f"document {document} has no {separator!r} after the name of a topic")
    return topic


def _by_list(path: str) -> Callable[[str], str]:
    """The topics of a file."""
    topics: dict[str, str] = {}
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            cells = line.rstrip("\n").split("\t")
            if not line.strip():
                continue
            if len(cells) != 2 or not all(cells):
                message = "a document, a tab and its topic are needed"
                raise FormatError(message, path=shown(path), line=number)
            topics[cells[0].removesuffix("_0")] = cells[1]

    def topic(document: str) -> str:
        if document not in topics:
            raise CorelaxError(f"{shown(path)}: document {document} has no topic")
        return topics[document]

    return topic
