"""The server as its clients see it: real connections on loopback, a resolver that needs no model."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from corelax.core.errors import CorelaxError
from corelax.resolve import Resolver, resolution_of
from corelax.resolve.links import candidate_links
from corelax.serve.server import listen, serve
from corelax.text import document_of
from tests.serve.running import Client, FakeResolver, same_words, server

TEXT = "Ann saw Ann ."


def expected(text: str) -> dict:
    return json.loads(
        json.dumps(resolution_of(document_of(text), same_words(document_of(text))).as_dict())
    )


@pytest.fixture(scope="module")
def resolver() -> FakeResolver:
    return FakeResolver()


@pytest.fixture(scope="module")
def client(resolver: FakeResolver) -> Iterator[Client]:
    with server(resolver, max_characters=1000, timeout=20) as (client, _):
        yield client


def test_a_text_gives_its_resolution_and_a_list_gives_a_list(client: Client) -> None:
    answer = client.resolve(TEXT)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json == expected(TEXT)
    assert client.resolve([TEXT, "b b"]).json == [expected(TEXT), expected("b b")]
    assert client.resolve([]).json == []


def test_options_reach_the_resolver(client: Client, resolver: FakeResolver) -> None:
    client.resolve("a", singletons="keep", scheme="other", consistent=False)
    assert resolver.options[-1] == {"singletons": "keep", "scheme": "other", "consistent": False}
    client.resolve("Ann left", speakers=[[0, 8, "Bo"]])
    assert resolver.options[-1]["speakers"] == [(0, 8, "Bo")]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("no JSON", "application/json", 400),
        (b'{"text": "\xff"}', "application/json", 400),
        ('{"text": 7}', "application/json", 400),
        (json.dumps({"text": "x" * 1001}), "application/json", 413),
        (b"x" * 10_000_000, "application/json", 413),
        ('{"text": "a"}', "text/plain", 415),
        ('{"text": "a"}', "application/x-www-form-urlencoded", 415),
        ('{"text": "a"}', "", 415),
    ],
)
def test_bad_requests_get_a_status_and_one_line_and_the_server_lives(
    client: Client, body: str | bytes, kind: str, status: int
) -> None:
    answer = client.post(body, kind)
    assert answer.status == status
    assert answer.error
    assert client.resolve(TEXT).status == 200


def test_ten_megabytes_in_pieces_without_a_length_are_refused(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection:
        head = "POST /resolve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        connection.sendall((b"10000\r\n" + b" " * 0x10000 + b"\r\n") * 160 + b"0\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 413")
    assert client.resolve(TEXT).status == 200


def test_a_request_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corelax.serve.application.MOST_SKIPPED", 1 << 20)
    with (
        server(FakeResolver(), max_characters=1) as (client, _),
        socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection,
    ):
        head = "POST /resolve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        with pytest.raises(OSError, match=r"reset|Broken pipe"):
            connection.sendall(piece * 2000)  # 130 MB


def test_other_paths_and_methods_are_named_in_one_line(client: Client) -> None:
    assert client.get("/nothing").status == 404
    assert client.get("/nothing").error
    assert client.get("/resolve").status == 405
    assert client.get("/../../etc/passwd").status == 404


@pytest.mark.parametrize(
    "head", [b"\x00\xff\r\n\r\n", b"GET HTTP\r\n\r\n", b"GET /" + b"a" * 70_000]
)
def test_what_is_no_http_is_refused_and_the_server_lives(client: Client, head: bytes) -> None:
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection:
        connection.sendall(head)
        assert connection.recv(4096).startswith(b"HTTP/1.1 400")
    assert client.get("/health").status == 200


def test_a_client_that_leaves_costs_nobody_else(client: Client) -> None:
    for sent in (b"POST /resolve HTTP/1.1\r\n", b"POST /resolve HTTP/1.1\r\nHost: x\r\nContent-Type: "
                 b"application/json\r\nContent-Length: 999\r\n\r\n{"):  # fmt: skip
        for _ in range(20):
            connection = socket.create_connection(("127.0.0.1", client.port))
            connection.sendall(sent)
            connection.close()
    assert client.resolve(TEXT).json == expected(TEXT)


def test_a_text_that_breaks_the_resolver_is_its_own_problem() -> None:
    resolver = FakeResolver()
    resolver.gate.clear()
    with server(resolver, batch_size=3, timeout=20) as (client, _), ThreadPoolExecutor(4) as many:
        first = many.submit(client.resolve, "wait")
        resolver.began.wait(10)
        others = [many.submit(client.resolve, text) for text in ("a a", "broken", "b b")]
        wait_for(lambda: "corelax_queue_texts 3" in client.get("/metrics").body.decode())
        resolver.gate.set()
        assert first.result().status == 200
        assert [other.result().status for other in others] == [200, 500, 200]
        assert "ZeroDivisionError" not in others[1].result().error
        assert others[2].result().json == expected("b b")
        assert {"a a", "broken", "b b"} in map(set, resolver.batches)
        bad = many.submit(client.resolve, ["a", "broken"]).result()
        assert bad.error.startswith("text 1: ")


def wait_for(is_time) -> None:
    end = time.monotonic() + 20
    while not is_time():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_full_queue_says_so_and_is_not_ready() -> None:
    resolver = FakeResolver()
    resolver.gate.clear()
    with server(resolver, queue_size=2, timeout=20) as (client, _), ThreadPoolExecutor(4) as many:
        accepted = [many.submit(client.resolve, "wait")]
        resolver.began.wait(10)
        accepted += [many.submit(client.resolve, "a") for _ in range(2)]
        wait_for(lambda: client.get("/ready").status == 503)
        refused = client.resolve("b")
        assert (refused.status, refused.headers["retry-after"]) == (503, "1")
        assert client.get("/health").status == 200  # the loop lives while the thread computes
        resolver.gate.set()
        assert [answer.result().status for answer in accepted] == [200] * 3
        assert client.get("/ready").status == 200


def test_a_request_that_takes_too_long_gets_504_and_the_next_one_is_answered() -> None:
    resolver = FakeResolver()
    resolver.gate.clear()
    with server(resolver, timeout=0.3) as (client, _):
        assert client.resolve("wait").status == 504
        assert client.resolve("never begun").status == 504
        resolver.gate.set()
        wait_for(lambda: client.resolve(TEXT).status == 200)
        assert ["never begun"] not in resolver.batches


def test_a_slow_body_and_a_slow_head_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corelax.serve.server.HEADER_SECONDS", 0.3)
    with server(FakeResolver(), timeout=0.3) as (client, _):
        head = b"POST /resolve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        for sent, answer in (
            (head + b"Content-Length: 9\r\n\r\n{", b"HTTP/1.1 408"),
            (head, b""),
            (b"", b""),
        ):
            with socket.create_connection(("127.0.0.1", client.port), timeout=20) as connection:
                connection.sendall(sent)
                assert connection.recv(4096)[:12] == answer
        assert client.resolve(TEXT).status == 200


def test_a_kept_connection_may_rest_between_requests_but_not_within_a_head(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("corelax.serve.server.HEADER_SECONDS", 0.3)
    with (
        server(FakeResolver()) as (client, _),
        socket.create_connection(("127.0.0.1", client.port), timeout=20) as connection,
    ):
        for _ in range(2):
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = b""
            while b"alive" not in answer:
                answer += connection.recv(4096)
            time.sleep(0.5)
        connection.sendall(b"GET /health HT")
        assert connection.recv(4096) == b""


def test_a_stop_answers_everything_that_was_accepted() -> None:
    resolver = FakeResolver()
    resolver.gate.clear()
    with server(resolver, batch_size=2) as (client, running), ThreadPoolExecutor(9) as many:
        accepted = [many.submit(client.resolve, f"wait {number} {number}") for number in range(8)]
        wait_for(
            lambda: re.search(r"corelax_queue_texts [67]\n", client.get("/metrics").body.decode())
        )
        running.should_exit = True
        wait_for(lambda: not running.servers[0].is_serving())
        resolver.gate.set()
        for number, answer in enumerate(accepted):
            assert answer.result().json == expected(f"wait {number} {number}")


def test_a_stop_waits_for_a_text_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corelax.serve.server.LAST_SECONDS", 0.02)
    resolver = FakeResolver()
    resolver.gate.clear()
    with server(resolver) as (client, running), ThreadPoolExecutor(1) as one:
        accepted = one.submit(client.resolve, "wait wait")
        resolver.began.wait(30)
        running.should_exit = True
        wait_for(lambda: not running.servers[0].is_serving())
        time.sleep(0.4)
        resolver.gate.set()
        assert accepted.result().json == expected("wait wait")


def test_the_address_of_a_server_may_be_one_of_ip_version_6() -> None:
    def started(address: str) -> None:
        assert re.fullmatch(r"http://\[::1\]:\d+", address)
        raise StopIteration  # without serving

    try:
        listen("::1", 0).close()
    except CorelaxError:
        pytest.skip("this machine has no IPv6")
    with pytest.raises(StopIteration):
        serve(FakeResolver(), host="::1", port=0, started=started)


def test_links_are_those_of_the_library() -> None:
    text = "Ann met Bo. She left."
    resolver = Resolver.from_pretrained(threads=1)
    resolution = resolver.resolve(text)
    with server(resolver) as (client, _):
        answer = client.resolve(text, links=True).json
        assert "links" not in client.resolve(text).json
    links = json.loads(json.dumps(candidate_links(resolver, resolution)))
    assert answer == json.loads(json.dumps(resolution.as_dict())) | {"links": links}
    assert links


def test_a_request_on_an_open_connection_is_answered_though_the_server_stops() -> None:
    with server(FakeResolver()) as (client, running):
        connections = [
            http.client.HTTPConnection("127.0.0.1", client.port, timeout=20) for _ in range(2)
        ]
        for connection in connections:
            connection.connect()
        connections[1].request("GET", "/health")
        connections[1].getresponse().read()
        running.should_exit = True
        wait_for(lambda: not running.servers[0].is_serving())
        for connection in connections:
            connection.request("GET", "/health")
            assert connection.getresponse().read() == b'{"status":"alive"}'
            connection.close()


def test_the_token_is_asked_for_where_texts_and_use_are() -> None:
    with server(FakeResolver(), token="s3cret") as (client, _):
        for headers in ({}, {"Authorization": "Bearer s3cre"}, {"Authorization": "s3cret"},
                        {"Authorization": "Basic s3cret"}, {"Authorization": "Bearer é"}):  # fmt: skip
            answer = client.post(json.dumps({"text": TEXT}), **headers)
            assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert client.get("/metrics").status == 401
        assert client.post(json.dumps({"text": TEXT}), Authorization="Bearer s3cret").status == 200
        assert [client.get(path).status for path in ("/", "/health", "/ready")] == [200] * 3


def test_pages_of_other_sites_get_nothing_unless_they_are_allowed(client: Client) -> None:
    asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST",
             "Access-Control-Request-Headers": "content-type"}  # fmt: skip
    assert client.send("OPTIONS", "/resolve", headers=asked).status == 405
    answer = client.post('{"text": "a"}', Origin="https://a.example")
    assert "access-control-allow-origin" not in answer.headers
    with server(FakeResolver(), allow_origins=("https://a.example",), token="t") as (other, _):
        allowed = other.send("OPTIONS", "/resolve", headers=asked)
        assert allowed.status == 200
        assert allowed.headers["access-control-allow-origin"] == "https://a.example"
        refused = other.send(
            "OPTIONS", "/resolve", headers={**asked, "Origin": "https://b.example"}
        )
        assert refused.status == 400
        assert "access-control-allow-origin" not in refused.headers


def test_answers_carry_a_policy_that_names_no_other_place(client: Client) -> None:
    for path in ("/", "/page.js", "/page.css", "/health", "/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"


def test_the_page_has_no_script_or_style_of_its_own_and_no_address_elsewhere(
    client: Client,
) -> None:
    page = client.get("/").body.decode()
    assert re.findall(r"<script[^>]*>", page) == ['<script src="page.js">']
    assert not re.search(r"<style|\sstyle=|\son\w+=", page)
    everything = page + client.get("/page.js").body.decode() + client.get("/page.css").body.decode()
    assert set(re.findall(r"https?://[^\s\"']+", everything)) <= {"http://www.w3.org/2000/svg"}


def test_counters_are_what_prometheus_reads(client: Client) -> None:
    before = samples(client)
    client.resolve([TEXT, TEXT])
    client.post("{")
    after = samples(client)
    grown = {name: after[name] - before.get(name, 0) for name in after}
    assert grown['corelax_requests_total{path="/resolve",status="200"}'] == 1
    assert grown['corelax_requests_total{path="/resolve",status="400"}'] == 1
    assert grown["corelax_batch_texts_sum"] == 2
    assert grown["corelax_characters_total"] == 2 * len(TEXT)
    assert (
        after["corelax_request_seconds_count"] == after['corelax_request_seconds_bucket{le="+Inf"}']
    )


def samples(client: Client) -> dict[str, float]:
    text = client.get("/metrics").body.decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for line in lines:
        assert re.fullmatch(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-+.\de]+', line)
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_the_description_is_served(client: Client) -> None:
    described = client.get("/openapi.json").json
    assert described["openapi"].startswith("3.1")
    assert described["components"]["schemas"]["Request"]["properties"]["scheme"]["enum"] == [
        "plain", "other", None,
    ]  # fmt: skip


def test_many_clients_get_their_own_answers(client: Client) -> None:
    def ask(number: int) -> bool:
        return client.resolve(f"w{number} w{number}").json == expected(f"w{number} w{number}")

    threads = threading.active_count()
    with ThreadPoolExecutor(32) as many:
        assert all(many.map(ask, range(200)))
    wait_for(lambda: threading.active_count() <= threads + 1)
