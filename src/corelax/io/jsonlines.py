"""jsonlines: one JSON object a line, in three dialects that are all read.

- e2e-coref and its descendants: `doc_key`, `sentences`, `speakers`, `clusters` with **inclusive** ends;
- flat: `tokens` instead of `sentences`, otherwise the same;
- wl-coref: `document_id`, `part_id`, `cased_words`, `sent_id`, `span_clusters` with **exclusive** ends.

The first is written. Layers it has no name for go under `layers`, fields that nothing here knows are
kept, so a document survives a round trip.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import IO, Any

from corelax.core.errors import CorelaxError
from corelax.document import Document, Span, document_key
from corelax.document.clustering import Clustering
from corelax.document.gold import JSON_FIELDS, SPLIT, with_plain_misc
from corelax.io import conll2012, corefud
from corelax.io.problems import Problems
from corelax.io.reading import OpenMentions, SplitAntecedents
from corelax.io.writing import lost_data, lost_mentions

NAME_FIELDS = ("doc_key", "document_id", "doc_id", "id")
WORD_FIELDS = ("sentences", "tokens", "cased_words")
MAX_DEPTH = 100  # of lists and objects in each other, in fields that nothing here knows
_CLUSTER_FIELDS = {  # and whether the end of a mention is its last token, or one past it
    "clusters": True,
    "predicted_clusters": True,
    "span_clusters": False,
}
_TEXT_LAYERS = {*conll2012.LAYERS, *corefud.LAYERS.values(), "misc"}
_WL_COREF_LAYERS = {"pos": "pos", "deprel": "relation", "head": "head", "speaker": "speaker"}


def read(file: IO[str], problems: Problems, *, layers: bool = True) -> Iterator[Document]:
    """Yields document after document. Without `layers`, words and clusters only."""
    for number, line in enumerate(file, 1):
        if line.isspace():
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            fault = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            problems.error(number, f"not a JSON object on one line ({fault})")
            continue
        if not isinstance(fields, dict):
            problems.error(number, f"a JSON object is needed, not {_brief(fields)}")
            continue
        document = _Object(fields, number, problems).document(layers)
        if document is not None:
            yield document


class _Object:
    """One line. Known fields are taken out of `fields`; what is left over is kept as it is."""

    def __init__(self, fields: dict[str, Any], line: int, problems: Problems) -> None:
        self.is_wl_coref = "cased_words" in fields
        self.fields = fields
        self.line = line
        self.problems = problems

    def document(self, layers: bool) -> Document | None:
        id, part = self._name()
        sentences = self._sentences()
        if sentences is None:
            return None
        starts: list[int] = []
        words: list[str] = []
        for sentence in sentences:
            starts.append(len(words))
            words += sentence
        clusters = self._clusters(len(words))
        self.problems.new_document(document_key(id, part), self.line)
        split = self._split(clusters)
        known = self._layers(len(words)) if layers else {}
        return Document(
            id=id,
            part=part,
            words=tuple(words),
            sentence_starts=tuple(starts),
            clusters=clusters,
            layers=known,
            extra=({SPLIT: split} if split else {}) | (self._extra() if layers else {}),
        )

    def _extra(self) -> dict[str, Any]:
        for name in [name for name, value in self.fields.items() if _is_deep(value)]:
            self._error(f"field {name} is nested more than {MAX_DEPTH} deep")
            del self.fields[name]
        return {JSON_FIELDS: self.fields} if self.fields else {}

    def _error(self, message: str) -> None:
        self.problems.error(self.line, message)

    def _name(self) -> tuple[str, int | None]:
        part = self.fields.pop("part_id") if _is(self.fields.get("part_id"), int) else None
        for field in NAME_FIELDS:
            if field in self.fields:
                name = self.fields.pop(field)
                if name != "" and (_is(name, str) or _is(name, int)):
                    return str(name).removesuffix(f"_{part}"), part
                self._error(f"{field} must be a name, not {_brief(name)}")
        return f"document_{self.problems.documents + 1}", part

    def _sentences(self) -> list[list[str]] | None:
        if "sentences" in self.fields:
            sentences = self.fields.pop("sentences")
            if _is_nested(sentences, str):
                return list(sentences)
            self._error("sentences must be lists of words")
            return None
        for field in ("tokens", "cased_words"):
            if field in self.fields:
                words = self.fields.pop(field)
                if not _is_list(words, str):
                    self._error(f"{field} must be a list of words")
                    return None
                return self._cut(words)
        self._error("no words: one of sentences, tokens, cased_words is needed")
        return None

    def _cut(self, words: list[str]) -> list[list[str]]:
        """Cuts flat words into sentences where `sent_id` changes."""
        numbers = self.fields.pop("sent_id", None)
        if numbers is None:
            return [words]
        if not _is_list(numbers, int) or len(numbers) != len(words):
            self._error("sent_id must have one number for each word")
            return [words]
        sentences: list[list[str]] = []
        for i, word in enumerate(words):
            if i == 0 or numbers[i] != numbers[i - 1]:
                sentences.append([])
            sentences[-1].append(word)
        return sentences

    def _clusters(self, size: int) -> Clustering[Span]:
        """Clusters as half-open spans, each mention checked."""
        present = [field for field in _CLUSTER_FIELDS if field in self.fields]
        if len(present) > 1:
            self._error(f"{' and '.join(present)} are both there; leave only the one that is meant")
        elif not present:
            self.problems.odd(self.line, "no clusters in this document")
        field = present[0] if present else "clusters"
        last_included = _CLUSTER_FIELDS[field]
        given = self.fields.pop(field, [])
        if not isinstance(given, list) or not all(isinstance(c, list) for c in given):
            self._error(f"{field} must be a list of lists of mentions")
            return Clustering()
        mentions = OpenMentions(self.problems)
        for number, cluster in enumerate(given):
            for mention in cluster:
                if not _is_list(mention, int) or len(mention) != 2:
                    self._error(
                        f"cluster {number}: a mention is [start, end], not {_brief(mention)}"
                    )
                    continue
                start, end = mention[0], mention[1] + last_included
                if not 0 <= start < end <= size:
                    fault = f"mention {mention} is not inside the {size} tokens of the document"
                    self._error(f"cluster {number}: {fault}")
                    continue
                mentions.add(str(number), Span(start, end), self.line)
        return mentions.finish()

    def _split(self, clusters: Clustering[Span]) -> dict[str, tuple[str, ...]]:
        """Split antecedents: by the number of a cluster those of its antecedents."""
        given = self.fields.pop(SPLIT, {})
        if not _is(given, dict) or not all(_is_list(numbers, int) for numbers in given.values()):
            self._error(f"{SPLIT} must be an object with a list of clusters for each cluster")
            return {}
        split = SplitAntecedents(self.problems)
        for whole, numbers in given.items():
            for number in map(str, numbers):
                if not {number, whole} <= set(clusters.labels):
                    self._error(f"{SPLIT}: {whole} and {number} are not both clusters")
                split.add(number, [whole], self.line)
        return split.of(clusters.labels)

    def _layers(self, size: int) -> dict[str, tuple[Any, ...]]:
        layers: dict[str, tuple[Any, ...]] = {}
        for name, values in self._given_layers():
            if not isinstance(values, list) or len(values) != size:
                self._error(f"{name} must have one value for each of the {size} tokens")
                continue
            if _is_deep(values):
                self._error(f"layer {name} is nested more than {MAX_DEPTH} deep")
                continue
            if name == "speaker":
                values = [None if value in ("-", "") else value for value in values]
            values = tuple(map(_frozen, values))
            if complaint := _wrong_kind(name, values):
                self._error(complaint)
                continue
            if any(value is not None for value in values):
                layers[name] = values
        return layers

    def _given_layers(self) -> Iterator[tuple[str, Any]]:
        if speakers := self.fields.pop("speakers", None):
            if _is_nested(speakers, str):  # sentence by sentence
                speakers = [speaker for sentence in speakers for speaker in sentence]
            yield "speaker", speakers
        more = self.fields.pop("layers", {})
        if _is(more, dict):
            yield from more.items()
        else:
            self._error("layers must be an object with a list for each layer")
        if self.is_wl_coref:
            for field, name in _WL_COREF_LAYERS.items():
                if field in self.fields:
                    values = self.fields.pop(field)
                    is_head = name == "head" and isinstance(values, list)
                    yield name, [-1 if v is None else v for v in values] if is_head else values


def write(doc: Document) -> str:
    """A document as one line of JSON, in the e2e-coref dialect."""
    for name, values in doc.layers.items():
        if complaint := _wrong_kind(name, values):
            raise CorelaxError(f"document {doc.key}: {complaint}")
    speakers = ["-" if speaker is None else speaker for speaker in doc.layer("speaker")]
    fields: dict[str, Any] = {
        "doc_key": doc.key,
        "sentences": doc.sentences,
        "speakers": doc.by_sentence(tuple(speakers)),
        "clusters": [_stretches(cluster) for cluster in doc.clusters],
    }
    if split := _split_of(doc):
        fields[SPLIT] = split
    if doc.part is not None:
        fields["part_id"] = doc.part
    # Clusters have no names here, so attributes that name some would mean others.
    kept = with_plain_misc(doc.layers)
    if layers := {name: values for name, values in kept.items() if name != "speaker"}:
        fields["layers"] = layers
    try:
        return json.dumps({**doc.extra.get(JSON_FIELDS, {}), **fields}, ensure_ascii=False) + "\n"
    except RecursionError:
        raise CorelaxError(f"document {doc.key}: a value is nested too deeply for JSON") from None


def _split_of(doc: Document) -> dict[int, list[int]]:
    """Split antecedents by the numbers of clusters, of those that have a token."""
    named = zip(doc.clusters.labels, doc.clusters, strict=True)
    number = {label: at for at, (label, cluster) in enumerate(named) if _stretches(cluster)}
    found = {
        number[whole]: [number[entity] for entity in elements if entity in number]
        for whole, elements in doc.extra.get(SPLIT, {}).items()
        if whole in number
    }
    return {whole: elements for whole, elements in found.items() if elements}


def _stretches(cluster: tuple[Span, ...]) -> list[tuple[int, int]]:
    """First and last token of each mention that has any, each pair once."""
    return list(dict.fromkeys((m.start, m.end - 1) for m in cluster if m.end > m.start))


def not_kept(doc: Document) -> Counter[str]:
    lost = lost_data(doc, extra=("jsonlines.", SPLIT)) + lost_mentions(doc)
    given = sum(map(len, doc.extra.get(SPLIT, {}).values()))
    if dropped := given - sum(map(len, _split_of(doc).values())):
        lost["split antecedents of no token (left out)"] += dropped
    bridging = sum("Bridge=" in str(cell) for cell in doc.layer("misc"))
    if bridging:
        lost["bridging"] += bridging
    if not all(label.isdecimal() for label in doc.clusters.labels):
        lost["entity names"] += 1
    return lost


def _is(value: Any, kind: type) -> bool:
    """isinstance, but True and False are no numbers."""
    return isinstance(value, kind) and not (kind is int and isinstance(value, bool))


def _is_list(values: Any, kind: type) -> bool:
    return isinstance(values, list) and all(_is(value, kind) for value in values)


def _is_nested(values: Any, kind: type) -> bool:
    return isinstance(values, list) and all(_is_list(value, kind) for value in values)


def _is_deep(value: Any) -> bool:
    """Whether lists and objects are nested deeper than `MAX_DEPTH`; found out without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, list | dict)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, list | dict)
        ]
        if not level:
            return False
    return True


def _brief(value: Any) -> str:
    text = "a list of lists" if _is_deep(value) else json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _wrong_kind(layer: str, values: tuple[Any, ...]) -> str | None:
    """Says so if a layer has values that its readers would not expect."""
    kind = _kind(layer)
    if all(value is None or _is(value, kind) for value in values):
        return None
    return f"layer {layer} has a value that is not {kind.__name__}"


def _kind(layer: str) -> type:
    """The type of a layer's values, None aside. Layers that nothing here knows may hold anything."""
    if layer in ("offsets", "arguments", "numbering"):
        return tuple
    return {"head": int}.get(layer, str if layer in _TEXT_LAYERS else object)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
