"""Writing Universal Anaphora, a column for each kind of anaphora. The format is described in `ua.py`."""

from __future__ import annotations

import re
from collections import Counter

from corelax.core.errors import CorelaxError
from corelax.document import Document, Span, tree_head
from corelax.document.gold import SPLIT, UA_COLUMNS, UA_MENTIONS, UA_PSEUDO
from corelax.io import corefud
from corelax.io.corefud_write import Nodes, places_of, sentence_comments
from corelax.io.ua import COLUMNS, CONLLU, PREFIX
from corelax.io.writing import (
    Bracketed,
    Events,
    bracket_events,
    entity_names,
    lost_data,
    lost_sentences,
)

_NAMES = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_UNSAFE = re.compile(r"[()|@=,\s]|[-_]pseudo$", re.IGNORECASE)
_UNSAFE_CELL = re.compile(r"\s|^$")
_UNSAFE_LAYER = re.compile(r"[\t\n\r]|^$")
_LONGEST = 1000  # tokens of a mention whose head is looked for


def write(doc: Document) -> str:
    nodes = Nodes(doc)
    markables = _Markables(doc, nodes)
    columns = doc.extra.get(UA_COLUMNS, COLUMNS)
    others = [doc.layers.get(PREFIX + name.lower()) for name in columns]
    speakers = doc.layer("speaker")
    lines = [f"# global.columns = {' '.join((*_NAMES, *columns))}", f"# newdoc id = {doc.key}"]
    for number, (start, end) in enumerate(doc.sentence_bounds):
        speaker = speakers[start] if start < end else None
        lines += sentence_comments(doc, number, speaker, " ".join(doc.words[start:end]))
        for node, cells in nodes.rows(number, start, end):
            token = start + int(cells[0]) - 1 if cells[0].isdecimal() else None
            cells[0] = _over_document(cells[0], start)
            for name, values in zip(columns, others, strict=True):
                if name == "IDENTITY":
                    cells.append(markables.cell(node) if node is not None else "_")
                else:
                    value = values[token] if values and token is not None else None
                    cells.append("_" if value is None else str(value))
            if any(map(_UNSAFE_CELL.search, (cells[1], *cells[CONLLU:]))) or any(
                map(_UNSAFE_LAYER.search, cells)
            ):
                fault = "an empty word, a blank in a word or a markable, or a tab in a cell"
                raise CorelaxError(f"document {doc.key}: Universal Anaphora cannot hold {fault}")
            lines.append("\t".join(cells))
        lines.append("")
    if not doc.sentence_starts:
        lines.append("")
    if any("\n" in line or "\r" in line for line in lines):
        raise CorelaxError(f"document {doc.key}: Universal Anaphora cannot hold a line end")
    return "\n".join(lines) + "\n"


def _over_document(id: str, start: int) -> str:
    """A number of CoNLL-U, which counts words of a sentence, as one that counts those of the document.

    >>> _over_document("3-4", 10), _over_document("3.1", 10)
    ('13-14', '13.1')
    """
    first, mark, last = re.fullmatch(r"(\d+)([-.]?)(\d*)", id).groups()  # type: ignore[union-attr]
    return f"{int(first) + start}{mark}{int(last) + start if mark == '-' else last}"


def not_kept(doc: Document) -> Counter[str]:
    held = {*corefud.LAYERS.values(), "head", "misc", "speaker"}
    held.update(name for name in doc.layers if name.startswith(PREFIX))
    extra = ("ua.", "conllu.comments", "conllu.multiword", SPLIT)
    lost = lost_data(doc, layers=held, extra=extra, nodes=True)
    return lost + lost_sentences(doc) + _Markables(doc, Nodes(doc)).lost


def _is_name(label: str) -> bool:
    return bool(label) and not _UNSAFE.search(label)


class _Markables:
    """The identity column of each node."""

    def __init__(self, doc: Document, nodes: Nodes) -> None:
        self.lost: Counter[str] = Counter()
        self._doc, self._nodes = doc, nodes
        self._text: dict[str, str] = {}  # of a markable, without bracket
        brackets: list[Bracketed] = []
        names = entity_names(doc.clusters, _is_name, "", self.lost)
        name_of = dict(zip(doc.clusters.labels, names, strict=True))
        known = doc.extra.get(UA_MENTIONS, {})
        sets: dict[str, list[str]] = {}
        for whole, elements in doc.extra.get(SPLIT, {}).items():
            for element in elements:
                sets.setdefault(element, []).append(name_of[whole])
        for label, cluster in zip(doc.clusters.labels, doc.clusters, strict=True):
            self.lost["mentions that an entity has twice (written once)"] += len(cluster) - len(
                set(cluster)
            )
            for at, span in enumerate(dict.fromkeys(cluster)):
                rest = known.get((label, span))
                if rest is None:
                    rest = self._attributes(label, span, sets.get(label, []) if at == 0 else [])
                brackets += self._brackets(span, f"EntityID={name_of[label]}|{rest}")
        for span, text in doc.extra.get(UA_PSEUDO, ()):
            brackets += self._brackets(span, text)
        self.lost = +self.lost
        self._events = bracket_events(brackets)
        self._crossing = _cross(brackets)

    def _attributes(self, label: str, span: Span, sets: list[str]) -> str:
        """What is known of a mention that came from another format."""
        items = [f"MarkableID=markable_{len(self._text) + 1}"]
        head = self._doc.mention_heads.get((label, span), (None,))[0]
        if head is None and span.end - span.start <= _LONGEST:
            head = span.start if span.end == span.start + 1 else tree_head(self._doc, span)
        if isinstance(head, int):
            items.append(f"Min={head + 1}")
        if sets:
            items.append(f"ElementOf={','.join(sets)}")
        return "|".join(items)

    def _brackets(self, span: Span, text: str) -> list[Bracketed]:
        match = re.search(r"(?:^|\|)MarkableID=([^|]*)", text, re.IGNORECASE)
        name = match[1] if match else ""
        if not name or name in self._text:
            name = f"markable_{len(self._text) + 1}x"
            text = re.sub(r"\|MarkableID=[^|]*", "", text, flags=re.IGNORECASE)
            text = f"{text.rstrip('|')}|MarkableID={name}"
        self._text[name] = text
        places = places_of(self._nodes, span)
        if not places:
            self.lost["mentions of no node (left out)"] += 1
        elif len(places) < len(span.parts):
            self.lost["parts of discontinuous mentions (run together)"] += 1
        return [Bracketed(name, first, last) for first, last in places]

    def cell(self, node: int) -> str:
        """Closing brackets, then opening ones, longest first."""
        event = self._events.get(node, Events())
        closing = "".join(f"{m.entity if self._crossing else ''})" for m in event.closing)
        opening = "".join(f"({self._text[m.entity]}" for m in event.opening)
        single = "".join(f"({self._text[m.entity]})" for m in event.single)
        return closing + opening + single or "_"


def _cross(brackets: list[Bracketed]) -> bool:
    """Whether some markables overlap without being nested, so that closing brackets need names."""
    ends: list[int] = []
    for mention in sorted(brackets, key=lambda m: (m.first, -m.last)):
        if mention.first == mention.last:
            continue
        while ends and ends[-1] < mention.first:
            ends.pop()
        if ends and ends[-1] < mention.last:
            return True
        ends.append(mention.last)
    return False
