"""The page at `/`: the page of resolved texts, a place to put texts in, and the explorer of the method."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from jinja2 import ChoiceLoader, Environment, PackageLoader
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from corelax.render.templates import template

FILES = {"/": "page.html", "/page.css": "page.css", "/page.js": "page.js"}
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


def page_file(name: str) -> str:
    """A file of the page.

    >>> page_file("page.html")[:15]
    '<!DOCTYPE html>'
    """
    return page_templates().get_template(f"serve/{name}").render(title="corelax")


def page_templates() -> Environment:
    """The templates of the page, and of the page of resolved texts that it contains."""
    loaders = [PackageLoader("corelax.serve"), PackageLoader("corelax.render")]
    return template("resolution.html").environment.overlay(loader=ChoiceLoader(loaders))


def page_routes() -> list[Route]:
    """The paths of the page. Its files are made once."""
    return [Route(path, _answer(page_file(name), name)) for path, name in FILES.items()]


def _answer(content: str, name: str) -> Callable[[Request], Awaitable[Response]]:
    kind = TYPES[name.rpartition(".")[2]]

    async def answer(_: Request) -> Response:
        return Response(content, media_type=kind)

    return answer
