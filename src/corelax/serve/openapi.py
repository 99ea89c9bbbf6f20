"""The interface as OpenAPI 3.1 describes it."""

from __future__ import annotations

from typing import Any

from corelax.core.version import VERSION
from corelax.serve.requests import FIELDS

Schema = dict[str, Any]
_TEXT = {"type": "string"}
_PLACE = {"type": "integer", "minimum": 0}
_ID = {"type": ["integer", "null"]}
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


def openapi(schemes: list[str]) -> Schema:
    """The document behind `/openapi.json`, with the annotation schemes that the model knows.

    >>> sorted(openapi(["gum"])["paths"])
    ['/health', '/metrics', '/ready', '/resolve']
    """
    answer = {"oneOf": [_reference("Resolution"), _list(_reference("Resolution"))]}
    request = {"schema": _reference("Request"), "example": {"text": "Ann said she left."}}
    refusals = {
        status: {"description": text, "content": _json({"schema": _reference("Error")})}
        for status, text in _REFUSALS.items()
    }
    resolve = {
        "summary": "Find the entities of a text.",
        "security": [{}, {"token": []}],
        "requestBody": {"required": True, "content": _json(request)},
        "responses": {
            "200": {"description": "Entities.", "content": _json({"schema": answer})},
            **refusals,
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
                "Request": {
                    **_object(FIELDS | {"scheme": {"enum": [*schemes, None], **FIELDS["scheme"]}}),
                    "required": ["text"],
                    "additionalProperties": False,
                },
                "Resolution": _resolution(),
                "Mention": _mention(),
                "Error": {**_object({"error": _said(_TEXT, "One line.")}), "required": ["error"]},
            },
        },
    }


def _resolution() -> Schema:
    mentions = _list(_reference("Mention"))
    entity = {"representative": _TEXT, "probability": _PROBABILITY, "mentions": mentions}
    links = "Spans, and for each its [antecedent, probability]; itself is a new entity."
    fields = {
        "id": _TEXT,
        "text": _TEXT,
        "tokens": _list(_object({"text": _TEXT, "start": _PLACE, "end": _PLACE})),
        "sentence_starts": _list(_PLACE),
        "entities": _list(_object(entity)),
        "mentions": _said(mentions, "All of them, in the order of the text."),
        "links": _said({"type": "object"}, links),
    }
    return _said(_object(fields), "Resolution.as_dict() of corelax.")


def _mention() -> Schema:
    place = {"start": _PLACE, "end": _PLACE}
    antecedent = {"id": _ID, "text": _TEXT, **place, "probability": _PROBABILITY}
    return _object(
        {
            "id": _PLACE,
            "text": _TEXT,
            "start": _said(_PLACE, "The first character, counted in code points."),
            "end": _said(_PLACE, "One past the last character."),
            "start_token": _PLACE,
            "end_token": _PLACE,
            "entity": _said(_PLACE, "A position in the list of entities."),
            "antecedent": _said(_ID, "The id of a mention."),
            "antecedents": _said(
                _list(_object(antecedent)), "The best ones; null is a new entity."
            ),
            "probability": _PROBABILITY,
            "link_probability": _PROBABILITY,
            "entity_probability": _PROBABILITY,
        }
    )


def _object(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _said(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


def _json(content: Schema) -> Schema:
    return {"application/json": content}


def _reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _get(summary: str, responses: dict[str, str]) -> Schema:
    described = {status: {"description": text} for status, text in responses.items()}
    return {"get": {"summary": summary, "responses": described}}
