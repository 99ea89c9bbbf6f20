"""Runs the application on uvicorn: one process, one event loop, one worker thread."""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from corelax.core.errors import CorelaxError
from corelax.resolve import Resolver
from corelax.serve.application import application
from corelax.serve.options import ServeOptions

MOST_CONNECTIONS = 900  # systems often allow a process 1,024 open files
HEADER_SECONDS = 10.0  # for the head of a request
LAST_SECONDS = 0.3  # for a request that was sent while the server stops
KEPT_SECONDS = 30  # an idle connection is kept that long


def serve(
    resolver: Resolver,
    options: ServeOptions | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    started: Callable[[str], None] | None = None,
) -> None:
    """Serves until SIGINT or SIGTERM; what was accepted until then is answered first.

    Args:
        resolver: What finds the entities.
        options: Limits and access; None is `ServeOptions()`.
        host: The address to listen at.
        port: 0 is any free port.
        started: Called with the address when the server listens.
    """
    options = options or ServeOptions()
    with listen(host, port) as listening:
        if started is not None:
            started(address(*listening.getsockname()[:2]))
        asyncio.run(Server(resolver, options).serve(sockets=[listening]))


def address(host: str, port: int) -> str:
    """An address as browsers take it.

    >>> address("::1", 8000)
    'http://[::1]:8000'
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; the address can be used again at once after the process was killed."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        raise CorelaxError(f"{host}, port {port}: {error.strerror or error}") from None


class Server(uvicorn.Server):
    """A server for which a signal is how it ends, and not an error. `should_exit = True` stops it, too."""

    def __init__(self, resolver: Resolver, options: ServeOptions) -> None:
        super().__init__(
            uvicorn.Config(
                application(resolver, options),
                http=Protocol,
                ws="none",
                lifespan="on",
                log_config=None,
                log_level="error",
                access_log=False,
                server_header=False,
                limit_concurrency=MOST_CONNECTIONS,
                timeout_keep_alive=KEPT_SECONDS,
                timeout_graceful_shutdown=int(options.timeout) + 5,
            )
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stops at the first signal; a second SIGINT does not wait for what was accepted."""
        handled = (signal.SIGINT, signal.SIGTERM)
        try:
            before = {number: signal.signal(number, self.handle_exit) for number in handled}
        except ValueError:  # only the main thread gets signals
            before = {}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class Protocol(H11Protocol):
    """A connection that waits a limited time for a request, and loses none when the server stops."""

    _patience: asyncio.TimerHandle | None = None
    _is_last = False  # whether the next request is the last

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait(HEADER_SECONDS)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._is_idle:  # while a request is answered there is nothing to wait for
            self._stop_waiting()
            self.cycle.keep_alive = self.cycle.keep_alive and not self._is_last
        elif self._patience is None:
            self._wait(HEADER_SECONDS)

    def shutdown(self) -> None:
        """Ends after the request that is answered, or that may be on its way."""
        if not self._is_idle:
            super().shutdown()
            return
        self._is_last = True
        self._stop_waiting()
        self._wait(LAST_SECONDS)

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        self._patience = self.loop.call_later(seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
