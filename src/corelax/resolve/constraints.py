"""What the entities of a text have to respect: given mentions, pairs of mentions, corrections in a file.

The page saves corrections (`--html`), and `corelax resolve --constraints` reads them. A file is one JSON
object. Characters are those of `Resolution.text`, ends are exclusive::

    {"format": "corelax constraints 1",
     "documents": [{"id": "story.txt",
                    "mentions": [{"start": 0, "end": 3, "text": "Ann"},
                                 {"start": 9, "end": 12, "text": "she"}],
                    "must_link": [[0, 1]], "cannot_link": [],
                    "removed": [{"start": 20, "end": 24, "text": "that"}]}]}

`must_link` and `cannot_link` are pairs of positions in `mentions`. All but `id` may be missing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Literal, TypeGuard

from corelax.core.checks import check_items
from corelax.core.errors import CorelaxError, FormatError
from corelax.core.files import read_json
from corelax.core.printable import shortened
from corelax.document import Document

FORMAT = "corelax constraints 1"
_FIELDS = {"id", "mentions", "must_link", "cannot_link", "removed"}
Bounds = tuple[int, int]
SpanPairs = tuple[tuple[Bounds, Bounds], ...]


@dataclass(frozen=True, slots=True)
class SpanConstraints:
    """Constraints in words: spans are (first word, one past the last).

    Attributes:
        others: Which spans are mentions beside these: "none", all that are "likely" to a ranker, or those
            that it would have "written".
        mentions: Spans that are mentions, whatever the ranker thinks of them, and what errors call them.
        must_link: Pairs of mentions that belong together.
        cannot_link: Pairs that do not.
        removed: Spans that are not mentions.
    """

    others: Literal["none", "likely", "written"]
    mentions: Mapping[Bounds, str]
    must_link: SpanPairs = ()
    cannot_link: SpanPairs = ()
    removed: tuple[Bounds, ...] = ()


def _finder(document: Document, *, in_characters: bool) -> Callable[[int, int], Bounds | None]:
    """What finds stretches as words: (first word, one past the last), or None if they are no whole words."""
    places = range(len(document.words))
    bounds = document.layer("offsets") if in_characters else [(at, at + 1) for at in places]
    starts = {start: at for at, (start, _) in enumerate(bounds)}
    ends = {end: at + 1 for at, (_, end) in enumerate(bounds)}

    def find(start: int, end: int) -> Bounds | None:
        first, last = starts.get(start), ends.get(end)
        return None if first is None or last is None or last <= first else (first, last)

    return find


def given_constraints(
    document: Document,
    is_raw: bool,
    mentions: Any,
    must_link: Sequence[Any],
    cannot_link: Sequence[Any],
) -> SpanConstraints:
    """The arguments of `Resolver.resolve` as constraints.

    Args:
        document: The words.
        is_raw: Whether stretches count characters.
        mentions: Stretches that are all mentions, or None.
        must_link: Pairs of numbers of given mentions; without these, pairs of stretches.
        cannot_link: The same.
    """
    find = _finder(document, in_characters=is_raw)

    def span(name: str, stretch: Any) -> Bounds:
        start, end = _whole_numbers(name, stretch)
        if (found := find(start, end)) is None:
            unit = "characters" if is_raw else "words"
            raise CorelaxError(
                f"{name}: ({start}, {end}) is not a stretch of whole words; give {unit}, half-open"
            )
        return found

    if mentions is not None:
        listed = check_items("mentions", mentions)
        spans = [span("mentions", each) for each in listed]
        named = zip(spans, listed, strict=True)
        return SpanConstraints(
            "none",
            {bounds: f"mentions: {tuple(stretch)}" for bounds, stretch in named},
            tuple(_numbered("must_link", pair, spans) for pair in must_link),
            tuple(_numbered("cannot_link", pair, spans) for pair in cannot_link),
        )
    together = [_pair_of_stretches("must_link", pair) for pair in must_link]
    apart = [_pair_of_stretches("cannot_link", pair) for pair in cannot_link]
    _check_agreement(together, apart)
    must = tuple((span("must_link", a), span("must_link", b)) for a, b in together)
    cannot = tuple((span("cannot_link", a), span("cannot_link", b)) for a, b in apart)
    spoken_of = sorted({bounds for pair in (*must, *cannot) for bounds in pair})
    return SpanConstraints("likely", _quoted(spoken_of, document), must, cannot)


def _quoted(spans: Iterable[Bounds], document: Document) -> dict[Bounds, str]:
    texts = {span: " ".join(document.words[slice(*span)]) for span in spans}
    return {span: f"constraints: {shortened(text, 40)!r}" for span, text in texts.items()}


def _whole_numbers(name: str, pair: Any) -> Bounds:
    try:
        a, b = map(index, pair)
    except (TypeError, ValueError):
        raise CorelaxError(f"{name}: {pair!r} is not a pair of whole numbers") from None
    return a, b


def _numbered(name: str, pair: Any, spans: Sequence[Bounds]) -> tuple[Bounds, Bounds]:
    a, b = _whole_numbers(name, pair)
    if not (0 <= a < len(spans) and 0 <= b < len(spans)):
        raise CorelaxError(f"{name}: ({a}, {b}): there are {len(spans)} mentions, from 0 on")
    return spans[a], spans[b]


def _pair_of_stretches(name: str, pair: Any) -> tuple[Bounds, Bounds]:
    try:
        (a, b), (c, d) = pair
    except (TypeError, ValueError):
        raise CorelaxError(
            f"{name}: {pair!r} is not a pair of stretches, as ((0, 5), (20, 23)); "
            "numbers of mentions go with mentions"
        ) from None
    return (a, b), (c, d)


def _check_agreement(
    must_link: Sequence[tuple[Bounds, Bounds]], cannot_link: Sequence[tuple[Bounds, Bounds]]
) -> None:
    group = {span: {span} for pair in must_link for span in pair}
    for a, b in must_link:
        merged = group[a] | group[b]
        group.update(dict.fromkeys(merged, merged))
    for a, b in cannot_link:
        if a == b:
            raise CorelaxError(f"cannot_link: {a} is the same mention twice")
        if b in group.get(a, ()):
            raise CorelaxError(f"cannot_link: {a} and {b} must be linked as well")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters of a text, and what they are if that is known."""

    start: int
    end: int
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Constraints:
    """Corrections of a text, as a file has them.

    Attributes:
        mentions: Stretches that are mentions, whatever the model thinks of them.
        must_link: Pairs of positions in `mentions` that belong together.
        cannot_link: Pairs that do not.
        removed: Stretches that are not mentions.
    """

    mentions: tuple[Stretch, ...] = ()
    must_link: tuple[tuple[int, int], ...] = ()
    cannot_link: tuple[tuple[int, int], ...] = ()
    removed: tuple[Stretch, ...] = ()

    def in_words(self, document: Document, text: str) -> SpanConstraints:
        """The same in words of a document that has `offsets` into the text."""
        find = _finder(document, in_characters=True)
        where = f"document {document.key}: constraints"

        def span(stretch: Stretch) -> Bounds:
            start, end, expected = stretch.start, stretch.end, stretch.text
            if expected is not None and text[start:end] != expected:
                raise CorelaxError(
                    f"{where}: characters {start} to {end} are {text[start:end][:40]!r}, not "
                    f"{expected[:40]!r}; were the constraints made for another text?"
                )
            if (found := find(start, end)) is None:
                raise CorelaxError(f"{where}: characters {start} to {end} are not whole words")
            return found

        mentions = [span(stretch) for stretch in self.mentions]
        return SpanConstraints(
            "written",
            _quoted(mentions, document),
            tuple((mentions[a], mentions[b]) for a, b in self.must_link),
            tuple((mentions[a], mentions[b]) for a, b in self.cannot_link),
            tuple(span(stretch) for stretch in self.removed),
        )


