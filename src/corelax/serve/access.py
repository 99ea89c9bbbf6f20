"""Who may use the server, what browsers may do with its answers, and the count of requests."""

from __future__ import annotations

import hmac
import logging

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from corelax.serve.metrics import Metrics

PATHS = ("/resolve", "/metrics", "/health", "/ready", "/openapi.json", "/", "/page.css", "/page.js")
GUARDED = ("/resolve", "/metrics")  # the others tell nothing about texts or use
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_log = logging.getLogger("corelax.serve")


class Guard:
    """Asks for the token, adds headers to every answer, and counts it.

    Args:
        app: What answers.
        token: What clients must know; None lets everybody in.
        metrics: Where answers are counted.
    """

    def __init__(self, app: ASGIApp, token: str | None, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics
        self._token = None if token is None else token.encode("ascii")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, or lets the application answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        try:
            if self._may_enter(scope):
                await self._app(scope, receive, send_with_headers)
            else:
                refused = JSONResponse(
                    {"error": "the token is missing or wrong; send Authorization: Bearer TOKEN"},
                    401,
                    {"WWW-Authenticate": "Bearer"},
                )
                await refused(scope, receive, send_with_headers)
        except Exception as error:  # of our own; the client gets no more than a line
            _log.error("a request failed", exc_info=error)
            failed = JSONResponse({"error": "the server failed; its log has the reason"}, 500)
            await failed(scope, receive, send_with_headers)
        finally:
            path = scope["path"] if scope["path"] in PATHS else "other"
            self._metrics.requests[path, status] += 1

    def _may_enter(self, scope: Scope) -> bool:
        if self._token is None or scope["path"] not in GUARDED:
            return True
        kind, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
        # In constant time: how long it takes does not tell how much of a guess is right.
        is_right = hmac.compare_digest(given.strip().encode(), self._token)
        return kind.lower() == "bearer" and is_right
