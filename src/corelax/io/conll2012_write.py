"""Writing CoNLL-2012. The format is described in `conll2012.py`."""

from __future__ import annotations

import re
from collections import Counter

from corelax.document import Document
from corelax.errors import CorelaxError
from corelax.io.conll2012 import EMPTY, LAYERS, MAX_DIGITS
from corelax.io.losses import lost_data, lost_mentions, lost_sentences
from corelax.io.nesting import Bracketed, bracket_events, entity_names, nested


def write(doc: Document) -> str:
    """A document as text, columns apart by tabs."""
    mentions, _ = _mentions(doc)
    events = bracket_events(mentions)
    id, part = (doc.id, doc.part) if doc.part is not None else _split_key(doc.id)
    arguments = doc.layer("arguments", ())
    columns = [doc.layer(name, EMPTY[name]) for name in LAYERS]
    rows = [f"#begin document ({id}); part {part:03d}"]
    numbering = doc.layers.get("numbering")
    cells = 0
    for start, end in doc.sentence_bounds:
        for token in range(start, end):
            where = numbering[token] if numbering else (id, str(part), str(token - start))
            values = ["-" if column[token] is None else str(column[token]) for column in columns]
            brackets = events[token].conll() if token in events else "-"
            row = (*where, doc.words[token], *values, *arguments[token], brackets)
            rows.append("\t".join(row))
            cells += len(row)
        if end > start:
            rows.append("")
    rows.append("#end document\n")
    text = "\n".join(rows)
    separators = text.count("\t") + len(doc.words), text.count("\n"), text.count("\r")
    if separators != (cells, len(rows), 0) or "" in doc.words or id.startswith("#"):
        what = "an empty word, a tab or line end in a word, or a name that begins with #"
        raise CorelaxError(f"document {doc.key}: CoNLL-2012 cannot hold {what}")
    return text


def losses(doc: Document) -> Counter[str]:
    """What of a document the format cannot hold, and how often."""
    held = {*LAYERS, "arguments", "numbering"}
    lost = lost_data(doc, layers=held) + lost_mentions(doc) + _mentions(doc)[1]
    return lost + lost_sentences(doc)


def _mentions(doc: Document) -> tuple[list[Bracketed], Counter[str]]:
    """The mentions to write, each as one stretch, and a count of what cannot be written."""
    lost: Counter[str] = Counter()
    names = entity_names(doc.clusters, _is_number, "", lost)
    mentions: list[Bracketed] = []
    for name, cluster in zip(names, doc.clusters, strict=True):
        spans = {(span.start, span.end - 1) for span in cluster if span.end > span.start}
        mentions += [Bracketed(name, first, last) for first, last in nested(spans, lost)]
    return mentions, lost


def _is_number(label: str) -> bool:
    return label.isascii() and label.isdecimal() and len(label) <= MAX_DIGITS


def _split_key(key: str) -> tuple[str, int]:
    """`name_3` of a jsonlines file is part 3 of `name`; other names are part 0."""
    match = re.fullmatch(r"(.+)_(0|[1-9]\d{0,5})", key)
    return (match[1], int(match[2])) if match else (key, 0)