def read_constraints(path: str | os.PathLike[str]) -> dict[str, Constraints]:
    """The constraints of each document in a file, by the name of the document.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     _ = file.write('{"format": "corelax constraints 1", "documents": [{"id": "d", '
    ...                    '"removed": [{"start": 0, "end": 2}]}]}')
    ...     file.flush()
    ...     read_constraints(file.name)["d"].removed
    (Stretch(start=0, end=2, text=None),)
    """
    content, name = read_json(path), os.fspath(path)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(
            f'not a file of constraints: an object with "format": "{FORMAT}" is needed', path=name
        )
    documents = content.get("documents")
    if not isinstance(documents, list):
        raise FormatError("documents must be a list", path=name)
    constraints: dict[str, Constraints] = {}
    for record in documents:
        id = record.get("id") if isinstance(record, dict) else None
        if not isinstance(id, str):
            raise FormatError("each document is an object with a name as id", path=name)
        if id in constraints:
            raise FormatError(f"document {id} occurs twice", path=name)
        constraints[id] = _constraints(record, f"document {id}", name)
    return constraints


def constraints_for(
    keys: Sequence[str], constraints: Mapping[str, Constraints], name: str
) -> dict[str, Constraints]:
    """The constraints of each of some documents; one of a name that is not there is an error.

    If there is one document and one is constrained, its name does not matter: the path of a text may change.

    >>> constraints_for(["b.txt"], {"a/b.txt": Constraints()}, "c.json")
    {'b.txt': Constraints(mentions=(), must_link=(), cannot_link=(), removed=())}
    """
    if len(keys) == len(constraints) == 1:
        return {keys[0]: next(iter(constraints.values()))}
    for id in constraints:
        if id not in keys:
            raise CorelaxError(f"{name}: document {id} is not among the texts")
    return dict(constraints)


def _constraints(record: dict[str, Any], where: str, path: str) -> Constraints:
    if unknown := sorted(record.keys() - _FIELDS):
        raise FormatError(f"{where}: unknown field {unknown[0]}", path=path)
    mentions = _stretches(record.get("mentions", []), f"{where}: mentions", path)
    pairs = {}
    for kind in ("must_link", "cannot_link"):
        given = record.get(kind, [])
        if not isinstance(given, list) or not all(_is_pair(pair, len(mentions)) for pair in given):
            raise FormatError(
                f"{where}: {kind} must be pairs of positions in mentions, from 0 to {len(mentions) - 1}",
                path=path,
            )
        pairs[kind] = tuple((a, b) for a, b in given)
    removed = _stretches(record.get("removed", []), f"{where}: removed", path)
    return Constraints(mentions, **pairs, removed=removed)


def _stretches(given: Any, where: str, path: str) -> tuple[Stretch, ...]:
    stretches = []
    for item in given if isinstance(given, list) else [None]:
        fields = item if isinstance(item, dict) else {}
        start, end, text = fields.get("start"), fields.get("end"), fields.get("text")
        is_known = text is None or isinstance(text, str)
        if not (_is_whole(start) and _is_whole(end) and start < end and is_known):
            raise FormatError(
                f"{where} must be objects with start and end in characters, and text if it is known",
                path=path,
            )
        stretches.append(Stretch(start, end, text))
    return tuple(stretches)


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_pair(value: Any, size: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(_is_whole(number) and number < size for number in value)
    )
