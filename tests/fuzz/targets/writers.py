"""Invented documents through every writer: what is written can be read, and what is lost is said."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from corelax import Clustering, Document, Span, io
from tests.fuzz.shrink import smaller_fields
from tests.fuzz.target import Target
from tests.fuzz.targets.readers import check_round_trip

WORDS = [
    *("a", "b", "c", "Ann", "é", "🜁", "e\u0301", "_", "-", "*", "|", "#", "#begin", "(0)", "0)"),
    *("Entity=(e1)", "a b", " ", "\xa0", "1-2", "\u2028", "\x85", "\x0b", "\x1c", "\ufeff", '"'),
    *("\\", "null", "", "\t", "\n", "\r", "\ud800", "\x00", "\x1b[2J", "x" * 300, "1.1", "..."),
]
LABELS = ["0", "1", "7", "e1", "", "a b", "-", "e(1", "e[1/2]", "9" * 30, "é", "01", "1|2", "%"]
LAYERS = ["pos", "lemma", "speaker", "ner", "parse", "upos", "misc", "head", "arguments", "own"]
VALUES = [
    None,
    "NN",
    "x|y",
    "(NP*",
    "a b",
    "",
    "_",
    "-",
    "*",
    "Entity=x",
    "\t",
    0,
    -1,
    5,
    [],
    ["*"],
]


def make(rng: random.Random) -> bytes:
    """The fields of a document, as JSON."""
    size = rng.choice([0, 1, 2, 5, 12])
    usual = rng.random() < 0.5
    words = [rng.choice(WORDS[:4] if usual else WORDS) for _ in range(size)]
    starts = sorted({0, *(rng.randrange(size) for _ in range(rng.randint(0, 2)))}) if size else []
    clusters = [
        [_mention(rng, size) for _ in range(rng.randint(1, 4))]
        for _ in range(rng.randint(0, 4) if size else 0)
    ]
    layers = rng.sample(LAYERS, rng.randint(0, 3))
    fields = {
        "id": rng.choice(["d", "nw/x", "d_0", "a b", " d", "é", "", "d\n", "#", "x" * 1001]),
        "part": rng.choice([None, 0, 3, -1, 12345]),
        "words": words,
        "starts": starts,
        "clusters": clusters,
        "labels": [rng.choice(LABELS) for _ in clusters] if rng.random() < 0.5 else None,
        "layers": {name: [rng.choice(VALUES) for _ in words] for name in layers},
    }
    return json.dumps(fields).encode()


def _mention(rng: random.Random, size: int) -> list[Any]:
    """Start, end, parts."""
    start = rng.randrange(size)
    end = rng.randint(start + 1, min(size, start + 5))
    if end - start > 2 and rng.random() < 0.3:
        gap = rng.randrange(start + 1, end - 1)
        return [start, end, [[start, gap], [gap + 1, end]]]
    return [start, end, []]


def document_of(fields: dict[str, Any]) -> Document:
    """A document of what `make` invented; fields that were taken out have their defaults."""
    words = tuple(fields.get("words", ()))
    clusters = [
        [Span(start, end, tuple(map(tuple, parts))) for start, end, parts in cluster]
        for cluster in fields.get("clusters", ())
    ]
    labels = fields.get("labels") or None
    return Document(
        id=fields.get("id", "d"),
        part=fields.get("part"),
        words=words,
        sentence_starts=tuple(fields.get("starts", (0,) if words else ())),
        clusters=Clustering(clusters, labels),
        layers={
            name: tuple(tuple(value) if isinstance(value, list) else value for value in values)
            for name, values in fields.get("layers", {}).items()
        },
    )


def check(case: bytes, folder: Path) -> None:
    """Writes the document in every format."""
    fields = json.loads(case)
    if "words" not in fields:
        return
    doc = document_of(fields)
    for format in io.FORMATS:
        check_round_trip([doc], folder / f"written.{format}", format)


TARGET = Target(name="write", suffix=".json", make=make, check=check, smaller=smaller_fields)
