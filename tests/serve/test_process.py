"""`corelax serve` as a process with the model small: start, load, signals, kills."""

from __future__ import annotations

import http.client
import json
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from corelax.resolve import Resolver
from tests.serve.running import Client, process

TEXTS = [
    f"Ann{n} met Bo. She told him that she had lost her key, and he found it." for n in range(20)
]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "corelax", "serve", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    resolutions = Resolver.from_pretrained(threads=1).pipe(TEXTS)
    return {r.text: json.loads(json.dumps(r.as_dict())) for r in resolutions}


def is_right(answer: Any, expected: Any) -> bool:
    """Entities, words and characters are the same; probabilities up to their rounding."""
    if isinstance(expected, float):
        return bool(answer == pytest.approx(expected, abs=2e-4))
    if isinstance(expected, dict):
        return answer.keys() == expected.keys() and all(
            is_right(answer[k], expected[k]) for k in expected
        )
    if isinstance(expected, list):
        return len(answer) == len(expected) and all(map(is_right, answer, expected))
    return bool(answer == expected)


@pytest.mark.slow
def test_mistakes_in_options_are_one_line():
    for options, part in (
        (["--model", "nowhere"], "nowhere"),
        (["--host", "256.1.1.1", "--port", "0"], "256.1.1.1"),
        (["--token", "two words", "--port", "0"], "token must be visible ASCII"),
    ):
        done = run(*options)
        assert (done.returncode, done.stdout) == (1, "")
        assert part in done.stderr
        assert done.stderr.count("\n") == 1
    assert run("--port", "70000").returncode == 2


def assert_described(value: Any, schema: dict[str, Any], schemas: dict[str, Any]) -> None:
    """Every field of an answer is in the description, down to the last list."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    if isinstance(value, dict) and "properties" in schema:
        assert value.keys() <= schema["properties"].keys()
        for name, part in value.items():
            assert_described(part, schema["properties"][name], schemas)
    if isinstance(value, list) and "items" in schema:
        for part in value:
            assert_described(part, schema["items"], schemas)


@pytest.mark.slow
def test_answers_are_those_of_the_resolver_whoever_asks_at_once(expected: dict[str, Any]):
    with process() as (_, client), ThreadPoolExecutor(16) as many:
        answers = many.map(client.resolve, TEXTS * 4)
        for text, answer in zip(TEXTS * 4, answers, strict=True):
            assert is_right(answer.json, expected[text])
        given = client.resolve(
            "Ann met Bo. She left.", mentions=[[0, 3], [12, 15]], must_link=[[0, 1]]
        )
        assert [len(e["mentions"]) for e in given.json["entities"]] == [2]
        schemas = client.get("/openapi.json").json["components"]["schemas"]
        assert_described(client.resolve(TEXTS[0], links=True).json, schemas["Resolution"], schemas)
        wrong = client.resolve("Ann met Bo.", mentions=[[1, 3]])
        assert (wrong.status, wrong.error[:9]) == (400, "mentions:")
        again = run("--port", str(client.port))
        assert (again.returncode, again.stderr.count("\n")) == (1, 1)
        assert "in use" in again.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_during_load_answers_all_that_was_accepted(number: int, expected: dict[str, Any]):
    answered: list[str] = []
    wrong: list[Any] = []
    lost: list[Exception] = []
    with process() as running, ThreadPoolExecutor(8) as many:
        is_stopping = threading.Event()

        def ask_on(seed: int) -> None:
            chance = random.Random(seed)
            while not is_stopping.is_set():
                text = chance.choice(TEXTS)
                try:
                    answer = running.client.resolve(text)
                except ConnectionRefusedError:
                    return  # nothing is accepted any more
                except (ConnectionError, http.client.HTTPException) as error:
                    lost.append(error)
                    return
                answered.append(text)
                if answer.status != 200 or not is_right(answer.json, expected[text]):
                    wrong.append(answer)

        clients = [many.submit(ask_on, seed) for seed in range(8)]
        time.sleep(2)
        code = running.end(number)
        is_stopping.set()
        for client in clients:
            client.result()
    assert code == 0
    assert wrong == []
    assert len(answered) > 20
    # A connection that the system had taken but the server had not yet is reset; no request was read from it.
    assert all(isinstance(error, ConnectionResetError) for error in lost)


@pytest.mark.slow
def test_a_killed_server_leaves_nothing_and_starts_again_at_its_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, Any]
):
    source = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", f"{source / 'src'}:{source / 'models/small/src'}")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    port = 0
    for _ in range(2):
        with process(port=port) as running, ThreadPoolExecutor(4) as many:
            port = running.client.port
            asked = [many.submit(_ask, running.client, text) for text in TEXTS]
            time.sleep(0.3)
            assert running.end(signal.SIGKILL) == -signal.SIGKILL
            for text, answer in zip(TEXTS, [one.result() for one in asked], strict=True):
                assert answer is None or is_right(answer, expected[text])
        assert list(tmp_path.iterdir()) == []


def _ask(client: Client, text: str) -> Any:
    """The answer; None if there was none."""
    try:
        return client.resolve(text).json
    except (OSError, http.client.HTTPException):
        return None
