"""A real Ray cluster on loopback: a head and a second node that can be killed, with ports of their own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SECONDS = 120  # for a node to start, on a busy machine too
# Not 127.0.0.1, which Ray replaces by the address that other machines see.
# A node that does not answer is given up after seconds, not after a minute.
WATCHFUL = {
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "2000",
    "RAY_health_check_failure_threshold": "4",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "disabled",  # a token would have to be there before anything imports Ray
}
COMMON = [
    "--block", "--num-cpus=1", "--num-gpus=0", "--object-store-memory=100000000",
    "--min-worker-port=0", "--max-worker-port=0", "--dashboard-agent-listen-port=0",
    "--node-ip-address=127.0.0.2", "--disable-usage-stats",
]  # fmt: skip


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.2", 0))
        return int(listener.getsockname()[1])


class Node:
    """A process `ray start --block` and all that it starts; `kill` is the end of the machine."""

    def __init__(self, *arguments: str) -> None:
        ray = Path(sys.executable).with_name("ray")
        path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
        self._process = subprocess.Popen(
            [str(ray), "start", *COMMON, *arguments],
            env={**os.environ, **WATCHFUL, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def processes(self) -> dict[int, str]:
        """The numbers and names of its processes."""
        parents: dict[int, int] = {}
        names: dict[int, str] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                status = (folder / "stat").read_text()
                command = (folder / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue  # it has just ended
            number = int(folder.name)
            parents[number] = int(status.rpartition(")")[2].split()[1])
            names[number] = command
        mine = {self._process.pid}
        while more := {n for n, parent in parents.items() if parent in mine} - mine:
            mine |= more
        return {number: names.get(number, "") for number in mine}

    def kill(self) -> None:
        for number in self.processes():
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._process.wait()


@contextmanager
def killed_at_work(node: Node, name: str) -> Iterator[None]:
    """Kills a node in the middle of the block: as soon as a worker of it does what is called `name`."""
    killed = threading.Event()

    def watch() -> None:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and not killed.is_set():
            if any(c.startswith("ray::") and name in c for c in node.processes().values()):
                node.kill()
                killed.set()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    yield
    was_killed = killed.is_set()
    killed.set()
    thread.join()
    assert was_killed, "the second node had nothing to do"


class Ray:
    """A cluster of one head; `second` adds a node."""

    def __init__(self, folder: str) -> None:
        self.port = free_port()
        self.address = f"127.0.0.2:{self.port}"
        self.nodes = [
            Node(
                "--head", f"--port={self.port}", f"--temp-dir={folder}", "--include-dashboard=false",
            )
        ]  # fmt: skip
        end = time.monotonic() + SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.2", self.port), 1).close()
                return
            except OSError:
                if time.monotonic() > end or not self.nodes[0].is_alive:
                    self.nodes[0].kill()
                    raise
                time.sleep(0.2)

    def second(self) -> Node:
        node = Node(f"--address={self.address}")
        self.nodes.append(node)
        return node

    def wait_for(self, ray: Any, cpus: float) -> None:
        """Waits until all nodes have joined; `ray` is connected."""
        end = time.monotonic() + SECONDS
        while ray.cluster_resources().get("CPU", 0) != cpus:
            if time.monotonic() > end:
                raise TimeoutError(ray.cluster_resources())
            time.sleep(0.2)


@contextmanager
def ray_cluster() -> Iterator[Ray]:
    folder = tempfile.mkdtemp(prefix="ray", dir="/tmp")  # a short path: there are sockets in it
    ray = Ray(folder)
    try:
        yield ray
    finally:
        for node in ray.nodes:
            node.kill()
        shutil.rmtree(folder, ignore_errors=True)
