"""Corrections that the page saves (`--html`), and that `corelax resolve --constraints` reads.

A file is one JSON object. Characters are those of `Resolution.text`, ends are exclusive::

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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from corelax.core.errors import CorelaxError, FormatError
from corelax.core.files import read_json

FORMAT = "corelax constraints 1"
_FIELDS = {"id", "mentions", "must_link", "cannot_link", "removed"}


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters of a text, and what they are if that is known."""

    start: int
    end: int
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Constraints:
    """What the entities of a text have to respect.

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
        if not (_is_whole(start) and _is_whole(end) and start < end and _is_text(text)):
            raise FormatError(
                f"{where} must be objects with start and end in characters, and text if it is known",
                path=path,
            )
        stretches.append(Stretch(start, end, text))
    return tuple(stretches)


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_pair(value: Any, size: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(_is_whole(number) and number < size for number in value)
    )


def in_words(
    stretches: Iterable[Stretch], text: str, offsets: Sequence[tuple[int, int]], where: str
) -> list[tuple[int, int]]:
    """Stretches as (first word, one past the last) of a text.

    >>> in_words([Stretch(3, 6, "Ann")], "Hi Ann", [(0, 2), (3, 6)], "d")
    [(1, 2)]
    """
    starts = {start: at for at, (start, _) in enumerate(offsets)}
    ends = {end: at + 1 for at, (_, end) in enumerate(offsets)}
    spans = []
    for stretch in stretches:
        start, end, expected = stretch.start, stretch.end, stretch.text
        if expected is not None and text[start:end] != expected:
            raise CorelaxError(
                f"{where}: characters {start} to {end} are {text[start:end][:40]!r}, not {expected[:40]!r}; "
                "were the constraints made for another text?"
            )
        if start not in starts or end not in ends or ends[end] <= starts[start]:
            raise CorelaxError(f"{where}: characters {start} to {end} are not whole words")
        spans.append((starts[start], ends[end]))
    return spans
