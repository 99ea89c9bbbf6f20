"""Writing CoNLL-2012. The format is described in `conll2012.py`."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.io.conll2012 import EMPTY, FULL_COLUMNS, LAYERS, MAX_DIGITS, MAX_NAME, WORD
from corelax.io.writing import (
    Bracketed,
    bracket_events,
    entity_names,
    lost_data,
    lost_mentions,
    lost_sentences,
    nested,
)

_UNSAFE = re.compile(r"[\t\n\r]")


def write(doc: Document) -> str:
    mentions, _ = _mentions(doc)
    events = bracket_events(mentions)
    id, part = (doc.id, doc.part) if doc.part is not None else _split_key(doc.id)
    if len(id) > MAX_NAME:
        fault = f"a name of more than {MAX_NAME} characters"
        raise CorelaxError(f"document {id[:40]}…: CoNLL-2012 cannot hold {fault}")
    arguments = doc.layer("arguments")
    numbering = doc.layers.get("numbering")
    columns = [doc.layer(name, EMPTY[name]) for name in LAYERS]
    lines = [f"#begin document ({id}); part {part:03d}"]
    for start, end in doc.sentence_bounds:
        rows = []
        for token in range(start, end):
            where = _tuple(numbering[token]) if numbering else (id, part, token - start)
            values = ["-" if column[token] is None else column[token] for column in columns]
            brackets = events[token].conll() if token in events else "-"
            cells = (*where, doc.words[token], *values, *_tuple(arguments[token]), brackets)
            rows.append([str(cell) for cell in cells])
        _check(doc, rows, FULL_COLUMNS + len(_tuple(arguments[start])) if rows else 0)
        lines += ["\t".join(row) for row in rows]
        if rows:
            lines.append("")
    lines.append("#end document\n")
    return "\n".join(lines)


def _tuple(value: Any) -> tuple[Any, ...]:
    """Several cells of a row; anything else has none (and is then refused by its number of columns)."""
    return tuple(value) if isinstance(value, tuple | list) else ()


def _check(doc: Document, rows: list[list[str]], width: int) -> None:
    """Raises an error if a reader would not find these rows in the text."""
    for row in rows:
        if not row[WORD] or row[0].startswith("#") or any(map(_UNSAFE.search, row)):
            fault = "an empty word, a tab or line end in a cell, or a row that begins with #"
        elif len(row) != width:
            fault = f"{len(row)} and {width} columns in one sentence"
        else:
            continue
        raise CorelaxError(f"document {doc.key}: CoNLL-2012 cannot hold {fault}")


def not_kept(doc: Document) -> Counter[str]:
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
