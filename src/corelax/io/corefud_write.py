"""Writing CorefUD: CoNLL-U with coreference as `Entity=`. The format is described in `corefud.py`."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from corelax.core.errors import CorelaxError
from corelax.document import Document, EmptyId, EmptyNode, Span, tree_head
from corelax.document.gold import COMMENTS, GLOBAL_ENTITY, MENTIONS, MULTIWORD, SPLIT
from corelax.io import corefud
from corelax.io.corefud_entities import name_field
from corelax.io.writing import (
    Bracketed,
    Events,
    bracket_events,
    entity_names,
    lost_data,
    lost_sentences,
    nested,
)

_UNSAFE_CELL = re.compile(r"[\t\n\r]|^$")
_LONGEST = 1000  # tokens of a mention whose head is looked for
_UNSAFE = re.compile(r"[-()\[\]|=\s%]")  # would end an entity's name, or its cell


def sentence_comments(doc: Document, number: int, speaker: str | None, text: str) -> Sequence[str]:
    """The comments before a sentence: those that it had, or its name, who speaks, and its text."""
    comments = doc.extra.get(COMMENTS, ())
    if number < len(comments):
        kept: Sequence[str] = comments[number]
        return kept
    said = [] if speaker is None else [f"# speaker = {speaker}"]
    return [f"# sent_id = {doc.key}-{number + 1}", *said, f"# text = {text}"]


def write(doc: Document) -> str:
    nodes = Nodes(doc)
    brackets = _Brackets(doc, nodes)
    split = brackets.split_antecedents()
    speakers = doc.layer("speaker")
    lines = [
        f"# newdoc id = {doc.key}",
        f"# global.Entity = {doc.extra.get(GLOBAL_ENTITY, corefud.FIELDS)}",
    ]
    for number, (start, end) in enumerate(doc.sentence_bounds):
        speaker = speakers[start] if start < end else None
        lines += sentence_comments(doc, number, speaker, _text(doc, start, end, nodes.joined))
        for node, columns in nodes.rows(number, start, end):
            entity = brackets.cell(node) if node is not None else ""
            if entity:
                columns = [*columns[:-1], _with_attribute(columns[-1], f"Entity={entity}")]
            if node in split:
                attribute = f"SplitAnte={','.join(split[node])}"
                columns = [*columns[:-1], _with_attribute(columns[-1], attribute)]
            if len(columns) != corefud.COLUMNS or any(map(_UNSAFE_CELL.search, columns)):
                fault = "an empty word, a tab or a line end in it"
                raise CorelaxError(f"document {doc.key}: CoNLL-U cannot hold {fault}")
            lines.append("\t".join(columns))
        lines.append("")
    if not doc.sentence_starts:
        lines.append("")
    if any("\n" in line or "\r" in line for line in lines):
        raise CorelaxError(f"document {doc.key}: CoNLL-U cannot hold a line end in a comment")
    return "\n".join(lines) + "\n"


def not_kept(doc: Document) -> Counter[str]:
    held = {*corefud.LAYERS.values(), "head", "misc", "speaker"}
    lost = (
        lost_data(doc, layers=held, extra=("conllu.", SPLIT), nodes=True)
        + _Brackets(doc, Nodes(doc)).lost
    )
    lost += lost_sentences(doc)
    if COMMENTS not in doc.extra:
        speakers = doc.by_sentence(doc.layer("speaker"))
        if changes := sum(len(set(sentence)) > 1 for sentence in speakers):
            lost["speakers that change inside a sentence"] = changes
    return lost


def _is_name(label: str) -> bool:
    return bool(label) and not _UNSAFE.search(label)


def _joined(doc: Document) -> frozenset[int]:
    """The tokens of a raw text that no blank divides from the next; none if blanks are not known."""
    offsets, text = doc.layer("offsets"), doc.raw_text
    if text is None or "misc" in doc.layers or None in offsets:
        return frozenset()
    return frozenset(
        position
        for position, ((_, end), (start, _)) in enumerate(pairwise(offsets))
        if not any(map(str.isspace, text[end:start]))
    )


def _text(doc: Document, start: int, end: int, joined: frozenset[int]) -> str:
    pieces = (word + " " * (i not in joined) for i, word in enumerate(doc.words[start:end], start))
    return "".join(pieces).rstrip(" ")


def _with_attribute(misc: str, attribute: str) -> str:
    """Puts an attribute among the others, in alphabetical order if they are."""
    items = [] if misc == "_" else misc.split("|")
    name = attribute.partition("=")[0].lower()
    items.insert(bisect([item.lower() for item in items], f"{name}="), attribute)
    return "|".join(items)


class Nodes:
    """Tokens and empty nodes in one order."""

    def __init__(self, doc: Document) -> None:
        self.doc = doc
        self._layers = [(column, doc.layer(name)) for column, name in corefud.LAYERS.items()]
        self._heads, self._misc = doc.layer("head"), doc.layer("misc")
        self.joined = _joined(doc)
        self._multiword = {m.start: m for m in doc.extra.get(MULTIWORD, ())}
        self._empty_at: dict[tuple[int, int], list[EmptyNode]] = {}  # sentence, word before → nodes
        for node in doc.empty_nodes:
            self._empty_at.setdefault(node.id[:2], []).append(node)
        self.of_token: list[int] = []
        self.of_empty: dict[EmptyId, int] = {}
        count = 0
        for sentence, (start, end) in enumerate(doc.sentence_bounds):
            for word in range(end - start + 1):
                for node in self._empty_at.get((sentence, word), ()):
                    self.of_empty[node.id] = count
                    count += 1
                if word < end - start:
                    self.of_token.append(count)
                    count += 1

    def rows(self, sentence: int, start: int, end: int) -> Iterator[tuple[int | None, list[str]]]:
        """The rows of a sentence with the number of their node; None for multiword tokens."""
        doc = self.doc
        for position in range(start, end + 1):
            for node in self._empty_at.get((sentence, position - start), ()):
                yield self.of_empty[node.id], [str(node.id), *node.columns]
            if position == end:
                return
            if position in self._multiword:
                span = self._multiword[position]
                ids = f"{span.start - start + 1}-{span.end - start}"
                yield None, [ids, *span.columns]
            columns = [str(position - start + 1), doc.words[position], *["_"] * 8]
            for column, values in self._layers:
                columns[column] = "_" if values[position] is None else str(values[position])
            head = self._heads[position]
            if head is not None:
                if not isinstance(head, int) or (head != -1 and head not in range(start, end)):
                    raise CorelaxError(
                        f"document {doc.key}: token {position} has the head {head!r}"
                    )
                columns[6] = "0" if head == -1 else str(head - start + 1)
            space = "SpaceAfter=No" if position in self.joined else "_"
            columns[9] = str(self._misc[position] or space)
            if "Entity=" in columns[9]:
                raise CorelaxError(
                    f"document {doc.key}: the layer misc of token {position} has Entity="
                )
            yield self.of_token[position], columns


def places_of(nodes: Nodes, span: Span) -> list[tuple[int, int]]:
    """The first and last node of each part of a mention."""
    empty = [e for e in span.empty if e in nodes.of_empty]
    places = []
    for start, end in span.parts or ((span.start, span.end),):
        covered = [nodes.of_token[start], nodes.of_token[end - 1]] if end > start else []
        mine = [e for e in empty if start <= nodes.doc.place_of(e) <= end]
        empty = [e for e in empty if e not in mine]
        covered += [nodes.of_empty[e] for e in mine]
        if covered:
            places.append((min(covered), max(covered)))
    return places


class _Brackets:
    """The `Entity=` value of each node."""

    def __init__(self, doc: Document, nodes: Nodes) -> None:
        self.lost: Counter[str] = Counter()
        self._nodes = nodes
        self._opening: dict[Bracketed, str] = {}
        self._details: dict[tuple[str, Span], str] = doc.extra.get(MENTIONS, {})
        self._fields = doc.extra.get(GLOBAL_ENTITY, corefud.FIELDS).split("-")
        self._name_field = name_field(self._fields)
        names = entity_names(doc.clusters, _is_name, "e", self.lost)
        self._names = dict(zip(doc.clusters.labels, names, strict=True))
        brackets: list[Bracketed] = []
        for name, label, cluster in zip(names, doc.clusters.labels, doc.clusters, strict=True):
            whole: dict[tuple[int, int], Bracketed] = {}
            split: dict[int, list[list[Bracketed]]] = {}  # number of parts → brackets of mentions
            self.lost["mentions that an entity has twice (written once)"] += len(cluster) - len(
                set(cluster)
            )
            for span in dict.fromkeys(cluster):
                parts = self._brackets(name, label, span)
                if len(parts) == 1:
                    whole[parts[0].first, parts[0].last] = parts[0]
                elif parts:
                    split.setdefault(len(parts), []).append(parts)
                else:
                    self.lost["mentions of no node (left out)"] += 1
            brackets += [whole[place] for place in nested(whole, self.lost, touching=True)]
            for mentions in split.values():
                brackets += self._in_step(mentions)
        self._events = bracket_events(brackets)

    def _brackets(self, name: str, label: str, span: Span) -> list[Bracketed]:
        places = places_of(self._nodes, span)
        if places and len(places) < len(span.parts):
            self.lost["parts of discontinuous mentions (run together)"] += 1
        brackets = []
        values = self._details.get((label, span)) if places else ""
        if values is None:
            values = self._with_head(label, span)
        for part, (first, last) in enumerate(places, 1):
            entity = name if len(places) == 1 else f"{name}[{part}/{len(places)}]"
            bracket = Bracketed(entity, first, last)
            others = values.split("-") if values else []
            others.insert(self._name_field, entity)
            self._opening[bracket] = "-".join(others)
            brackets.append(bracket)
        return brackets

    def _with_head(self, label: str, span: Span) -> str:
        """The fields of a mention up to its head, which was given or comes from the tree."""
        doc = self._nodes.doc
        if "head" not in self._fields or span.end - span.start > _LONGEST:
            return ""
        nodes = doc.nodes(span)
        heads = doc.mention_heads.get((label, span)) or (tree_head(doc, span),)
        head = nodes[0] if len(nodes) == 1 else heads[0]
        if head not in nodes:
            return ""
        others = self._fields[: self._fields.index("head")]
        before = len(others) - (self._name_field < len(others))
        return "-" * before + str(nodes.index(head) + 1)

    def _in_step(self, mentions: list[list[Bracketed]]) -> list[Bracketed]:
        """Discontinuous mentions of an entity whose parts can be told apart: a reader takes the
        second parts in the order of the first ones. Others are left out."""
        in_step: list[list[Bracketed]] = []
        for mention in sorted(mentions, key=lambda parts: (parts[0].last, -parts[0].first)):
            if all(
                part.first > before.last
                for earlier in in_step[-1:]
                for part, before in zip(mention, earlier, strict=True)
            ):
                in_step.append(mention)
            else:
                self.lost[
                    "discontinuous mentions that cross another of their entity (left out)"
                ] += 1
        return [bracket for mention in in_step for bracket in mention]

    def split_antecedents(self) -> dict[int | None, list[str]]:
        """Values of `SplitAnte=` by node, unless the layer `misc` has them: on an entity's first mention."""
        doc = self._nodes.doc
        split: dict[int | None, list[str]] = {}
        if any("SplitAnte=" in str(misc) for misc in doc.layer("misc")) or any(
            "SplitAnte=" in node.columns[-1] for node in doc.empty_nodes
        ):
            return split
        first = {label: min(c) for label, c in zip(doc.clusters.labels, doc.clusters, strict=True)}
        for whole, elements in doc.extra.get(SPLIT, {}).items():
            if places := places_of(self._nodes, first[whole]):
                pairs = [f"{self._names[entity]}<{self._names[whole]}" for entity in elements]
                split.setdefault(places[0][0], []).extend(pairs)
        return split

    def cell(self, node: int) -> str:
        """Closing brackets, then opening ones, longest first."""
        event = self._events.get(node, Events())
        closing = "".join(f"{m.entity})" for m in event.closing)
        opening = "".join(f"({self._opening[m]}" for m in event.opening)
        return closing + opening + "".join(f"({self._opening[m]})" for m in event.single)
