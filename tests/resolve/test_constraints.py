"""Corrections in a file: what is read, what is refused, and what a resolver makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corelax import CorelaxError
from corelax.resolve import Resolver, resolve_files
from corelax.resolve.constraints import (
    FORMAT,
    Constraints,
    Stretch,
    constraints_for,
    read_constraints,
)
from corelax.text import document_of

TEXT = "Ann called Sue because she was late. Sue thanked her."
ANN, SUE, SHE = Stretch(0, 3, "Ann"), Stretch(11, 14, "Sue"), Stretch(23, 26, "she")
ANN_JSON = {"start": 0, "end": 3, "text": "Ann"}


def write(folder: Path, *documents: Any) -> Path:
    path = folder / "constraints.json"
    path.write_text(json.dumps({"format": FORMAT, "documents": documents}), encoding="utf-8")
    return path


def test_all_fields_are_read(tmp_path: Path) -> None:
    she = {"start": 23, "end": 26}
    record = {
        "id": "d", "mentions": [ANN_JSON, she], "must_link": [], "cannot_link": [[0, 1]], "removed": [she],
    }  # fmt: skip
    expected = Constraints((ANN, Stretch(23, 26)), (), ((0, 1),), (Stretch(23, 26),))
    assert read_constraints(write(tmp_path, record)) == {"d": expected}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "an object with a name as id"),
        ({"mentions": []}, "an object with a name as id"),
        ({"id": "d", "mention": []}, "unknown field mention"),
        ({"id": "d", "mentions": {}}, "mentions must be objects with start and end"),
        ({"id": "d", "mentions": [[0, 3]]}, "mentions must be objects with start and end"),
        ({"id": "d", "mentions": [{"start": 3, "end": 3}]}, "mentions must be objects"),
        ({"id": "d", "mentions": [{"start": True, "end": 3}]}, "mentions must be objects"),
        ({"id": "d", "removed": [{"start": 0, "end": 1, "text": 1}]}, "removed must be objects"),
        ({"id": "d", "mentions": [ANN_JSON], "must_link": [[0, 1]]}, "from 0 to 0"),
        ({"id": "d", "mentions": [ANN_JSON], "cannot_link": [[0]]}, "cannot_link must be pairs"),
    ],
)
def test_wrong_files_are_refused_in_a_line(tmp_path: Path, record: Any, message: str) -> None:
    with pytest.raises(CorelaxError, match=message) as error:
        read_constraints(write(tmp_path, record))
    assert str(error.value).startswith(str(tmp_path))


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    for content in ("[]", "{}", '{"format": "corelax constraints 2"}'):
        path.write_text(content)
        with pytest.raises(CorelaxError, match="not a file of constraints"):
            read_constraints(path)
    with pytest.raises(CorelaxError, match="occurs twice"):
        read_constraints(write(tmp_path, {"id": "d"}, {"id": "d"}))


def test_a_document_that_is_not_there_is_an_error_before_anything_is_resolved(
    tmp_path: Path,
) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(TEXT)
    path = write(tmp_path, {"id": "elsewhere"})
    with pytest.raises(CorelaxError, match="document elsewhere is not among the texts"):
        resolve_files([tmp_path / "a.txt", tmp_path / "b.txt"], constraints=path, model="no such")


def test_constraints_of_the_only_document_need_no_name() -> None:
    assert constraints_for(["new/path.txt"], {"path.txt": Constraints()}, "") == {
        "new/path.txt": Constraints()
    }


@pytest.mark.parametrize(
    ("stretch", "message"),
    [
        (Stretch(0, 3, "Bob"), "are 'Ann', not 'Bob'; were the constraints made for another text"),
        (Stretch(0, 2), "0 to 2 are not whole words"),
        (Stretch(900, 901), "900 to 901 are not whole words"),
    ],
)
def test_constraints_of_another_text_are_noticed(stretch: Stretch, message: str) -> None:
    with pytest.raises(CorelaxError, match=message):
        Constraints((stretch,)).in_words(document_of("Ann left", "d"), "Ann left")


@pytest.fixture(scope="module")
def small() -> Resolver:
    return Resolver.from_pretrained("small", device="cpu")


def entities(
    resolver: Resolver, constraints: Constraints, singletons: str = "drop"
) -> list[list[str]]:
    found = resolver.resolve(TEXT, singletons=singletons)
    again = resolver.corrected(found, constraints, singletons=singletons)
    return [[f"{m.text} {m.start}" for m in entity.mentions] for entity in again.entities]


def test_a_resolver_keeps_to_links_mentions_and_removals(small: Resolver) -> None:
    apart = entities(small, Constraints((ANN, SUE, SHE), ((1, 2),), ((0, 1),)))
    assert ["Ann 0"] in apart or any("Ann 0" in group and "Sue 11" not in group for group in apart)
    assert any({"Sue 11", "she 23"} <= set(group) for group in apart)
    together = entities(small, Constraints((ANN, SHE), ((0, 1),)))
    assert any({"Ann 0", "she 23"} <= set(group) for group in together)
    removed = entities(small, Constraints(removed=(SHE,)))
    assert all("she 23" not in group for group in removed)


def test_mentions_of_constraints_stay_alone_and_others_do_not(small: Resolver) -> None:
    late = Stretch(31, 35, "late")
    groups = entities(small, Constraints((late,)))
    assert ["late 31"] in groups
    assert all(len(group) > 1 for group in groups if group != ["late 31"])


def test_no_constraints_change_nothing(small: Resolver) -> None:
    found = small.resolve(TEXT)
    again = small.corrected(found, Constraints())
    assert again.clusters == found.clusters


@pytest.mark.parametrize(("singletons", "left"), [("drop", []), ("keep", [["Ann"]])])
def test_who_is_left_alone_by_a_removal_stays_only_if_singletons_do(
    tmp_path: Path, singletons: str, left: list[list[str]]
) -> None:
    text = tmp_path / "d.txt"
    text.write_text("Ann said she left.", encoding="utf-8")
    path = write(tmp_path, {"id": "d.txt", "removed": [{"start": 9, "end": 12, "text": "she"}]})
    [found] = resolve_files([text], constraints=path, singletons=singletons, device="cpu")
    assert [[m.text for m in entity.mentions] for entity in found] == left
