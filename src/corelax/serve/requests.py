"""What `POST /resolve` takes: JSON to jobs, or a refusal that names the field."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.core.printable import shortened
from corelax.document.clustering import SINGLETONS

WIDTH = 300  # characters of a refusal; parts of requests may be in it
_STRING = {"type": "string"}
_PAIR = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
_PAIRS = {"type": "array", "items": {"type": "array", "minItems": 2, "maxItems": 2}}
# The fields of a request, as JSON Schema says it.
FIELDS: dict[str, dict[str, Any]] = {
    "text": {
        "description": "A text, or several. The answer is a resolution, or a list of them.",
        "oneOf": [_STRING, {"type": "array", "items": _STRING}],
    },
    "singletons": {"enum": list(SINGLETONS), "default": "drop"},
    "scheme": {"description": "The annotation scheme to follow."},  # one that the model knows
    "consistent": {
        "type": "boolean",
        "default": True,
        "description": "Whether people are kept apart, as in Resolver.resolve.",
    },
    "speakers": {
        "description": "Who says what: [first character, one past the last, name].",
        "type": "array",
        "items": {"type": "array", "minItems": 3, "maxItems": 3},
    },
    "mentions": {
        "description": "What to resolve: [first character, one past the last].",
        "type": "array",
        "items": _PAIR,
    },
    "must_link": {**_PAIRS, "description": "Pairs of mentions that belong together."},
    "cannot_link": {**_PAIRS, "description": "Pairs of mentions that do not."},
    "links": {
        "type": "boolean",
        "default": False,
        "description": "Whether to add the link probabilities of all likely mentions.",
    },
}
# What changes the network's input or decisions for one text, so that it is resolved on its own.
FOR_ONE_TEXT = ("speakers", "mentions", "must_link", "cannot_link", "links")


class Refusal(Exception):
    """Ends a request with a status of HTTP and one line that says why.

    >>> Refusal(400, "text must be\\na string").message
    'text must be a string'
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, message)
        self.status, self.headers = status, dict(headers or {})
        self.message = shortened(message, WIDTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One text to resolve.

    Attributes:
        text: The text.
        shared: Options of `Resolver.pipe`; jobs for which they are equal are resolved together.
        own: Options of `Resolver.resolve` for this text alone.
        links: Whether the link probabilities are asked for.
    """

    text: str
    shared: tuple[tuple[str, Any], ...] = ()
    own: dict[str, Any] | None = None
    links: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveRequest:
    """The texts of a request, a job for each; `is_list` says whether the answer is a list."""

    jobs: tuple[Job, ...]
    is_list: bool


def read_request(body: bytes, *, schemes: Collection[str], max_characters: int) -> ResolveRequest:
    """A request from the bytes of JSON.

    Args:
        body: UTF-8.
        schemes: Those that the model knows.
        max_characters: Of all texts together.

    >>> read_request(b'{"text": ["Ann left.", "Bo too."]}', schemes=["gum"], max_characters=99).is_list
    True
    >>> read_request(b'{"text": 5}', schemes=["gum"], max_characters=99)
    Traceback (most recent call last):
    corelax.serve.requests.Refusal: (400, 'text must be a string or a list of strings')
    """
    fields = _fields(body)
    text = fields["text"]
    texts: list[Any] = text if isinstance(text, list) else [text]
    if not all(isinstance(one, str) for one in texts):
        raise Refusal(400, "text must be a string or a list of strings")
    size = sum(map(len, texts))
    if size > max_characters:
        raise Refusal(413, f"{size:,} characters of text; at most {max_characters:,} are taken")
    for_one = {name: fields[name] for name in FOR_ONE_TEXT if fields.get(name) not in (None, False)}
    if for_one and len(texts) > 1:
        raise Refusal(400, f"{', '.join(for_one)}: only with a single text")
    shared = {
        "singletons": fields.get("singletons", "drop"),
        "scheme": fields.get("scheme"),
        "consistent": _boolean("consistent", fields.get("consistent", True)),
    }
    try:
        check_choice("singletons", shared["singletons"], SINGLETONS)
        if shared["scheme"] is not None:
            check_choice("scheme", shared["scheme"], schemes)
    except CorelaxError as error:
        raise Refusal(400, str(error)) from None
    links = _boolean("links", for_one.pop("links", False))
    own = {name: _rows(name, value) for name, value in for_one.items()}
    jobs = [
        Job(text=one, shared=tuple(shared.items()), own=own or None, links=links) for one in texts
    ]
    return ResolveRequest(jobs=tuple(jobs), is_list=isinstance(text, list))


def _fields(body: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise Refusal(400, f"byte {error.start + 1} of the request is not UTF-8") from None
    except RecursionError:
        raise Refusal(400, "the JSON is nested too deeply") from None
    except ValueError as error:  # also of numbers with thousands of digits
        raise Refusal(400, f"the request is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise Refusal(400, 'the request must be a JSON object, such as {"text": "Ann left."}')
    if unknown := [name for name in fields if name not in FIELDS]:
        raise Refusal(400, f"unknown field {unknown[0]!r}; known are {', '.join(FIELDS)}")
    if "text" not in fields:
        raise Refusal(400, "the field text is missing")
    return fields


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")


def _boolean(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise Refusal(400, f"{name} must be true or false")
    return value


def _rows(name: str, value: Any) -> list[Any]:
    """A list of lists, as tuples; the resolver checks what they hold."""
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise Refusal(400, f"{name} must be a list of lists")
    return [tuple(tuple(cell) if isinstance(cell, list) else cell for cell in row) for row in value]
