"""What a request may hold."""

from __future__ import annotations

import json

import pytest

from corelax.serve.openapi import openapi
from corelax.serve.requests import FIELDS, Refusal, ResolveRequest, read_request


def read(body: bytes | dict, max_characters: int = 100) -> ResolveRequest:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_request(content, schemes=["gum"], max_characters=max_characters)


def test_a_text_is_one_job_and_a_list_is_several():
    one, several = read({"text": "Ann"}), read({"text": ["Ann", "Bo"]})
    assert (len(one.jobs), one.is_list) == (1, False)
    assert ([job.text for job in several.jobs], several.is_list) == (["Ann", "Bo"], True)


def test_options_go_to_the_resolver_as_it_takes_them():
    [job] = read(
        {"text": "Ann, she", "mentions": [[0, 3], [5, 8]], "must_link": [[[0, 3], [5, 8]]]}
    ).jobs
    assert job.own == {"mentions": [(0, 3), (5, 8)], "must_link": [((0, 3), (5, 8))]}


def test_null_and_false_are_as_nothing():
    [job] = read({"text": "Ann", "mentions": None, "links": False, "scheme": None}).jobs
    assert job == read({"text": "Ann"}).jobs[0]


@pytest.mark.parametrize(
    ("body", "status", "part"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, "not JSON"),
        (b"\xff\xfe{}", 400, "byte 1 of the request is not UTF-8"),
        (b'{"text": "\xe9"}', 400, "byte 11"),
        (b"[]", 400, "must be a JSON object"),
        (b"{}", 400, "text is missing"),
        (b'{"text": NaN}', 400, "NaN"),
        (b"[" * 100_000, 400, "nested too deeply"),
        (b'{"text": "a", "x": ' + b"9" * 5000 + b"}", 400, "not JSON"),
        ({"text": 5}, 400, "text must be a string"),
        ({"text": ["a", None]}, 400, "text must be a string"),
        ({"text": "a", "txet": 1}, 400, "unknown field 'txet'"),
        ({"text": "a", "singletons": "maybe"}, 400, "singletons must be"),
        ({"text": "a", "singletons": []}, 400, "singletons must be"),
        ({"text": "a", "scheme": "none"}, 400, "scheme must be"),
        ({"text": "a", "scheme": 5}, 400, "scheme must be"),
        ({"text": "a", "consistent": 1}, 400, "consistent must be true or false"),
        ({"text": "a", "links": "yes"}, 400, "links must be true or false"),
        ({"text": "a", "mentions": {"a": 1}}, 400, "mentions must be a list of lists"),
        ({"text": "a", "mentions": [1]}, 400, "mentions must be a list of lists"),
        ({"text": ["a", "b"], "mentions": [[0, 1]]}, 400, "only with a single text"),
        ({"text": "a" * 101}, 413, "101 characters of text; at most 100"),
        ({"text": ["a" * 51] * 2}, 413, "102 characters"),
    ],
)
def test_what_is_wrong_is_named_in_one_line(body, status, part):
    with pytest.raises(Refusal) as refused:
        read(body)
    assert refused.value.status == status
    assert part in refused.value.message
    assert "\n" not in refused.value.message
    assert len(refused.value.message) <= 300


def test_the_description_has_the_fields_that_are_read():
    described = openapi(["gum"])["components"]["schemas"]["Request"]["properties"]
    assert set(described) == set(FIELDS)
