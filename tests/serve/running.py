"""Servers for tests, on loopback: in a thread of the test, or as a process."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from corelax.decode import Decision
from corelax.document import Document, Span
from corelax.resolve import Resolution, resolution_of
from corelax.serve.options import ServeOptions
from corelax.serve.server import Server, listen
from corelax.text import document_of


class FakeResolver:
    """Words of one spelling are one entity. A text that holds `wait` is held up until the gate opens."""

    schemes = ("plain", "other")

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.began = threading.Event()
        self.batches: list[list[str]] = []
        self.options: list[dict[str, Any]] = []

    def pipe(
        self, texts: Sequence[str], *, batch_size: int, **options: Any
    ) -> Iterator[Resolution]:
        assert batch_size == len(texts)
        self.batches.append(list(texts))
        self.options.append(options)
        for text in texts:
            yield self._resolution(text)

    def resolve(self, text: str, **options: Any) -> Resolution:
        self.batches.append([text])
        self.options.append(options)
        return self._resolution(text)

    def _resolution(self, text: str) -> Resolution:
        self.began.set()
        if "wait" in text:
            self.gate.wait(30)
        if "broken" in text:
            raise ZeroDivisionError(text)
        return resolution_of(document_of(text), same_words(document_of(text)))


def same_words(document: Document) -> list[Decision]:
    """A decision for each word that comes again."""
    last: dict[str, int] = {}
    decisions: list[Decision] = []
    for at, word in enumerate(document.words):
        if document.words.count(word) > 1:
            first = document.words.index(word)
            decisions.append(Decision(Span(at, at + 1), first, last.get(word), 1.0, 0.9, 0.8))
            last[word] = len(decisions) - 1
    return decisions


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The line of a refusal."""
        [(name, line)] = self.json.items()
        assert name == "error"
        assert "\n" not in line
        return str(line)


class Client:
    """Somebody who sends requests, each on a connection of its own."""

    def __init__(self, port: int) -> None:
        self.port = port

    def send(self, method: str, path: str, body: Any = None, headers: Any = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, names, response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.send("GET", path, headers=headers)

    def resolve(self, text: Any, **options: Any) -> Answer:
        return self.post(json.dumps({"text": text, **options}))

    def post(self, body: Any, kind: str = "application/json", **headers: str) -> Answer:
        return self.send("POST", "/resolve", body, {"Content-Type": kind, **headers})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"


@contextmanager
def server(resolver: Any, **settings: Any) -> Iterator[tuple[Client, Server]]:
    """A server in a thread of this process."""
    running = Server(resolver, ServeOptions(**settings))
    with listen("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=lambda: asyncio.run(running.serve(sockets=[listening])))
        thread.start()
        try:
            yield Client(listening.getsockname()[1]), running
        finally:
            running.should_exit = True
            thread.join(60)
    assert not thread.is_alive()


class Process(NamedTuple):
    process: subprocess.Popen[str]
    client: Client

    def end(self, number: int) -> int:
        """Sends a signal and waits; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def process(*options: str, port: int = 0) -> Iterator[Process]:
    """`corelax serve` as a process, with the model small."""
    command = [sys.executable, "-m", "corelax", "serve", "--threads", "1", "--port", str(port)]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        try:
            assert running.stdout is not None
            line = running.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+);", line)
            assert found, line + running.stdout.read()
            yield Process(running, Client(int(found[1])))
        finally:
            running.kill()
