"""The application: paths, answers, refusals. Starlette on any ASGI server; `server.py` runs it on uvicorn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from corelax.render.markup import template
from corelax.resolve import Resolver
from corelax.serve.access import Guard
from corelax.serve.batching import BatchQueue, answers
from corelax.serve.metrics import Metrics
from corelax.serve.openapi import openapi
from corelax.serve.options import ServeOptions
from corelax.serve.requests import Refusal, read_request

# The page of resolved texts, with a place to put texts in and the explorer of the method.
PAGE = {"/": "page.html", "/page.css": "page.css", "/page.js": "page.js"}
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
GONE = 499  # the client has left; only the metrics see it
# Bytes beyond the limit that are read and dropped: who is still sending does not read that it was too much.
MOST_SKIPPED = 64 << 20


def application(resolver: Resolver, options: ServeOptions | None = None) -> Starlette:
    """The server's application.

    Args:
        resolver: What finds the entities. It is used in one thread, whichever texts come.
        options: Limits and access; None is `ServeOptions()`.

    >>> app = application(Resolver.from_pretrained())
    >>> [route.path for route in app.routes]
    ['/resolve', '/health', '/ready', '/metrics', '/openapi.json', '/', '/page.css', '/page.js']
    """
    options = options or ServeOptions()
    service = Service(resolver, options)
    handlers: dict[Any, Any] = {Refusal: _refused, HTTPException: _http_error}
    headers = ["Authorization", "Content-Type"]
    origins = list(options.allow_origins)
    cors = partial(CORSMiddleware, allow_origins=origins, allow_headers=headers)
    middleware = [Middleware(cors, allow_methods=["GET", "POST"])] if origins else []
    return Starlette(
        routes=[
            Route("/resolve", service.resolve, methods=["POST"]),
            Route("/health", service.health),
            Route("/ready", service.ready),
            Route("/metrics", service.show_metrics),
            Route("/openapi.json", service.openapi),
            *(Route(path, _page(name)) for path, name in PAGE.items()),
        ],
        middleware=[*middleware, Middleware(Guard, token=options.token, metrics=service.metrics)],
        lifespan=service.lifespan,
        exception_handlers=handlers,
    )


class Service:
    """What the paths do."""

    def __init__(self, resolver: Resolver, options: ServeOptions) -> None:
        self._resolver, self._options = resolver, options
        self.metrics = Metrics()
        self._queue = BatchQueue(
            partial(answers, resolver),
            batch_size=options.batch_size,
            batch_wait=options.batch_wait / 1000,
            queue_size=options.queue_size,
            observe=self.metrics.observe_batch,
        )

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self._queue.start()
        try:
            yield
        finally:
            await self._queue.stop()

    async def resolve(self, request: Request) -> Response:
        began = time.monotonic()
        try:
            return await self._resolve(request, began + self._options.timeout)
        finally:
            self.metrics.request_seconds.add(time.monotonic() - began)

    async def _resolve(self, request: Request, deadline: float) -> Response:
        body = await self._body(request, deadline)
        wanted = read_request(
            body,
            schemes=self._resolver.schemes,
            max_characters=self._options.max_characters,
        )
        futures = self._queue.submit(wanted.jobs)
        self.metrics.characters += sum(len(job.text) for job in wanted.jobs)
        left = asyncio.ensure_future(_departure(request))
        every = asyncio.gather(*futures)
        try:
            patience = max(0.0, deadline - time.monotonic())
            both: set[asyncio.Future[Any]] = {every, left}
            await asyncio.wait(both, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if not every.done():
                if left.done():
                    raise Refusal(GONE, "the client has left")
                raise Refusal(504, f"not resolved within {self._options.timeout:g} seconds")
            given = every.result()
        finally:
            left.cancel()
            every.cancel()  # jobs that nobody waits for are not begun
        for number, answer in enumerate(given):
            if isinstance(answer, Refusal):
                where = f"text {number}: " if wanted.is_list else ""
                raise Refusal(answer.status, where + answer.message)
        parts = [answer for answer in given if isinstance(answer, bytes)]
        content = b"[" + b",".join(parts) + b"]" if wanted.is_list else parts[0]
        return Response(content, media_type="application/json")

    async def _body(self, request: Request, deadline: float) -> bytes:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refusal(415, "the content type must be application/json")
        limit, size, chunks = self._options.max_bytes, 0, []
        too_large = Refusal(413, f"the request has more than {limit:,} bytes")
        try:
            async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                async for chunk in request.stream():
                    size += len(chunk)
                    if size <= limit:
                        chunks.append(chunk)
                    elif size > limit + MOST_SKIPPED:
                        raise too_large
        except TimeoutError:
            raise Refusal(408, "the request did not arrive in time") from None
        except ClientDisconnect:
            raise Refusal(GONE, "the client has left") from None
        if size > limit:
            raise too_large
        return b"".join(chunks)

    async def health(self, _: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def ready(self, _: Request) -> Response:
        if not self._queue.is_running:
            raise Refusal(503, "texts are not resolved any more")
        if len(self._queue) >= self._queue.limit:
            raise Refusal(503, f"{len(self._queue):,} texts are waiting", {"Retry-After": "1"})
        return JSONResponse({"status": "ready"})

    async def show_metrics(self, _: Request) -> Response:
        return PlainTextResponse(
            self.metrics.text(len(self._queue)),
            media_type="text/plain; version=0.0.4; charset=utf-8",
        )

    async def openapi(self, _: Request) -> Response:
        return JSONResponse(openapi(list(self._resolver.schemes)))


async def _departure(request: Request) -> None:
    """Returns when the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _refused(_: Request, refusal: Refusal) -> Response:
    headers = refusal.headers
    if refusal.status in (408, 413):  # the rest of the request is not read
        headers = {**headers, "Connection": "close"}
    return JSONResponse({"error": refusal.message}, refusal.status, headers)


def _http_error(_: Request, error: HTTPException) -> Response:
    message = {404: "there is nothing at this path", 405: "another method is needed"}
    line = message.get(error.status_code, error.detail)
    return JSONResponse({"error": line}, error.status_code, error.headers)


def page_templates() -> Environment:
    """The templates of the page, and of the page of resolved texts that it contains."""
    loaders = [PackageLoader("corelax.serve"), PackageLoader("corelax.render")]
    return template("resolution.html").environment.overlay(loader=ChoiceLoader(loaders))


def _page(name: str) -> Callable[[Request], Awaitable[Response]]:
    """Answers with a file of the page, which is made once."""
    content = page_templates().get_template(f"serve/{name}").render(title="corelax")
    kind = TYPES[name.rpartition(".")[2]]

    async def answer(_: Request) -> Response:
        return Response(content, media_type=kind)

    return answer
