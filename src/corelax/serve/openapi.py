"""The interface as OpenAPI 3.1 describes it."""

from __future__ import annotations

from typing import Any

from corelax.core.version import VERSION

_PAIR = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
_PAIRS = {"type": "array", "items": {"type": "array", "minItems": 2, "maxItems": 2}}
_PROBABILITY = {"type": "number", "minimum": 0, "maximum": 1}
_REFUSALS = {
    "400": "The request is not JSON, a field is unknown, or a value is wrong.",
    "401": "The token is missing or wrong.",
    "408": "The request did not arrive in time.",
    "413": "The texts are too long, or too many.",
    "415": "The content type is not application/json.",
    "503": "Too many texts are waiting. Retry-After says when to try again.",
    "504": "The texts were not resolved in time.",
}


def _request(schemes: list[str]) -> dict[str, Any]:
    text = {"type": "string"}
    return {
        "type": "object",
        "required": ["text"],
        "additionalProperties": False,
        "properties": {
            "text": {
                "description": "A text, or several. The answer is a resolution, or a list of them.",
                "oneOf": [text, {"type": "array", "items": text}],
            },
            "singletons": {"enum": ["drop", "keep"], "default": "drop"},
            "scheme": {"enum": [*schemes, None], "description": "The annotation scheme to follow."},
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
        },
    }


def _mention() -> dict[str, Any]:
    place = {"type": "integer", "minimum": 0}
    return {
        "type": "object",
        "properties": {
            "id": place,
            "text": {"type": "string"},
            "start": {**place, "description": "The first character, counted in code points."},
            "end": {**place, "description": "One past the last character."},
            "start_token": place,
            "end_token": place,
            "entity": {**place, "description": "A position in the list of entities."},
            "antecedent": {"type": ["integer", "null"], "description": "The id of a mention."},
            "antecedents": {
                "description": "The best ones; null is a new entity.",
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": ["integer", "null"]},
                        "text": {"type": "string"},
                        "start": place,
                        "end": place,
                        "probability": _PROBABILITY,
                    },
                },
            },
            "probability": _PROBABILITY,
            "link_probability": _PROBABILITY,
            "entity_probability": _PROBABILITY,
        },
    }


def _resolution() -> dict[str, Any]:
    mentions = {"type": "array", "items": {"$ref": "#/components/schemas/Mention"}}
    entity = {
        "type": "object",
        "properties": {
            "representative": {"type": "string"},
            "probability": _PROBABILITY,
            "mentions": mentions,
        },
    }
    place = {"type": "integer", "minimum": 0}
    token = {
        "type": "object",
        "properties": {"text": {"type": "string"}, "start": place, "end": place},
    }
    return {
        "type": "object",
        "description": "Resolution.as_dict() of corelax.",
        "properties": {
            "id": {"type": "string"},
            "text": {"type": "string"},
            "tokens": {"type": "array", "items": token},
            "sentence_starts": {"type": "array", "items": place},
            "entities": {"type": "array", "items": entity},
            "mentions": {**mentions, "description": "All of them, in the order of the text."},
            "links": {
                "type": "object",
                "description": "Spans, and for each its [antecedent, probability]; itself is a new entity.",
            },
        },
    }


def openapi(schemes: list[str]) -> dict[str, Any]:
    """The document behind `/openapi.json`.

    Args:
        schemes: The annotation schemes that the model knows.

    >>> sorted(openapi(["gum"])["paths"])
    ['/health', '/metrics', '/ready', '/resolve']
    """
    reference = {"$ref": "#/components/schemas/Resolution"}
    answer = {"oneOf": [reference, {"type": "array", "items": reference}]}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    resolve = {
        "summary": "Find the entities of a text.",
        "security": [{}, {"token": []}],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"$ref": "#/components/schemas/Request"},
                    "example": {"text": "Ann said she left."},
                }
            },
        },
        "responses": {
            "200": {
                "description": "Entities.",
                "content": {"application/json": {"schema": answer}},
            },
            **{code: {"description": text, "content": error} for code, text in _REFUSALS.items()},
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "corelax", "version": VERSION, "description": "Coreference resolution."},
        "paths": {
            "/resolve": {"post": resolve},
            "/health": _get("The process lives.", {"200": "It does."}),
            "/ready": _get("Whether texts are taken.", {"200": "They are.", "503": "Not now."}),
            "/metrics": _get("Counters for Prometheus.", {"200": "Text.", "401": "Token missing."}),
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Request": _request(schemes),
                "Resolution": _resolution(),
                "Mention": _mention(),
                "Error": {
                    "type": "object",
                    "required": ["error"],
                    "properties": {"error": {"type": "string", "description": "One line."}},
                },
            },
        },
    }


def _get(summary: str, responses: dict[str, str]) -> dict[str, Any]:
    described = {status: {"description": text} for status, text in responses.items()}
    return {"get": {"summary": summary, "responses": described}}
