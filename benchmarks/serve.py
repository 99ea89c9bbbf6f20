"""The server under load: requests a second, latencies, memory, and what a stop loses.

    python benchmarks/serve.py [--clients 64] [--seconds 60] [--threads N]

`corelax serve` runs as a process on loopback with the model small; clients are threads of this process, which
needs a share of the same processor. A request is one text of about 50 words. Every answer is compared with
that of a resolver that had the text alone: other entities count as wrong. Three phases: one client, many
clients, and many clients while the server gets SIGTERM. In the last one each request has a connection of its
own: a connection that is refused was not accepted; one that was made and got no answer is lost. Memory is the
resident memory of the server.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from corelax.resolve import Resolver

NAMES = "Ann Mara Lena Ida Rosa Vera Nina Ella".split()
TEXT = (
    "{name} lost her key on the way to the harbour. An old fisherman found it and put it into his pocket. "
    "When she came back, he asked {name} whether it was hers. She said that it was, and thanked him. "
    "The fisherman laughed: his daughter loses her keys every week."
)


@dataclass
class Load:
    """What clients saw."""

    seconds: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    is_over: threading.Event = field(default_factory=threading.Event)


def spans(answer: dict[str, object]) -> list[list[tuple[int, int]]]:
    """The entities of an answer, as characters."""
    entities: list[dict[str, list[dict[str, int]]]] = answer["entities"]  # type: ignore[assignment]
    return [[(m["start"], m["end"]) for m in entity["mentions"]] for entity in entities]


def ask(connection: http.client.HTTPConnection, text: str, expected: object) -> str:
    """One request; "right", "wrong" or the status."""
    body, kind = json.dumps({"text": text}), {"Content-Type": "application/json"}
    connection.request("POST", "/resolve", body, kind)
    response = connection.getresponse()
    content = response.read()
    if response.status != 200:
        return str(response.status)
    return "right" if spans(json.loads(content)) == expected else "wrong"


def client(port: int, load: Load, expected: dict[str, object], seed: int, *, keep: bool) -> None:
    """Asks again and again; `keep` is whether all requests go through one connection."""
    chance = random.Random(seed)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    while not load.is_over.is_set():
        text = chance.choice(list(expected))
        began = time.perf_counter()
        try:
            load.outcomes[ask(connection, text, expected[text])] += 1
        except ConnectionRefusedError:
            load.outcomes["refused"] += 1
            break
        except (OSError, http.client.HTTPException):
            load.outcomes["lost"] += 1
            connection.close()
            continue
        load.seconds.append(time.perf_counter() - began)
        if not keep:
            connection.close()
    connection.close()


def start(threads: int) -> tuple[subprocess.Popen[str], int]:
    """The server and its port."""
    command = [sys.executable, "-m", "corelax", "serve", "--port", "0", "--threads", str(threads)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    line = server.stdout.readline() if server.stdout else ""
    found = re.search(r":(\d+);", line)
    if not found:
        raise SystemExit(f"the server does not start: {line}")
    return server, int(found[1])


def metric(port: int, name: str) -> float:
    """A number of the server."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith(f"{name} ")))


def run(
    port: int, expected: dict[str, object], clients: int, seconds: float, *, keep: bool = True
) -> tuple[Load, list[threading.Thread], list[float]]:
    """Starts clients, waits, and measures the server's memory ten times meanwhile."""
    load, memory = Load(), []
    threads = [
        threading.Thread(target=client, args=(port, load, expected, seed), kwargs={"keep": keep})
        for seed in range(clients)
    ]
    for thread in threads:
        thread.start()
    for _ in range(10):
        time.sleep(seconds / 10)
        memory.append(metric(port, "process_resident_memory_bytes") / 2**20)
    return load, threads, memory


def end(load: Load, threads: list[threading.Thread]) -> None:
    """Stops clients after the request that each has begun."""
    load.is_over.set()
    for thread in threads:
        thread.join()


def show(name: str, load: Load, wall: float, memory: list[float]) -> None:
    """A row of the table."""
    order = sorted(load.seconds)
    at = [1000 * order[min(len(order) - 1, int(part * len(order)))] for part in (0.5, 0.95, 0.99)]
    others = sum(count for kind, count in load.outcomes.items() if kind != "right")
    cells = [name, f"{len(order):,}", f"{len(order) / wall:.1f}", *(f"{ms:.0f}" for ms in at)]
    print(f"| {' | '.join(cells)} | {others} | {memory[0]:.0f} → {memory[-1]:.0f} |", flush=True)


def main() -> None:
    """Runs the three phases."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--threads", type=int, default=1, help="of the server's resolver")
    options = parser.parse_args()
    texts = [TEXT.format(name=name) for name in NAMES]
    resolver = Resolver.from_pretrained(threads=options.threads)
    expected: dict[str, object] = {text: resolver.resolve(text).clusters for text in texts}
    server, port = start(options.threads)
    try:
        print(
            "| clients | requests | a second | p50 ms | p95 ms | p99 ms | failed or wrong | memory MiB |"
        )
        print("|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)
        for clients in (1, options.clients):
            began = time.perf_counter()
            load, threads, memory = run(port, expected, clients, options.seconds)
            wall = time.perf_counter() - began
            end(load, threads)
            show(str(clients), load, wall, memory)
            steps = [b - a for a, b in pairwise(memory[2:])]
            print(f"  memory from the third tenth on: {sum(steps):+.1f} MiB", file=sys.stderr)
        load, threads, _ = run(port, expected, options.clients, 5, keep=False)
        began = time.perf_counter()
        server.send_signal(signal.SIGTERM)
        code = server.wait(180)
        wall = time.perf_counter() - began
        end(load, threads)
        print(f"\nSIGTERM under load: exit code {code} after {wall:.1f} s; {dict(load.outcomes)}")
    finally:
        if server.poll() is None:
            server.kill()


if __name__ == "__main__":
    main()
