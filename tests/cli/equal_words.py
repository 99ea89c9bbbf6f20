"""A resolver that links equal words, for tests of `corelax resolve`."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from corelax.cli.app import main
from corelax.core.errors import CorelaxError
from corelax.decode import Decision
from corelax.document import Document, Span
from corelax.resolve import Constraints, Resolution, resolution_of


class EqualWords:
    """Capitalised words are mentions; equal ones are one entity."""

    asked: dict[str, Any]
    seen: list[Document]
    model = SimpleNamespace(training={})

    @classmethod
    def from_pretrained(
        cls,
        name: str | None = None,
        *,
        device: str = "auto",
        runtime: str = "auto",
        threads: int | None = None,
    ) -> EqualWords:
        if name == "./runs/none":
            raise CorelaxError("./runs/none: no such model")
        EqualWords.asked = {"model": name, "device": device, "runtime": runtime, "threads": threads}
        EqualWords.seen = []
        return cls()

    def pipe(
        self,
        texts: Iterable[Document],
        *,
        batch_size: int = 8,
        singletons: str = "drop",
        scheme: str | None = None,
        jobs: int = 1,
        **_: object,
    ) -> Iterator[Resolution]:
        self.asked |= {"batch_size": batch_size, "singletons": singletons, "scheme": scheme}
        self.asked |= {"jobs": jobs}
        for doc in texts:
            self.seen.append(doc)
            found = [(i, word) for i, word in enumerate(doc.words) if word[0].isupper()]
            names = [word for _, word in found]
            kept = [(i, w) for i, w in found if singletons == "keep" or names.count(w) > 1]
            first: dict[str, int] = {}
            decisions = []
            for place, (i, word) in enumerate(kept):
                start = first.setdefault(word, place)
                antecedent = None if start == place else start
                decisions.append(Decision(Span(i, i + 1), start, antecedent, 0.9, 0.8, 0.7))
            yield resolution_of(doc, decisions)

    def corrected(self, found: Resolution, constraints: Constraints, **_: object) -> Resolution:
        constraints.in_words(found.source, found.text)
        return found


class Run:
    """Runs the command as `main` does, and keeps what it says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys
        self.out = self.err = ""

    def __call__(self, *arguments: object, stdin: bytes = b"") -> int:
        self.monkeypatch.setattr(sys, "argv", ["corelax", "resolve", *map(str, arguments)])
        self.monkeypatch.setattr(
            sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)))
        )
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        self.out, self.err = self.capsys.readouterr()
        if isinstance(end.value.code, str):
            self.err += f"{end.value.code}\n"
            return 1
        return end.value.code or 0


def clusters(line: str) -> list[list[str]]:
    result = json.loads(line)
    for entity in result["entities"]:
        for mention in entity["mentions"]:
            assert result["text"][mention["start"] : mention["end"]] == mention["text"]
    return [[m["text"] for m in entity["mentions"]] for entity in result["entities"]]
